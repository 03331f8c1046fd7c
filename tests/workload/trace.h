// SPDX-License-Identifier: GPL-2.0-only
// Chakra traces made in a test with weft's own writer.
#ifndef WEFT_TESTS_WORKLOAD_TRACE_H
#define WEFT_TESTS_WORKLOAD_TRACE_H

#include "base/arena.h"
#include "workload/chakra_write.h"
#include "workload/et_build.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Chakra's numbers of collectives.
enum ChakraKind { ALL_REDUCE = 0, REDUCE = 1, ALL_GATHER = 2, BARRIER = 9 };

using Deps = std::vector<uint64_t>;

// One rank's trace; nodes are numbered 1, 2 ... in the order added.
class Trace
{
  public:
    Trace() : arena_(weft_arena_new())
    {
        weft_et_build_start(&b_, arena_);
    }
    ~Trace()
    {
        weft_arena_free(arena_);
    }
    Trace(const Trace &) = delete;

    uint64_t coll(int kind, uint64_t bytes, const char *group = "", const Deps &deps = {})
    {
        n_++;
        weft_et_build_coll(&b_, n_, ("coll" + std::to_string(n_)).c_str(), kind, bytes, group);
        return after(deps);
    }
    uint64_t send(uint32_t to, uint64_t bytes, const Deps &deps = {}, uint32_t tag = 0)
    {
        weft_et_build_message(&b_, ++n_, WEFT_ET_COMM_SEND_NODE, "send", bytes, to, tag);
        return after(deps);
    }
    uint64_t recv(uint32_t from, uint64_t bytes, const Deps &deps = {}, uint32_t tag = 0)
    {
        weft_et_build_message(&b_, ++n_, WEFT_ET_COMM_RECV_NODE, "recv", bytes, from, tag);
        return after(deps);
    }
    uint64_t metadata(const Deps &deps = {})
    {
        weft_et_build_node(&b_, ++n_, WEFT_ET_METADATA_NODE, "## process_group:init ##", 0);
        return after(deps);
    }
    uint64_t cpu(uint64_t us, const Deps &deps = {})
    {
        weft_et_build_node(&b_, ++n_, WEFT_ET_COMP_NODE, "cpu", us);
        weft_et_build_int(&b_, "is_cpu_op", WEFT_ET_BOOL, 1);
        return after(deps);
    }
    // A computation on the accelerator.
    uint64_t comp(uint64_t us, const Deps &deps = {})
    {
        n_++;
        weft_et_build_comp(&b_, n_, ("comp" + std::to_string(n_)).c_str(), us);
        return after(deps);
    }
    // An all-to-all of all @p n ranks with a size for each of them.
    uint64_t exchange(const uint64_t *to, const uint64_t *from, size_t n)
    {
        weft_et_build_node(&b_, ++n_, WEFT_ET_COMM_COLL_NODE, "exchange", 0);
        weft_et_build_int(&b_, "comm_type", WEFT_ET_INT64, 6);
        weft_et_build_sizes(&b_, "comm_send_sizes", to, n);
        weft_et_build_sizes(&b_, "comm_recv_sizes", from, n);
        return n_;
    }
    // An access to memory: a load, or a store.
    uint64_t load(uint64_t bytes, const Deps &deps = {}, bool store = false)
    {
        weft_et_build_node(&b_, ++n_, store ? WEFT_ET_MEM_STORE_NODE : WEFT_ET_MEM_LOAD_NODE,
                           "memory", 0);
        weft_et_build_int(&b_, "tensor_size", WEFT_ET_UINT64, (int64_t)bytes);
        return after(deps);
    }
    // One more attribute of the node added last.
    void attribute(const char *name, enum weft_et_kind kind, int64_t value)
    {
        weft_et_build_int(&b_, name, kind, value);
    }
    void write(const std::string &path)
    {
        weft_err err = {};
        weft_et *et;
        ASSERT_EQ(weft_et_build_finish(&b_, &et, &err), 0) << err.msg;
        ASSERT_EQ(weft_chakra_write_et(et, path.c_str(), &err), 0) << err.msg;
    }

  private:
    uint64_t after(const Deps &deps)
    {
        for (uint64_t d : deps)
            weft_et_build_data_dep(&b_, d);
        return n_;
    }
    weft_arena *arena_;
    weft_et_build b_ = {};
    uint64_t n_ = 0;
};

#endif
