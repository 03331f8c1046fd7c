/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of ASTRA-sim's numbers share: a golden value, and its topologies as fabrics. */
#ifndef WEFT_TESTS_SYSTEM_ASTRA_H
#define WEFT_TESTS_SYSTEM_ASTRA_H

#include "job.h"

inline const uint64_t kMiB = 1u << 20;

struct Golden {
    uint32_t n;
    const char *algorithm;
    weft_coll_kind kind;
    uint64_t bytes;
    int64_t ns;
};

inline void PrintTo(const Golden &g, std::ostream *os)
{
    *os << g.algorithm << " " << weft_coll_kind_name(g.kind) << " of " << g.bytes << " B on "
        << g.n;
}

/* Halving-doubling with additions charged as ASTRA-sim does. */
inline const char kHd[] = "halving-doubling:reduction=forwarded";

inline const uint64_t k50GiBps = 429496729600;

inline void AddSwitch(weft_fabric *f, uint32_t *node)
{
    weft_err err = {};
    ASSERT_EQ(weft_fabric_add_node(f, WEFT_NODE_SWITCH, 1, node, &err), 0) << err.msg;
}
inline void Link(weft_fabric *f, uint32_t a, uint32_t b, uint64_t rate_bps, int64_t delay_ps)
{
    weft_err err = {};
    weft_fabric_link link = {a, b, rate_bps, delay_ps, 0, 0};
    ASSERT_EQ(weft_fabric_add_link(f, &link, nullptr, &err), 0) << err.msg;
}
/* One switch: two hops. */
inline void BuildSwitch(weft_fabric *f, uint32_t n, uint64_t rate_bps = k50GiBps,
                        int64_t delay_ps = 500000)
{
    uint32_t sw;
    AddSwitch(f, &sw);
    for (uint32_t h = 0; h < n; h++)
        Link(f, h, sw, rate_bps, delay_ps);
}
/* A ring of NPUs: each is a host and a switch without delay between them. */
inline void BuildRing(weft_fabric *f, uint32_t n, uint64_t rate_bps = k50GiBps,
                      int64_t delay_ps = 500000)
{
    std::vector<uint32_t> sw(n);
    for (uint32_t h = 0; h < n; h++) {
        AddSwitch(f, &sw[h]);
        Link(f, h, sw[h], rate_bps, 0);
    }
    for (uint32_t h = 0; h < n; h++)
        Link(f, sw[h], sw[(h + 1) % n], rate_bps, delay_ps);
}
/* A ring in every dimension. */
inline void BuildTorus(weft_fabric *f, const std::vector<uint32_t> &sizes)
{
    uint32_t hosts = 1, stride = 1;
    for (uint32_t n : sizes)
        hosts *= n;
    std::vector<uint32_t> at(hosts);
    for (uint32_t h = 0; h < hosts; h++) {
        AddSwitch(f, &at[h]);
        Link(f, h, at[h], k50GiBps, 0);
    }
    for (uint32_t n : sizes) {
        for (uint32_t h = 0; h < hosts; h++) {
            uint32_t x = h / stride % n, next = h - x * stride + (x + 1) % n * stride;
            if (n > 2 || x == 0)
                Link(f, at[h], at[next], k50GiBps, 500000);
        }
        stride *= n;
    }
}
/* A link between every two. */
inline void BuildFullyConnected(weft_fabric *f, uint32_t n, uint64_t rate_bps = k50GiBps,
                                int64_t delay_ps = 500000)
{
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            Link(f, a, b, rate_bps, delay_ps);
}

#endif
