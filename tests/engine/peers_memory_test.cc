// SPDX-License-Identifier: GPL-2.0-only
// What a process does not take memory for. A page that has only been read counts: there are systems
// on which it is one of the process's own.
#include "meeting.h"
#include "world.h"

#include <fstream>
#include <sstream>

#include <sys/mman.h>
#include <unistd.h>

namespace
{

constexpr size_t kPort = 448, kEnd = 64; // records of a port, and of the end of its link
constexpr size_t kSender = 160;          // and of the sender of a QP

// The share of pages in use of the memory that is as large as @p bytes and takes no huge pages;
// -1: the system does not say which that is.
double Used(size_t bytes)
{
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    uintptr_t from = 0, to = 0;
    while (std::getline(maps, line)) {
        char dash = 0;
        uintptr_t a = 0, b = 0;
        std::istringstream words(line);
        if (words >> std::hex >> a >> dash >> b && dash == '-') {
            from = a;
            to = b;
        }
        if (line.rfind("VmFlags:", 0) != 0 || line.find(" nh") == std::string::npos ||
            to - from != (bytes + page - 1) / page * page)
            continue;
        std::vector<unsigned char> in((to - from) / page);
        if (mincore(reinterpret_cast<void *>(from), to - from, in.data()) != 0)
            return -1;
        double n = 0;
        for (unsigned char p : in)
            n += p & 1;
        return n / static_cast<double>(in.size());
    }
    return -1;
}

} // namespace

// Half of the ports are the process's own, and a twelfth are those of others whose links lead here.
TEST(PeersMemory, PortsOfOthersAreNotTouched)
{
    Meeting meeting(2);
    Peer peer = {&meeting, 0};
    weft_peers p = {2, 0, &peer, Exchange, 0, nullptr};
    weft_err err = {};
    World w("fat-tree", {{"k", "8"}}, {{"transport.mtu", "1000B"}}, "dcqcn");
    w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
    w.config.peers = &p;
    w.Build();
    ASSERT_EQ(weft_engine_set_peers(w.e, &p, &err), 0) << err.msg;
    const double ports = Used(w.fabric->nports * kPort), ends = Used(w.fabric->nports * kEnd);
    if (ports < 0 || ends < 0)
        GTEST_SKIP() << "memory without huge pages is not told from other memory";
    EXPECT_GE(ports, 0.5);
    EXPECT_LT(ports, 0.55);
    EXPECT_GT(ends, 0.55);
    EXPECT_LT(ends, 0.8);
}

// Half of the hosts send from here, and all have posted their messages.
TEST(PeersMemory, SendersOfOthersHaveNoRecord)
{
    weft_memory_figures used[2] = {};
    uint32_t hosts = 0;
    for (int shared = 0; shared < 2; shared++) {
        Meeting meeting(2);
        Peer peer = {&meeting, 0};
        weft_peers p = {2, 0, &peer, Exchange, 0, nullptr};
        weft_err err = {};
        World w("fat-tree", {{"k", "8"}}, {{"transport.mtu", "1000B"}}, "dcqcn");
        w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
        w.config.peers = shared ? &p : nullptr;
        w.Build();
        if (shared) {
            ASSERT_EQ(weft_engine_set_peers(w.e, &p, &err), 0) << err.msg;
        }
        hosts = w.fabric->nhosts;
        for (uint32_t h = 0; h < hosts; h++) {
            weft_msg m = {};
            m.src = h;
            m.dst = (h + hosts / 4) % hosts;
            m.bytes = 1000;
            ASSERT_EQ(weft_engine_send(w.e, &m, nullptr, &err), 0) << err.msg;
        }
        weft_engine_memory(w.e, &used[shared]);
    }
    EXPECT_EQ(used[0].qps, hosts);
    EXPECT_EQ(used[1].qps, hosts);
    EXPECT_EQ(used[0].qp_bytes - used[1].qp_bytes, kSender * hosts / 2);
}
