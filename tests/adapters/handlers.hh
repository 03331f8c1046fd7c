/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of adapters share. */
#ifndef WEFT_TESTS_ADAPTERS_HANDLERS_HH
#define WEFT_TESTS_ADAPTERS_HANDLERS_HH

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

inline const std::vector<std::string> kEightHosts = {
    "topology.type=leaf-spine", "leaf-spine.leaves=2", "leaf-spine.hosts-per-leaf=4"};

/* Handlers are functions with an argument, which each may be called once. */
struct Once {
    std::function<void()> f;
    int called = 0;
    static void Call(void *arg)
    {
        Once *o = static_cast<Once *>(arg);
        EXPECT_EQ(o->called++, 0);
        o->f();
    }
};

#endif
