/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ideal duration of messages over TCP where links have different rates. Frames are those of
 * tcp_test.cc.
 */
#include "net_fixture.h"

#include <algorithm>

using namespace weft_test;

namespace
{

const uint64_t FRAMING = 16; /* before each part of a message */

int64_t Fct(const weft_completion &f)
{
    return f.received_ps - f.post_ps;
}

/* The ACK of the handshake goes before the data: they wait behind it at a link that is slower than
 * those before it. A message in one window, alone on a new connection or on an idle one, takes its
 * ideal time whatever the links are; none beats it. */
TEST(TcpIdeal, DataWaitBehindTheHandshakesAckAtSlowerLinks)
{
    const struct {
        const char *host, *uplink;
        int64_t host_ps, uplink_ps; /* per byte */
    } rates[] = {{"400Gbps", "400Gbps", 20, 20},
                 {"400Gbps", "100Gbps", 20, 80},
                 {"100Gbps", "10Gbps", 80, 800},
                 {"10Gbps", "400Gbps", 800, 20},
                 {"400Gbps", "1Gbps", 20, 8000}};
    for (auto &rate : rates) {
        Fabric f("leaf-spine", {{"leaves", "2"},
                                {"spines", "1"},
                                {"hosts-per-leaf", "1"},
                                {"host-rate", rate.host},
                                {"uplink-rate", rate.uplink},
                                {"uplink-delay", "100ns"}});
        for (uint64_t mtu : {576, 1500, 9000})
            for (uint64_t bytes : {1, 5, 20, 50, 120, 500, 521, 1000, 1445, 5000, 8945, 200000}) {
                SCOPED_TRACE(std::string(rate.host) + "/" + rate.uplink + " " +
                             std::to_string(mtu) + " " + std::to_string(bytes));
                Recorder r;
                Net n(f, "none",
                      {{"transport.type", "tcp"}, {"tcp.mtu", std::to_string(mtu) + "B"}},
                      r.observer());
                ASSERT_EQ(n.rc, 0) << n.error.msg;
                r.listen(n);
                const uint64_t segment = mtu - 40;
                const bool fits = bytes + FRAMING <= 10 * segment;
                for (int64_t k = 0; k < 2; k++) {
                    ASSERT_EQ(n.send(0, 1, bytes), 0);
                    ASSERT_EQ(n.run(), 0) << n.error.msg;
                    ASSERT_EQ(r.flows.size(), size_t(k + 1));
                    EXPECT_GE(Fct(r.flows[k]), r.flows[k].ideal_ps);
                    /* on the idle one a socket's time step more */
                    EXPECT_LE(Fct(r.flows[k]), fits ? r.flows[k].ideal_ps + k : INT64_MAX);
                }
                if (bytes + FRAMING > segment)
                    continue;
                /* links of hosts and uplinks, there and back; the ACK leaves the host, and after
                 * it the data the uplink */
                const int64_t per_byte = 2 * (rate.host_ps + rate.uplink_ps), delays = 2200000;
                const int64_t syn = 86 * per_byte + delays, data = int64_t(bytes) + 94;
                const int64_t waits = std::max<int64_t>(
                    84 * rate.host_ps, 84 * rate.uplink_ps - (data - 84) * rate.host_ps);
                EXPECT_EQ(r.flows[0].ideal_ps, 2 * syn + waits + data * per_byte + delays);
            }
        /* a second message at any time of the first one's handshake */
        for (int64_t at = 0; at < 40; at++)
            for (uint64_t bytes : {1, 3000}) {
                Recorder r;
                Net n(f, "none", {{"transport.type", "tcp"}}, r.observer());
                ASSERT_EQ(n.rc, 0) << n.error.msg;
                r.listen(n);
                ASSERT_EQ(n.send(0, 1, bytes), 0);
                ASSERT_EQ(n.run(at * 400000), 0) << n.error.msg;
                ASSERT_EQ(n.send(0, 1, 1), 0);
                ASSERT_EQ(n.run(), 0) << n.error.msg;
                ASSERT_EQ(r.flows.size(), 2u);
                for (auto &flow : r.flows)
                    EXPECT_GE(Fct(flow), flow.ideal_ps) << rate.host << " " << rate.uplink << at;
            }
    }
}

/* Data whose ACK of the handshake was lost don't wait for it: none beats its ideal time. */
TEST(TcpIdeal, NoneIsFasterWhereTheHandshakesAckIsLost)
{
    Fabric f("leaf-spine", {{"leaves", "2"},
                            {"spines", "1"},
                            {"hosts-per-leaf", "1"},
                            {"host-rate", "100Gbps"},
                            {"uplink-rate", "10Gbps"}});
    f.graph->links[0].error_rate = 0.2;
    Recorder r;
    Net n(f, "none", {{"transport.type", "tcp"}}, r.observer());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    int ideal = 0;
    for (uint32_t k = 0; k < 100; k++) {
        weft_msg msg = {0, 1, 1, k, {}, WEFT_PRIO_DEFAULT};
        msg.qp = k; /* a new connection */
        ASSERT_EQ(n.net->ops->send(n.net, &msg, &n.error), 0) << n.error.msg;
        ASSERT_EQ(n.run(), 0) << n.error.msg;
        ASSERT_EQ(r.flows.size(), size_t(k + 1));
        EXPECT_GE(Fct(r.flows[k]), r.flows[k].ideal_ps);
        ideal += Fct(r.flows[k]) == r.flows[k].ideal_ps;
    }
    EXPECT_GT(ideal, 30); /* nothing was lost */
    EXPECT_LT(ideal, 80);
}

} // namespace
