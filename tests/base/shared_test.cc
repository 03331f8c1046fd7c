// SPDX-License-Identifier: GPL-2.0-only
// What processes have alike, once on a machine.
#include "base/shared.h"

#include "../pair.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

using weft_test::Pair;

namespace
{

constexpr size_t BIG = 300000;

struct Blocks {
    void *big = std::malloc(BIG), *small = std::malloc(3), *none = std::malloc(1);
    weft_shared_block list[3] = {{&big, BIG}, {&small, 3}, {&none, 0}};

    Blocks()
    {
        for (size_t i = 0; i < BIG; i++)
            static_cast<unsigned char *>(big)[i] = static_cast<unsigned char>(i * i >> 3);
        std::memcpy(small, "abc", 3);
    }
    bool intact() const
    {
        for (size_t i = 0; i < BIG; i++)
            if (static_cast<unsigned char *>(big)[i] != static_cast<unsigned char>(i * i >> 3))
                return false;
        return std::memcmp(small, "abc", 3) == 0;
    }
    void release() const
    {
        std::free(big);
        std::free(small);
        std::free(none);
    }
};

/// kB of the mapping at @p at that are resident.
long resident_kb(const void *at)
{
    char first[32];
    std::snprintf(first, sizeof first, "%lx-", reinterpret_cast<unsigned long>(at));
    std::ifstream maps("/proc/self/smaps");
    bool here = false;
    for (std::string line; std::getline(maps, line);) {
        here = here || line.rfind(first, 0) == 0;
        long kb = -1;
        if (here && line.rfind("Rss:", 0) == 0 && std::istringstream(line.substr(4)) >> kb)
            return kb;
    }
    return -1;
}

TEST(Shared, TwoProcessesHaveTheBytesOnce)
{
    Pair::run([](const weft_peers &peers) {
        Blocks b;
        const void *before = b.big;
        weft_shared *s = nullptr;
        weft_err err = {};
        if (weft_shared_make(&peers, 7, b.list, 3, &s, &err) || !s)
            return false;
        bool well = b.big != before && b.big == s->at && b.none == nullptr && b.intact();
        well = well && resident_kb(s->at) >= 296;
        weft_shared_unread(s);
        well = well && resident_kb(s->at) == 0 && b.intact();
        weft_shared_free(s);
        return well;
    });
}

TEST(Shared, WhatDiffersStaysEachOnesOwn)
{
    Pair::run([](const weft_peers &peers) {
        Blocks b;
        const void *before = b.big;
        weft_shared *s = nullptr;
        weft_err err = {};
        if (weft_shared_make(&peers, peers.me, b.list, 3, &s, &err))
            return false;
        // the first one has it in the file, where nobody else reads it
        const bool well =
            (s != nullptr) == (peers.me == 0) && b.intact() && (b.big == before) == (peers.me == 1);
        if (!s)
            b.release();
        weft_shared_free(s);
        return well;
    });
}

TEST(Shared, AnotherSizeStaysItsOwnToo)
{
    Pair::run([](const weft_peers &peers) {
        Blocks b;
        weft_shared *s = nullptr;
        weft_err err = {};
        b.list[0].n -= peers.me * 8192;
        if (weft_shared_make(&peers, 7, b.list, 3, &s, &err))
            return false;
        const bool well = (s != nullptr) == (peers.me == 0) && b.intact();
        if (!s)
            b.release();
        weft_shared_free(s);
        return well;
    });
}

TEST(Shared, AProcessThatIsGoneIsAnError)
{
    Pair::run([](const weft_peers &peers) {
        Blocks b;
        weft_shared *s = nullptr;
        weft_err err = {};
        const bool well =
            peers.me == 1 || weft_shared_make(&peers, 7, b.list, 3, &s, &err) == WEFT_E_IO;
        b.release();
        return well && !s;
    });
}

} // namespace
