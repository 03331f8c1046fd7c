// SPDX-License-Identifier: GPL-2.0-only
// What every loss recovery owes: each message exactly once, in order, and then silence.
#ifndef WEFT_TESTS_ENGINE_ONCE_H
#define WEFT_TESTS_ENGINE_ONCE_H

#include "tables.h"
#include "world.h"

#include <map>
#include <set>
#include <tuple>

// Whether receivers answer a gap by NACKs.
inline bool HasNacks(const std::string &recovery)
{
    return recovery != "out-of-order" && recovery != "rud";
}

inline void ExpectAllOnceInOrder(const World &w, const std::string &what)
{
    auto t = w.Totals();
    EXPECT_EQ(w.received.size(), t.msgs_posted) << what;
    EXPECT_EQ(w.acked.size(), t.msgs_posted) << what;
    EXPECT_EQ(t.bytes_received, t.bytes_posted) << what;
    for (auto *log : {&w.received, &w.acked}) {
        std::set<uint64_t> ids;
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> last;
        for (auto &d : *log) {
            EXPECT_TRUE(ids.insert(d.id).second) << what << ": message " << d.id << " twice";
            auto qp = std::make_tuple(d.msg.src, d.msg.dst, d.msg.prio);
            EXPECT_TRUE(!last.count(qp) || last[qp] < d.id)
                << what << ": message " << d.id << " out of order";
            last[qp] = d.id;
        }
    }
    EXPECT_EQ(t.packets_in_flight, 0u) << what;
    EXPECT_EQ(weft_engine_next(w.e), WEFT_NEVER) << what;
}

#endif
