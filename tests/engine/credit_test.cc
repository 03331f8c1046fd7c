// SPDX-License-Identifier: GPL-2.0-only
// Credit-based flow control, against hand-computed times. A full frame is 4096 + 62 bytes, 4160 in
// credits of 64; on the wire 4178 bytes, 334240 ps at 100 Gbps; every link takes 1 us.
#include "world.h"

#include "base/rng.h"

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;
constexpr int64_t SER = 334240;
constexpr int64_t HOP = SER + US;

const char *SWITCH = "switch size=2 rate=100Gbps delay=1us flow-control=credit";
const char *CLOS = "leaf-spine leaves=2 spines=1 hosts-per-leaf=2 host-rate=100Gbps host-delay=1us "
                   "uplink-rate=100Gbps uplink-delay=1us flow-control=credit";

void ExpectLossless(const World &w)
{
    const auto t = w.Totals();
    for (uint64_t d : t.drops)
        EXPECT_EQ(d, 0u);
    EXPECT_EQ(t.sent[WEFT_PKT_PFC], 0u);
    EXPECT_EQ(t.retx_packets, 0u);
}

// When 16 packets from h0 have reached h1 over one switch.
int64_t Through(const Settings &engine, uint64_t packets = 16)
{
    World w("multi", {{"dimensions", SWITCH}}, engine);
    w.Build();
    w.Send(0, 1, packets * 4096);
    w.Run();
    ExpectLossless(w);
    EXPECT_EQ(w.received.size(), 1u);
    return w.received.empty() ? 0 : w.received[0].received_ps;
}

// A frame's credit is back after its time on the wire and two link delays, 2334240 ps; so n frames
// of buffer carry n frames in that time, until the link is full at 7.
TEST(Credit, ThroughputIsBufferOverLoop)
{
    const int64_t loop = SER + 2 * US;
    EXPECT_EQ(Through({{"credit.buffer", "4224B"}}), 15 * loop + 2 * HOP); // 1 frame, and 64 bytes
    EXPECT_EQ(Through({{"credit.buffer", "8320B"}}), 7 * loop + SER + 2 * HOP);
    EXPECT_EQ(Through({{"credit.buffer", "16640B"}}), 3 * loop + 3 * SER + 2 * HOP);
    EXPECT_EQ(Through({{"credit.buffer", "29120B"}}), 15 * SER + 2 * HOP); // 7 x 334240 > 2334240
    EXPECT_EQ(Through({}), 15 * SER + 2 * HOP); // the computed size is enough
}

// A credit frame of 64 + 20 bytes takes 6720 ps, which the loop gets longer.
TEST(Credit, FramesThatReturnCreditTakeTheirTime)
{
    const int64_t loop = SER + 2 * US + 6720;
    EXPECT_EQ(Through({{"credit.buffer", "4224B"}, {"credit.frame", "64B"}}), 15 * loop + 2 * HOP);
    // With the computed size the link is never idle; but ACKs need credit, too, whose frames share
    // it.
    const int64_t last = Through({{"credit.frame", "64B"}}, 64);
    EXPECT_GT(last, 63 * SER + 2 * HOP);
    EXPECT_LE(last, 63 * (SER + 6720) + 2 * HOP + SER);
}

// h0 and h1 over two more switches, and h3 next to it, send to h2, whose link is full from the
// first packet on. Each switch stops the one before it, down to the hosts, and no queue outgrows
// its buffers.
TEST(Credit, BackpressureReachesTheHostsThroughTwoSwitches)
{
    World w("multi", {{"dimensions", CLOS}}, {{"credit.buffer", "41600B"}});
    w.Build();
    const uint64_t n = 500;
    for (uint32_t src : {0u, 1u, 3u})
        w.Send(src, 2, n * 4096);
    w.Run();
    ExpectLossless(w);
    int64_t last = 0;
    for (const auto &d : w.received)
        last = std::max(last, d.received_ps);
    EXPECT_EQ(last, HOP + int64_t(3 * n) * SER + US);
    for (uint32_t p = 0; p < w.fabric->nports; p++) {
        struct weft_port_counters st;
        weft_engine_port_stats(w.e, p, &st);
        const uint32_t from = w.fabric->ports[p].node,
                       to = w.fabric->ports[w.fabric->ports[p].peer].node;
        const bool forth =
            from == 0 || from == 1 || from == 3 || (from == 4 && to == 6) || (from == 6 && to == 5);
        if (forth) {
            EXPECT_GT(st.paused_ps, last / 3) << from << " to " << to;
        }
        EXPECT_EQ(st.pauses, 0u);
        const uint32_t inputs = w.fabric->nodes[from].nports; // data of all, and ACKs of all
        EXPECT_LE(st.max_queue_bytes, inputs * 41600u);
    }
}

Settings Ring(const char *more = "")
{
    return {{"dimensions",
             std::string("ring size=6 rate=100Gbps delay=1us flow-control=credit ") + more}};
}

