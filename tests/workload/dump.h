/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces to bytes and to text, for comparing. */
#ifndef WEFT_TESTS_DUMP_H
#define WEFT_TESTS_DUMP_H

#include "wire.h"
#include "workload/chakra_write.h"

namespace wire
{

inline int Append(void *ctx, const void *data, size_t size, weft_err *)
{
    static_cast<Bytes *>(ctx)->append(static_cast<const char *>(data), size);
    return 0;
}

inline Bytes Encode(const weft_et *et)
{
    Bytes out;
    weft_err err{};
    EXPECT_EQ(weft_chakra_encode(et, Append, &out, &err), 0) << Text(err);
    return out;
}

/** Everything that a trace says, as text. */
inline std::string Dump(const weft_et *et)
{
    std::string out = std::string("version ") + et->version + "\n";
    auto attrs = [&](const weft_et_attr *a, size_t n) {
        for (size_t i = 0; i < n; i++) {
            char buf[4096];
            out += std::string("  ") + a[i].name + "|" + a[i].doc + "|" +
                   weft_et_kind_name(a[i].kind) + "|" +
                   weft_et_attr_format(&a[i], buf, sizeof buf) + "\n";
        }
    };
    attrs(et->attrs, et->nattrs);
    for (size_t i = 0; i < et->nnodes; i++) {
        const weft_et_node &n = et->nodes[i];
        out += std::to_string(n.id) + "|" + n.name + "|" + std::to_string(n.type) + "|" +
               std::to_string(n.start_us) + "|" + std::to_string(n.duration_us) + "|c";
        for (size_t k = 0; k < n.nctrl_deps; k++)
            out += " " + std::to_string(n.ctrl_deps[k]);
        out += "|d";
        for (size_t k = 0; k < n.ndata_deps; k++)
            out += " " + std::to_string(n.data_deps[k]);
        for (const weft_et_io *io : {&n.inputs, &n.outputs})
            if (io->present)
                out += std::string("|") + io->values + "," + io->shapes + "," + io->types;
        for (size_t k = 0; k < n.nothers; k++)
            out += (k ? " " : "|o ") + std::to_string(n.others[k]);
        out += "\n";
        attrs(n.attrs, n.nattrs);
    }
    return out;
}

struct Arena {
    weft_arena *a = weft_arena_new();
    ~Arena()
    {
        weft_arena_free(a);
    }
};

} // namespace wire

#endif
