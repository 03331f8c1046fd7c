/* SPDX-License-Identifier: GPL-2.0-only */
/* A job read from hand-made rank files. */
#ifndef WEFT_TESTS_JOB_H
#define WEFT_TESTS_JOB_H

#include "wire.h"
#include "workload/chakra_read.h"

#include <vector>

namespace wire
{

/** Writes one file per rank (each the nodes without metadata) and reads the job. */
class Job
{
  public:
    explicit Job(const std::vector<Bytes> &ranks, const std::string &groups_json = "",
                 const Bytes &header = Header())
    {
        for (size_t r = 0; r < ranks.size(); r++)
            dir.Write("t." + std::to_string(r) + ".et", header + ranks[r]);
        std::string groups = groups_json.empty() ? "" : dir.Write("groups.json", groups_json);
        prefix = dir / "t";
        rc = weft_chakra_read(prefix.c_str(), 0, groups.c_str(), &w, &err);
    }
    ~Job()
    {
        weft_workload_free(w);
    }
    /** The operation with this id. */
    const weft_op *Op(uint32_t rank, uint64_t id) const
    {
        const weft_dag &d = w->dags[rank];
        for (uint32_t i = 0; i < d.nops; i++)
            if (d.ops[i].id == id)
                return &d.ops[i];
        return nullptr;
    }
    /** The ids of an operation's children. */
    std::vector<uint64_t> Children(uint32_t rank, uint64_t id) const
    {
        const weft_dag &d = w->dags[rank];
        const weft_op *op = Op(rank, id);
        std::vector<uint64_t> out;
        for (uint32_t k = 0; k < op->nchildren; k++)
            out.push_back(d.ops[d.children[op->first_child + k]].id);
        return out;
    }

    Folder dir;
    std::string prefix;
    weft_workload *w = nullptr;
    weft_err err{};
    int rc;
};

} // namespace wire

#endif
