/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages over ns-3's TCP through net.h.
 *
 * A segment of n bytes is a frame of n + 20 (TCP) + 20 (IPv4) + 18 (Ethernet), at least 64, and
 * occupies 20 more bytes of the wire. A SYN has 8 bytes of options (window scale, SACK permitted)
 * and no payload. Each part of a message begins with 16 bytes that say what it is.
 */
#include "net_fixture.h"

#include <algorithm>
#include <map>

using namespace weft_test;

namespace
{

const char *const VARIANTS[] = {"newreno", "cubic", "dctcp", "bbr"};
const int64_t DELAY = 1000000, BYTE_PS = 80; /* 100 Gbps */
const uint64_t HEADERS = 58, GAP = 20, SEGMENT = 1460, FRAMING = 16;
const int64_t SYN_TIME = 2 * ((28 + 20 + 18 + GAP) * BYTE_PS + DELAY); /* over two links */
const int64_t ACK_PS = 84 * BYTE_PS;

/* @p n hosts on one switch at 100 Gbps, everything over TCP. */
struct Star : Fabric {
    explicit Star(uint32_t n)
        : Fabric("single-switch",
                 {{"hosts", std::to_string(n)}, {"rate", "100Gbps"}, {"delay", "1us"}})
    {
    }
    uint32_t egress(uint32_t host) const /* the port of the switch that leads to a host */
    {
        return graph->ports[graph->nodes[graph->hosts[host]].first_port].peer;
    }
};

Settings Tcp(const Settings &more = {})
{
    Settings s = {{"transport.type", "tcp"}};
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

int64_t Fct(const weft_completion &f)
{
    return f.received_ps - f.post_ps;
}

/* Two links, frames of @p bytes of a stream: the last frame follows the others on the second one.
 */
int64_t Ideal(uint64_t bytes)
{
    const uint64_t n = (bytes - 1) / SEGMENT, tail = bytes - n * SEGMENT;
    const int64_t full = (SEGMENT + HEADERS + GAP) * BYTE_PS;
    const int64_t last = (std::max<uint64_t>(64, tail + HEADERS) + GAP) * BYTE_PS;
    return int64_t(n) * full + (n ? std::max(full - last, int64_t(0)) : 0) + 2 * (last + DELAY);
}

std::vector<weft_net_connection> Connections(const Net &n)
{
    std::vector<weft_net_connection> all;
    n.net->ops->connections(
        n.net,
        [](void *ctx, const weft_net_connection *c) {
            static_cast<std::vector<weft_net_connection> *>(ctx)->push_back(*c);
        },
        &all);
    return all;
}

class Variants : public ::testing::TestWithParam<const char *>
{
};

/* A long message comes bit by bit, without its framing. */
TEST(Tcp, WhatHasArrivedGrowsBeforeAMessageIsComplete)
{
    Star f(2);
    Recorder r;
    Net n(f, "none", Tcp(), r.observer());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    const uint64_t bytes = 10000000;
    ASSERT_EQ(n.send(0, 1, bytes), 0) << n.error.msg;
    uint64_t before = 0, steps = 0;
    for (int64_t t = 10; r.flows.empty() && t < 100000; t += 10) {
        ASSERT_EQ(n.run(t * 1000000), 0) << n.error.msg;
        const uint64_t now = weft_net_arrived_bytes(n.net);
        EXPECT_GE(now, before);
        EXPECT_LE(now, bytes);
        steps += now > before && now < bytes;
        before = now;
    }
    EXPECT_GT(steps, 10u);
    EXPECT_EQ(before, bytes);
    EXPECT_EQ(n.totals().bytes_received, bytes);
}

/* Looks find a connection stuck when nothing of what is posted was acknowledged for the time given,
 * 64 timeouts (of 3 s at least) and what slow links take; every byte starts that time anew. */
TEST(Tcp, LooksTellStuckConnectionsFromSlowOnes)
{
    Star f(3);
    Recorder r;
    Net n(f, "none", Tcp(), r.observer());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    const int64_t s = WEFT_PS_PER_S;
    std::vector<std::string> said;
    auto stuck = [&](int64_t at_ps) { return n.net->ops->stuck(n.net, at_ps, s); };
    auto named = [&] {
        said.clear();
        return n.net->ops->explain_stuck(
            n.net, 10,
            [](void *to, const char *text) {
                static_cast<std::vector<std::string> *>(to)->push_back(text);
            },
            &said);
    };
    EXPECT_EQ(stuck(0), 0); /* nothing is under way */
    ASSERT_EQ(n.send(0, 1, 100000000), 0) << n.error.msg;
    ASSERT_EQ(n.send(2, 1, 1000), 0) << n.error.msg;
    ASSERT_EQ(n.run(1000000), 0) << n.error.msg; /* not connected yet */
    EXPECT_EQ(stuck(1000000), 0);
    EXPECT_EQ(stuck(190 * s), 0);
    EXPECT_EQ(named(), 0u);
    EXPECT_EQ(stuck(200 * s), 1);
    ASSERT_EQ(named(), 2u);
    EXPECT_NE(said[0].find("h0 -> h1 over TCP: no byte acknowledged since 1 us"), std::string::npos)
        << said[0];
    EXPECT_NE(said[0].find("not connected yet"), std::string::npos) << said[0];
    ASSERT_EQ(n.run(1000000000), 0) << n.error.msg; /* bytes have come; the short message is over */
    EXPECT_EQ(stuck(200 * s), 0);
    EXPECT_EQ(named(), 0u);
    EXPECT_EQ(stuck(500 * s), 1);
    EXPECT_EQ(named(), 1u);
    ASSERT_EQ(n.run(), 0) << n.error.msg;
    EXPECT_EQ(stuck(1000 * s), 0);
    EXPECT_EQ(r.flows.size(), 2u);
}

TEST(Tcp, SmallMessagesToThePicosecond)
{
    Star f(2);
    Recorder r;
    Net n(f, "none", Tcp(), r.observer());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    for (uint64_t tag : {0, 1}) {
        ASSERT_EQ(n.send(0, 1, 1000, tag), 0) << n.error.msg;
        ASSERT_EQ(n.run(), 0) << n.error.msg;
    }
    ASSERT_EQ(r.flows.size(), 2u);
    const int64_t alone = 2 * ((1000 + FRAMING + HEADERS + GAP) * BYTE_PS + DELAY);
    /* The first waits for SYN and SYN-ACK, and for the ACK of the handshake to leave. */
    EXPECT_EQ(Fct(r.flows[0]), 2 * SYN_TIME + ACK_PS + alone);
    EXPECT_EQ(Fct(r.flows[1]),
              alone + 1); /* a socket sends one time step after it was given data */
    EXPECT_EQ(r.flows[0].ideal_ps, Fct(r.flows[0]));
    EXPECT_EQ(r.flows[1].ideal_ps, alone);
    for (auto &flow : r.flows) {
        EXPECT_EQ(flow.acked_ps - flow.received_ps, 2 * (ACK_PS + DELAY));
        EXPECT_EQ(flow.retx_bytes, 0u);
    }
    const weft_totals t = n.totals();
    EXPECT_EQ(t.msgs_acked, 2u);
    EXPECT_EQ(t.bytes_received, 2000u);
    EXPECT_EQ(weft_net_arrived_bytes(n.net), 2000u);
    EXPECT_EQ(t.sent[WEFT_PKT_DATA], 2u);
    EXPECT_EQ(n.check(), 0) << n.error.msg;

    const auto all = Connections(n);
    ASSERT_EQ(all.size(), 1u);
    const weft_net_connection &c = all[0];
    EXPECT_EQ(c.src, 0u);
    EXPECT_EQ(c.dst, 1u);
    EXPECT_EQ(c.opened_ps, 0);
    EXPECT_EQ(c.bytes, 2 * (1000 + FRAMING));
    EXPECT_EQ(c.segments, 2u);
    EXPECT_EQ(c.retx_segments + c.retx_bytes + c.drops + c.timeouts + c.ecn_echoes, 0u);
    EXPECT_EQ(c.cwnd_min_bytes, 10 * SEGMENT);
    if (ns3_since(42)) { /* it does not grow while the application has nothing to send */
        EXPECT_EQ(c.cwnd_max_bytes, 10 * SEGMENT);
    } else {
        EXPECT_GT(c.cwnd_max_bytes, 10 * SEGMENT);
        EXPECT_LE(c.cwnd_max_bytes, 12 * SEGMENT); /* two ACKs in slow start */
    }
    EXPECT_EQ(c.cwnd_bytes, c.cwnd_max_bytes);
    EXPECT_EQ(c.busy_ps, 2 * SYN_TIME + ACK_PS + 2 * alone + 1 + 4 * (ACK_PS + DELAY));
    EXPECT_GE(c.srtt_ps, SYN_TIME);
    EXPECT_LE(c.srtt_ps, 2 * SYN_TIME + alone);
    EXPECT_EQ(n.net->ops->explain(n.net, 9, nullptr, nullptr), 0u);
}

/* An empty fabric costs headers, the handshake, and a window that must grow to rate x round trip: a
 * handful of round trips of 4.3 us. */
TEST_P(Variants, OneFlowFillsTheLink)
{
    Star f(2);
    Recorder r;
    Net n(f, "none", Tcp({{"transport.variant", GetParam()}}), r.observer());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    const uint64_t bytes = 32 << 20;
    ASSERT_EQ(n.send(0, 1, bytes), 0);
    ASSERT_EQ(n.run(), 0) << n.error.msg;
    ASSERT_EQ(r.flows.size(), 1u);
    EXPECT_GE(Fct(r.flows[0]), Ideal(bytes + FRAMING) + 2 * SYN_TIME);
    EXPECT_LE(Fct(r.flows[0]), Ideal(bytes + FRAMING) + 12 * 4300000);
    EXPECT_GE(Fct(r.flows[0]), r.flows[0].ideal_ps);
    EXPECT_LE(double(Fct(r.flows[0])), 1.02 * double(r.flows[0].ideal_ps));
    const double gbps = 8000. * double(bytes) / double(Fct(r.flows[0]));
    EXPECT_NEAR(gbps, 100. * SEGMENT / (SEGMENT + HEADERS + GAP), 0.02 * 100);
    EXPECT_EQ(n.totals().retx_packets, 0u);
    const uint64_t segments = (bytes + FRAMING - 1) / SEGMENT + 1;
    EXPECT_GE(n.totals().sent[WEFT_PKT_DATA], segments);
    EXPECT_LE(n.totals().sent[WEFT_PKT_DATA],
              segments + 1); /* a short one at the end of a full buffer */
    EXPECT_EQ(n.check(), 0) << n.error.msg;
}

/* A message alone, on a new connection or on one that is idle, takes its ideal time as long as it
 * fits into a window: the handshake and its segments. Longer ones come close, but for BBR, which
 * paces. Behind another message none beats it, however small the send buffer is. */
TEST_P(Variants, AMessageAloneHasASlowdownOfOne)
{
    for (const char *buffer : {"4KiB", "4MiB"})
        for (uint64_t bytes : {0, 1, 1444, 1445, 14584, 14585, 30000, 100000, 400000, 2000000}) {
            SCOPED_TRACE(std::string(buffer) + " " + std::to_string(bytes));
            Star f(3);
            Recorder r;
            Net n(f, "none", Tcp({{"transport.variant", GetParam()}, {"tcp.send-buffer", buffer}}),
                  r.observer());
            ASSERT_EQ(n.rc, 0) << n.error.msg;
            r.listen(n);
            for (int k = 0; k < 2; k++) {
                ASSERT_EQ(n.send(0, 1, bytes), 0);
                ASSERT_EQ(n.run(), 0) << n.error.msg;
            }
            for (uint64_t size : {bytes, UINT64_C(700), UINT64_C(1500), bytes})
                ASSERT_EQ(n.send(0, 1, size), 0);
            ASSERT_EQ(n.run(), 0) << n.error.msg;
            ASSERT_EQ(r.flows.size(), 6u);
            for (auto &flow : r.flows)
                EXPECT_GE(Fct(flow), flow.ideal_ps);
            for (int k = 0; k < 2; k++) {
                const double slowdown = double(Fct(r.flows[k])) / double(r.flows[k].ideal_ps);
                const bool paces = std::string(GetParam()) == "bbr" && k > 0;
                if (bytes + FRAMING <= (buffer[1] == 'M' ? 10 * SEGMENT : 4096) && !paces) {
                    EXPECT_EQ(slowdown, k == 0 ? 1 : slowdown);
                    EXPECT_LE(Fct(r.flows[k]), r.flows[k].ideal_ps + 1); /* a socket's time step */
                } else if (buffer[1] == 'M' && std::string(GetParam()) != "bbr") {
                    EXPECT_LE(slowdown, 1.35); /* delayed ACKs; CUBIC leaves slow start early */
                }
            }
        }
}

/* 32 hosts to one, small buffers: segments are lost and come again; each message arrives once, in
 * order. */
TEST_P(Variants, IncastLosesAndRecovers)
{
    Star f(33);
    Recorder r;
    Net n(f, "none",
          Tcp({{"transport.variant", GetParam()},
               {"tcp.connections", "2"},
               {"tcp.min-rto", "1ms"},
               {"pfc.enabled", "false"},
               {"switch.reserve", "0"},
               {"switch.buffer", "256KiB"}}),
          r.observer());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    const uint64_t sizes[] = {100000, 0, 1, 65536};
    for (uint64_t k = 0; k < 4; k++)
        for (uint32_t host = 0; host < 32; host++)
            ASSERT_EQ(n.send(host, 32, sizes[k], 100 * host + k, host), 0);
    ASSERT_EQ(n.run(), 0) << n.error.msg;
    std::map<uint64_t, std::vector<uint64_t>> came;
    for (auto &e : r.log)
        if (e.what == "received")
            came[e.tag / 100].push_back(e.tag % 100);
    ASSERT_EQ(came.size(), 32u);
    for (auto &c : came)
        EXPECT_EQ(c.second, (std::vector<uint64_t>{0, 1, 2, 3})) << "from host " << c.first;
    const weft_totals t = n.totals();
    EXPECT_EQ(t.msgs_acked, 128u);
    EXPECT_EQ(t.bytes_received, 32u * 165537);
    EXPECT_GT(t.drops[WEFT_DROP_BUFFER], 0u);
    EXPECT_GT(t.rtos, 0u);
    EXPECT_GE(t.retx_packets, t.rtos);
    uint64_t retx = 0;
    for (auto &flow : r.flows) {
        EXPECT_GE(Fct(flow), flow.ideal_ps);
        retx += flow.retx_bytes;
    }
    EXPECT_GT(retx, 0u);
    EXPECT_EQ(n.check(), 0) << n.error.msg;

    const auto all = Connections(n);
    ASSERT_EQ(all.size(), 64u);
    weft_net_connection sum = {};
    for (size_t i = 0; i < all.size(); i++) {
        const weft_net_connection &c = all[i];
        EXPECT_EQ(c.src, i / 2);
        EXPECT_EQ(c.dst, 32u);
        EXPECT_EQ(c.number, i % 2);
        /* Parts of 100,000 and 65,536 bytes by both, of 0 and 1 by the first. */
        EXPECT_EQ(c.bytes, (c.number ? 2 * FRAMING : 4 * FRAMING + 1) + (100000 + 65536) / 2);
        EXPECT_GT(c.cwnd_min_bytes, 0u);
        EXPECT_LE(c.cwnd_min_bytes, c.cwnd_max_bytes);
        EXPECT_GT(c.srtt_ps, 0);
        EXPECT_GT(c.busy_ps, 0);
        sum.segments += c.segments;
        sum.retx_segments += c.retx_segments;
        sum.retx_bytes += c.retx_bytes;
        sum.drops += c.drops;
        sum.timeouts += c.timeouts;
    }
    EXPECT_EQ(sum.segments, t.sent[WEFT_PKT_DATA]);
    EXPECT_EQ(sum.retx_segments, t.retx_packets);
    EXPECT_EQ(sum.retx_bytes, retx);
    EXPECT_EQ(sum.timeouts, t.rtos);
    /* Besides data, what is lost on the way to the only receiver are SYNs and ACKs of handshakes.
     */
    EXPECT_LE(sum.drops, t.drops[WEFT_DROP_BUFFER]);
    EXPECT_GE(sum.drops + 2 * all.size(), t.drops[WEFT_DROP_BUFFER]);
    EXPECT_GE(sum.retx_segments, sum.drops);
    EXPECT_EQ(n.net->ops->explain(n.net, 9, nullptr, nullptr), 0u);
}

/* The same events, whether the run is one piece or thousands, under both SimulatorImpls. */
TEST_P(Variants, SlicesChangeNothing)
{
    Star f(9);
    std::vector<Recorder> runs(4);
    for (size_t k = 0; k < runs.size(); k++) {
        const int64_t slice = k < 2 ? WEFT_NEVER : k == 2 ? 777777 : 4300000;
        Net n(f, "none",
              Tcp({{"transport.variant", GetParam()},
                   {"ns3.simulator-impl", k % 2 ? "default" : "weft"},
                   {"tcp.min-rto", "300us"},
                   {"pfc.enabled", "false"},
                   {"switch.reserve", "0"},
                   {"switch.buffer", "128KiB"}}));
        ASSERT_EQ(n.rc, 0) << n.error.msg;
        runs[k].listen(n);
        for (uint64_t tag = 0; tag < 16; tag++)
            ASSERT_EQ(n.send(uint32_t(tag % 8), 8, 100000, tag), 0);
        int64_t until = 0;
        while (n.totals().msgs_acked < 16 && until < WEFT_PS_PER_S) {
            until = slice == WEFT_NEVER ? slice : until + slice;
            ASSERT_EQ(n.run(until), 0) << n.error.msg;
            EXPECT_LE(n.now(), until);
        }
        EXPECT_EQ(n.totals().msgs_acked, 16u);
        EXPECT_GT(n.totals().drops[WEFT_DROP_BUFFER], 0u);
        EXPECT_EQ(runs[k].log, runs[0].log) << "way " << k;
        EXPECT_EQ(n.check(), 0) << n.error.msg;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Variants, ::testing::ValuesIn(VARIANTS),
                         [](const auto &info) { return std::string(info.param); });

/* Four connections share the parts of each message; together they are as fast as one. */
TEST(Tcp, MessagesAreStripedOverConnections)
{
    Star f(2);
    Recorder r;
    Net n(f, "none", Tcp({{"tcp.connections", "4"}}), r.observer());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    const uint64_t bytes = 4 << 20;
    for (uint64_t tag = 0; tag < 4; tag++)
        ASSERT_EQ(n.send(0, 1, tag == 1 ? 100 : bytes, tag), 0);
    ASSERT_EQ(n.run(), 0) << n.error.msg;
    std::vector<uint64_t> tags;
    for (auto &e : r.log)
        if (e.what == "received")
            tags.push_back(e.tag);
    EXPECT_EQ(tags, (std::vector<uint64_t>{0, 1, 2, 3}));
    EXPECT_EQ(n.totals().bytes_received, 3 * bytes + 100);
    int64_t all = 0;
    for (auto &flow : r.flows)
        all = std::max(all, flow.received_ps);
    EXPECT_GE(all, Ideal(3 * (bytes + 4 * FRAMING)));
    EXPECT_LE(all, Ideal(3 * (bytes + 4 * FRAMING)) + 12 * 4300000);
    EXPECT_EQ(n.check(), 0) << n.error.msg;
}

/* Two DCTCP flows keep the queue of the port they share near the threshold, and nothing is lost. */
TEST(Tcp, DctcpKeepsTheQueueAtTheMarkingThreshold)
{
    Star f(3);
    const double K = 100000;
    Net n(f, "none",
          Tcp({{"transport.variant", "dctcp"},
               {"ecn.kmin", "100KB"},
               {"ecn.kmax", "100KB"},
               {"ecn.scale-rate", "0"}}));
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    for (uint32_t host : {0, 1})
        ASSERT_EQ(n.send(host, 2, 32 << 20), 0);
    double sum = 0, top = 0;
    int samples = 0;
    for (int64_t t = 1000000000; t < 4000000000; t += 1000000, samples++) { /* 1 ms to 4 ms */
        ASSERT_EQ(n.run(t), 0) << n.error.msg;
        const double q = double(n.net->ops->queue_bytes(n.net, f.egress(2), 0));
        sum += q;
        top = std::max(top, q);
    }
    EXPECT_GT(sum / samples, 0.6 * K);
    EXPECT_LT(sum / samples, 1.4 * K);
    EXPECT_LT(top, 2 * K);
    EXPECT_GT(n.totals().ecn_marks, 0u);
    EXPECT_GT(n.totals().sent[WEFT_PKT_CNP], 0u);
    ASSERT_EQ(n.run(), 0) << n.error.msg;
    EXPECT_EQ(n.totals().msgs_received, 2u);
    EXPECT_EQ(n.totals().drops[WEFT_DROP_BUFFER], 0u);
}

/* Marks of many connections do not shrink a window below two segments: below one, nothing would be
 * sent any more, and with one each segment would wait 40 ms for the receiver's delayed ACK (0.6 s
 * here; a single one may be left). */
TEST(Tcp, DctcpKeepsTwoSegmentsUnderPermanentMarks)
{
    for (const char *every : {"1", "2"}) {
        const int64_t delayed_ps = every[0] == '1' ? 0 : INT64_C(80000000000);
        Star f(17);
        Net n(f, "none",
              Tcp({{"transport.variant", "dctcp"},
                   {"tcp.mtu", "9000B"},
                   {"tcp.ack-every", every},
                   {"ecn.kmin", "10KB"},
                   {"ecn.kmax", "10KB"},
                   {"ecn.scale-rate", "0"}}));
        ASSERT_EQ(n.rc, 0) << n.error.msg;
        for (uint32_t host = 0; host < 16; host++)
            ASSERT_EQ(n.send(host, 16, 1 << 20), 0);
        ASSERT_EQ(n.run(), 0) << n.error.msg;
        EXPECT_EQ(n.totals().msgs_received, 16u) << every;
        EXPECT_GT(n.totals().ecn_marks, 500u);
        EXPECT_LT(n.net->ops->now_ps(n.net), 16 * (BYTE_PS << 20) * 13 / 10 + delayed_ps) << every;
    }
}

/* NewReno asks for marks only when told to. */
TEST(Tcp, EcnOnRequest)
{
    for (const char *ecn : {"false", "true"}) {
        Star f(3);
        Net n(f, "none",
              Tcp({{"transport.variant", "newreno"}, {"tcp.ecn", ecn}, {"ecn.scale-rate", "0"}}));
        ASSERT_EQ(n.rc, 0) << n.error.msg;
        for (uint32_t host : {0, 1})
            ASSERT_EQ(n.send(host, 2, 8 << 20), 0);
        ASSERT_EQ(n.run(), 0) << n.error.msg;
        EXPECT_EQ(n.totals().msgs_received, 2u);
        EXPECT_EQ(n.totals().ecn_marks > 0, std::string(ecn) == "true");
        EXPECT_EQ(n.totals().sent[WEFT_PKT_CNP] > 0, std::string(ecn) == "true");
    }
}

/* Priority 1 by TCP and priority 3 by RoCE share the port of their receiver by the weights of its
 * switch, and RoCE stays lossless. */
TEST(Tcp, RoceAndTcpShareAPortByWeight)
{
    for (const auto &w : {std::pair<std::string, double>{"1:1,3:3", 1. / 4}, {"1:2,3:1", 2. / 3}}) {
        Star f(3);
        Recorder r;
        Net n(f, "none",
              {{"transport.type", "roce"},
               {"transport.variant", "dctcp"},
               {"tcp.prios", "2"},
               {"ecn.prio-map", "1:200KB:200KB:1"},
               {"ecn.scale-rate", "0"},
               {"switch.weight-map", w.first}},
              r.observer());
        ASSERT_EQ(n.rc, 0) << n.error.msg;
        r.listen(n);
        const uint64_t size = 100000, messages = 500;
        for (uint64_t k = 0; k < messages; k++)
            for (uint32_t prio : {1u, 3u}) {
                const weft_msg m = {prio == 1, 2, size, prio, {k}, prio};
                ASSERT_EQ(n.net->ops->send(n.net, &m, &n.error), 0) << n.error.msg;
            }
        std::map<uint64_t, double> bytes;
        for (int64_t t : {WEFT_PS_PER_MS, 5 * WEFT_PS_PER_MS}) {
            ASSERT_EQ(n.run(t), 0) << n.error.msg;
            EXPECT_GT(n.net->ops->queue_bytes(n.net, f.egress(2), 1), 0u);
            EXPECT_GT(n.net->ops->queue_bytes(n.net, f.egress(2), 3), 0u);
            for (auto &e : r.log)
                if (e.what == "received")
                    bytes[e.tag] += (t > WEFT_PS_PER_MS ? 1 : 0) * double(size);
            r.log.clear();
        }
        /* 4 ms of 100 Gbps are 50 MB of wire; each frame is charged without the 20 bytes of its
         * gap. */
        const double tcp = w.second, roce = 1 - tcp;
        const double want_tcp = 50e6 * SEGMENT / (SEGMENT + HEADERS + GAP) * tcp;
        const double want_roce = 50e6 * 4096 / (4096 + 62 + 20) * roce;
        EXPECT_NEAR(bytes[1], want_tcp, 0.02 * want_tcp) << w.first;
        EXPECT_NEAR(bytes[3], want_roce, 0.02 * want_roce) << w.first;
        ASSERT_EQ(n.run(), 0) << n.error.msg;
        const weft_totals t = n.totals();
        EXPECT_EQ(t.msgs_received, 2 * messages);
        EXPECT_EQ(t.msgs_acked, 2 * messages);
        EXPECT_EQ(t.bytes_received, 2 * messages * size);
        EXPECT_EQ(t.drops[WEFT_DROP_HEADROOM] + t.drops[WEFT_DROP_BUFFER], 0u);
        EXPECT_GT(t.ecn_marks, 0u);
        EXPECT_EQ(r.flows.size(), 2 * messages);
        std::vector<bool> ids(2 * messages);
        for (auto &flow : r.flows) { /* numbers are those of the order posted: TCP even, RoCE odd */
            ASSERT_LT(flow.id, ids.size());
            EXPECT_FALSE(ids[flow.id]);
            ids[flow.id] = true;
            EXPECT_EQ(flow.id % 2, flow.msg.prio == 3);
        }
        EXPECT_EQ(n.check(), 0) << n.error.msg;
    }
}

/* What comes by one priority is answered by the next one, which no host has used before: the hosts
 * get ready for it while ns-3 has them receive. */
TEST(Tcp, AMessageIsAnsweredByAPriorityThatIsNew)
{
    Star f(2);
    Net n(f, "none", Tcp());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    struct Answers {
        Net *net;
        std::vector<uint32_t> prios;
    } answers{&n, {}};
    const weft_net_sink sink = {
        &answers, [](void *, const weft_completion *) {},
        [](void *ctx, const weft_completion *d) {
            auto *a = static_cast<Answers *>(ctx);
            a->prios.push_back(d->msg.prio);
            const weft_msg m = {d->msg.dst, d->msg.src, 1000, 0, {0}, d->msg.prio + 1};
            if (m.prio < 8) {
                EXPECT_EQ(a->net->net->ops->send(a->net->net, &m, &a->net->error), 0);
            }
        }};
    n.net->ops->set_sink(n.net, &sink);
    const weft_msg first = {0, 1, 1000, 0, {0}, 0};
    ASSERT_EQ(n.net->ops->send(n.net, &first, &n.error), 0) << n.error.msg;
    ASSERT_EQ(n.run(), 0) << n.error.msg;
    EXPECT_EQ(answers.prios, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(n.totals().msgs_acked, 8u);
    EXPECT_EQ(n.check(), 0) << n.error.msg;
}

/* 0.2, 0.4 ... 51.2 s and then 60 s each: the 16th timeout after the last segment is 522.2 s later
 * and ends the run, which says so. */
TEST(Tcp, AConnectionFailsAfterAllItsRetries)
{
    Star f(2);
    Net n(f, "none", Tcp());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    ASSERT_EQ(n.send(0, 1, 1 << 20), 0);
    ASSERT_EQ(n.run(50 * 1000000), 0) << n.error.msg;
    weft_link_change down = {};
    down.link = 1;
    down.kind = WEFT_LINK_DOWN;
    ASSERT_EQ(n.net->ops->change_links(n.net, &down, 1, &n.error), 0) << n.error.msg;
    EXPECT_EQ(n.run(), WEFT_E_OUTCOME);
    for (const char *says : {"h0 -> h1", "522.2 s", "tcp.retries"})
        EXPECT_NE(std::string(n.error.msg).find(says), std::string::npos) << n.error.msg;
    EXPECT_EQ(n.totals().rtos, 15u);
    EXPECT_GT(n.totals().drops[WEFT_DROP_LINK], 0u);
    EXPECT_EQ(n.net->ops->explain(n.net, 0, nullptr, nullptr), 1u);
}

/* Windows of three to six segments, filled to the last byte, and lost segments: ns-3 3.37 asks for
 * segments of no bytes then (TcpTxBuffer::NextSeg), which ended the program. */
TEST(Tcp, FullWindowsWithLossesDeliverEverything)
{
    for (const char *variant : VARIANTS) {
        for (const char *buffer : {"4097B", "4380B", "5840B", "8192B"}) {
            Star f(2);
            Net n(f, "none", Tcp({{"transport.variant", variant}, {"tcp.receive-buffer", buffer}}));
            ASSERT_EQ(n.rc, 0) << n.error.msg;
            weft_link_change errors = {};
            errors.link = 0;
            errors.kind = WEFT_LINK_BIT_ERRORS;
            errors.bit_error_rate = 3e-6;
            ASSERT_EQ(n.net->ops->change_links(n.net, &errors, 1, &n.error), 0) << n.error.msg;
            ASSERT_EQ(n.send(0, 1, 1000000), 0);
            ASSERT_EQ(n.run(), 0) << variant << " " << buffer << ": " << n.error.msg;
            const weft_totals t = n.totals();
            EXPECT_EQ(t.bytes_received, 1000000u) << variant << " " << buffer;
            EXPECT_GT(t.retx_packets, 0u) << variant << " " << buffer;
            EXPECT_EQ(n.check(), 0) << n.error.msg;
        }
    }
}

TEST(Tcp, UnfitCombinationsAreRefused)
{
    struct Case {
        Settings settings;
        const char *says;
    } cases[] = {
        {Tcp({{"transport.ack-ignores-pause", "true"}}), "ack-ignores-pause"},
        {Tcp({{"tcp.prio", "3"}, {"tcp.mtu", "9000B"}}), "headroom"},
        {Tcp({{"tcp.min-rto", "10ms"}, {"tcp.delayed-ack", "10ms"}}), "tcp.delayed-ack"},
        {{{"tcp.prios", "8"}, {"tcp.mtu", "9000B"}}, "headroom"},
        {Tcp({{"tcp.mtu", "9000B"}, {"tcp.receive-buffer", "8959B"}}), "8960 bytes"},
    };
    Star f(4);
    for (auto &c : cases) {
        Net n(f, "none", c.settings);
        EXPECT_EQ(n.rc, WEFT_E_INPUT);
        EXPECT_NE(std::string(n.error.msg).find(c.says), std::string::npos) << n.error.msg;
    }
    const uint32_t hosts[] = {0, 1, 2, 3};
    for (const char *prios : {"0", "8"}) {
        Net n(f, "none", {{"tcp.prios", prios}});
        uint32_t id;
        ASSERT_EQ(n.rc, 0) << n.error.msg;
        EXPECT_EQ(n.net->ops->group(n.net, hosts, 4, WEFT_PRIO_DEFAULT, &id, &n.error),
                  prios[0] == '0' ? 0 : WEFT_E_INPUT);
    }
    for (const char *set : {"mtu=1KiB", "flow-control=credit"}) {
        const std::string dims = std::string("switch size=2 ") + set + "; ring size=4";
        Fabric multi("multi", {{"dimensions", dims}});
        Net n(multi, "none", Tcp({{"tcp.mtu", "9000B"}}));
        EXPECT_EQ(n.rc, WEFT_E_INPUT);
        EXPECT_NE(std::string(n.error.msg).find("dimension 0 (switch)"), std::string::npos)
            << n.error.msg;
    }
}

} // namespace