TEST(Credit, RingsNeedTheSecondChannelUnderCreditToo)
{
    World w("multi", Ring(), {{"pfc.enabled", "false"}, {"credit.buffer", "8320B"}});
    w.Build();
    for (uint32_t h = 0; h < 6; h++)
        w.Send(h, (h + 2) % 6, 100 * 4096);
    w.Run();
    ExpectLossless(w);
    EXPECT_EQ(w.received.size(), 6u);

    weft_err err = {};
    World one("multi", Ring("vcs=1"), {{"pfc.enabled", "false"}, {"credit.buffer", "8320B"}});
    EXPECT_EQ(weft_engine_check_config(&one.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("wait for each other in a circle"), std::string::npos)
        << err.msg;
}

TEST(Credit, ADeadlockIsFoundAndNamed)
{
    World w("multi", Ring("vcs=1"), {{"pfc.allow-deadlock", "true"}, {"credit.buffer", "8320B"}});
    w.Build();
    for (uint32_t h = 0; h < 6; h++)
        w.Send(h, (h + 2) % 6, 100 * 4096);
    weft_err err = {};
    while (weft_engine_next(w.e) < WEFT_PS_PER_S / 1000 && weft_engine_next(w.e) != WEFT_NEVER)
        ASSERT_EQ(weft_engine_run(w.e, weft_engine_next(w.e) + US), 0);
    ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
    char text[512];
    ASSERT_EQ(weft_engine_find_deadlock(w.e, text, sizeof text), 1);
    EXPECT_EQ(std::string(text).rfind("credit deadlock at priority 3: h0->h1 waits for h1->h2", 0),
              0u)
        << text;
    std::string all;
    weft_engine_explain(
        w.e, 20, [](void *c, const char *s) { *static_cast<std::string *>(c) += s; }, &all);
    EXPECT_NE(all.find("waits for credit since"), std::string::npos) << all;
}

// Lost frames give their credit back, and lost credit frames come again: it is all there in the end
// (the audit in Run), and everything arrives.
TEST(Credit, NoneIsLostWithFrames)
{
    for (const char *frame : {"0", "64B"})
        for (uint64_t seed : {1, 2, 3}) {
            World w("multi", {{"dimensions", CLOS}},
                    {{"credit.frame", frame},
                     {"transport.rto", "200us"},
                     {"transport.nack-interval", "20us"},
                     {"transport.retry-max", "0"}});
            weft_rng rng = weft_rng_stream(seed, "test-loss", 0);
            uint64_t lost[WEFT_PKT_KINDS] = {};
            w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
                const bool yes = weft_rng_f64(&rng) < 0.02;
                lost[v.kind] += yes;
                return yes;
            };
            w.Build();
            for (uint32_t h = 0; h < 4; h++)
                w.Send(h, (h + 2) % 4, 200 * 4096);
            w.Run();
            EXPECT_EQ(w.acked.size(), 4u);
            EXPECT_GT(lost[WEFT_PKT_DATA], 0u);
            EXPECT_EQ(lost[WEFT_PKT_CREDIT] > 0, frame[0] != '0');
            EXPECT_EQ(w.Totals().packets_in_flight, 0u);
        }
}

TEST(Credit, LinksThatFailAndReturnKeepTheirCredit)
{
    for (const char *frame : {"0", "64B"}) {
        World w(
            "multi",
            {{"dimensions",
              std::string(CLOS).replace(std::string(CLOS).find("spines=1"), 8, "spines=2")}},
            {{"credit.frame", frame}, {"transport.rto", "200us"}, {"transport.retry-max", "0"}});
        w.Build();
        for (uint32_t h = 0; h < 4; h++)
            w.Send(h, (h + 2) % 4, 1000 * 4096);
        weft_err err = {};
        for (int64_t at = 20 * US; at < 300 * US; at += 20 * US) {
            ASSERT_EQ(weft_engine_run(w.e, at), 0);
            weft_engine_set_now(w.e, at);
            ASSERT_EQ(SetLink(w.e, 4, at / (20 * US) % 2 == 0, &err), 0) << err.msg;
            ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
        }
        ASSERT_EQ(SetLink(w.e, 4, 1, &err), 0) << err.msg;
        w.Run();
        EXPECT_EQ(w.acked.size(), 4u) << frame;
        EXPECT_GT(w.Totals().drops[WEFT_DROP_LINK], 0u);
    }
}

// An NVLink switch under credit inside, PFC outside: a packet that crosses both obeys both.
TEST(Credit, DimensionsMayDiffer)
{
    World w(
        "multi",
        {{"dimensions", "switch size=4 rate=800Gbps delay=100ns flow-control=credit; switch size=4 "
                        "rate=100Gbps delay=1us"}},
        {{"switch.buffer", "1MiB"}});
    w.Build();
    for (uint32_t h = 1; h < 16; h++)
        w.Send(h, 0, 200 * 4096);
    w.Run();
    const auto t = w.Totals();
    EXPECT_EQ(w.acked.size(), 15u);
    EXPECT_EQ(t.drops[WEFT_DROP_BUFFER] + t.drops[WEFT_DROP_HEADROOM], 0u);
    for (const auto &p : w.pfc) // never on a link of dimension 0
        EXPECT_EQ(w.fabric->links[w.fabric->ports[p.port].link].dim, 1u);
}

TEST(Credit, ImpossibleSettingsAreErrors)
{
    const std::pair<Settings, const char *> wrong[] = {
        {{{"pfc.prios", "0"}}, "pfc.prios, which is empty"},
        {{{"transport.ack-ignores-pause", "true"}}, "without credit"},
        {{{"credit.buffer", "4000B"}}, "cannot hold a frame"},
    };
    for (const auto &[settings, why] : wrong) {
        World w("multi", {{"dimensions", SWITCH}}, settings);
        weft_err err = {};
        EXPECT_EQ(weft_engine_check_config(&w.config, &err), WEFT_E_INPUT);
        EXPECT_NE(std::string(err.msg).find(why), std::string::npos) << err.msg;
    }
}

} // namespace
