// SPDX-License-Identifier: GPL-2.0-only
// For tests that run one simulation in several ways: what they share, and whether two worlds are
// the same to the last counter and record.
#ifndef WEFT_TESTS_ENGINE_SAME_H
#define WEFT_TESTS_ENGINE_SAME_H

#include "world.h"

#include <cstring>
#include <tuple>

inline const Settings leafSpine = {
    {"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}, {"uplink-rate", "100Gbps"}};
inline const Settings tight = {
    {"switch.buffer", "400KB"}, {"pfc.headroom", "20KB"}, {"transport.mtu", "1000B"}};

inline Settings With(Settings a, const Settings &more)
{
    a.insert(a.end(), more.begin(), more.end());
    return a;
}

// Numbers of threads.
inline const unsigned threads[] = {2, 3, 5, 8};

inline void Same(const World &a, const World &b)
{
    for (uint32_t port = 0; port < a.fabric->nports; port++) {
        struct weft_port_counters s, t;
        weft_engine_port_stats(a.e, port, &s);
        weft_engine_port_stats(b.e, port, &t);
        ASSERT_EQ(memcmp(&s, &t, sizeof s), 0)
            << "port " << port << ", sent " << s.tx_packets << " and " << t.tx_packets;
        for (uint32_t prio = 0; prio < 8; prio++)
            ASSERT_EQ(weft_engine_queue_bytes(a.e, port, prio),
                      weft_engine_queue_bytes(b.e, port, prio));
    }
    auto s = a.Totals(), t = b.Totals();
    s.events = t.events = 0;
    s.windows = t.windows = 0;
    ASSERT_EQ(memcmp(&s, &t, sizeof s), 0);
    ASSERT_EQ(a.received.size(), b.received.size());
    for (size_t i = 0; i < a.received.size(); i++) {
        const auto &x = a.received[i], &y = b.received[i];
        ASSERT_EQ(
            std::tie(x.id, x.post_ps, x.received_ps, x.acked_ps, x.ideal_ps, x.retx_bytes, x.cnps),
            std::tie(y.id, y.post_ps, y.received_ps, y.acked_ps, y.ideal_ps, y.retx_bytes, y.cnps))
            << i;
        ASSERT_EQ(std::tie(x.qpn, x.first_byte, x.first_psn, x.packets),
                  std::tie(y.qpn, y.first_byte, y.first_psn, y.packets))
            << i;
    }
    ASSERT_EQ(a.acked.size(), b.acked.size());
    for (size_t i = 0; i < a.acked.size(); i++)
        ASSERT_EQ(std::tie(a.acked[i].id, a.acked[i].acked_ps),
                  std::tie(b.acked[i].id, b.acked[i].acked_ps))
            << i;
    ASSERT_EQ(a.pfc.size(), b.pfc.size());
    for (size_t i = 0; i < a.pfc.size(); i++) {
        const PfcEvent &x = a.pfc[i], &y = b.pfc[i];
        ASSERT_EQ(std::tie(x.t, x.port, x.prio, x.pause), std::tie(y.t, y.port, y.prio, y.pause))
            << i;
    }
}

#endif
