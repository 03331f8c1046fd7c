/* SPDX-License-Identifier: GPL-2.0-only */
/* What a backend of other simulators must do: times, order, stops, errors by value. */
#include "net.h"

#include <cstdio>
#include <fstream>

#include <algorithm>
#include <random>

namespace
{

const uint32_t kAll = WEFT_STARTED | WEFT_SENT | WEFT_DELIVERED | WEFT_ACKNOWLEDGED;

TEST(LibSim, AMessageHasEachEventOnceInOrder)
{
    weft_sim_options o = {};
    o.events = WEFT_STARTED | WEFT_SENT;
    for (const char *backend : {"network.backend=packet", "network.backend=ideal"}) {
        Net net({backend}, o);
        ASSERT_TRUE(net.sim) << net.error.text;
        std::vector<int64_t> ids;
        for (uint32_t i = 0; i < 40; i++)
            ids.push_back(net.Send(i % 8, (i * 3 + 1) % 8, i * 997, 1000 * (i % 5), i % 3));
        EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
        const std::vector<weft_event> events = net.Take();
        EXPECT_EQ(events.size(), 160u) << backend;
        for (int64_t id : ids) {
            const int64_t started = Net::TimeOf(events, WEFT_STARTED, id),
                          sent = Net::TimeOf(events, WEFT_SENT, id),
                          delivered = Net::TimeOf(events, WEFT_DELIVERED, id),
                          acked = Net::TimeOf(events, WEFT_ACKNOWLEDGED, id);
            EXPECT_GE(started, 0);
            EXPECT_LE(started, sent);
            EXPECT_LE(sent, delivered);
            EXPECT_LE(delivered, acked);
        }
        EXPECT_TRUE(std::is_sorted(events.begin(), events.end(),
                                   [](const weft_event &a, const weft_event &b) {
                                       return std::make_tuple(a.time_ps, a.id, a.kind) <
                                              std::make_tuple(b.time_ps, b.id, b.kind);
                                   }));
        EXPECT_EQ(weft_sim_next(net.sim), WEFT_NEVER_PS);
    }
}

/* Each run goes on to where nothing is left; what is posted then takes as long as the first. */
TEST(LibSim, RunsToTheEndFollowEachOther)
{
    for (const char *setting : {"transport.type=roce", "transport.type=uet", "run.replay=off",
                                "run.threads=2", "network.backend=ideal"}) {
        Net net({setting});
        ASSERT_TRUE(net.sim) << net.error.text;
        std::vector<int64_t> took;
        for (int i = 0; i < 5; i++) {
            const int64_t now = weft_sim_now(net.sim), id = net.Send(0, 5, 100);
            ASSERT_EQ(net.Run(), WEFT_STOP_IDLE) << setting << ": " << weft_sim_error(net.sim);
            took.push_back(Net::TimeOf(net.Take(), WEFT_ACKNOWLEDGED, id) - now);
        }
        EXPECT_EQ(took, std::vector<int64_t>(5, took[0])) << setting;
    }
}

/* 1 MiB in 4 KiB packets of 4158 B with 20 B of preamble and gap at 400 Gbps: the NIC is done after
 * 256 of them. */
TEST(LibSim, AMessageHasLeftWhenItsPacketsAreSerialised)
{
    weft_sim_options o = {};
    o.events = WEFT_STARTED | WEFT_SENT;
    Net net({"transport.mtu=4096B", "congestion-control.name=none"}, o);
    ASSERT_TRUE(net.sim) << net.error.text;
    const int64_t id = net.Send(0, 5, 1 << 20, 500);
    net.Run();
    const std::vector<weft_event> events = net.Take();
    weft_link_stats link = {};
    ASSERT_EQ(weft_sim_link_stats(net.sim, "h0-s8", 0, &link), 0) << weft_sim_error(net.sim);
    EXPECT_EQ(Net::TimeOf(events, WEFT_STARTED, id), 500);
    EXPECT_EQ(Net::TimeOf(events, WEFT_SENT, id) - 500, link.busy_ps);
    EXPECT_EQ(link.payload_bytes, 1u << 20);
    weft_link_stats back = {};
    ASSERT_EQ(weft_sim_link_stats(net.sim, "s8-h0", 1, &back), 0);
    EXPECT_EQ(back.payload_bytes, link.payload_bytes);
    ASSERT_EQ(weft_sim_link_stats(net.sim, "h0-s8", 1, &back), 0);
    EXPECT_EQ(back.payload_bytes, 0u); /* acknowledgements */
    EXPECT_GT(back.packets, 0u);
}

TEST(LibSim, TimeStopsAreInclusiveAndTheClockSaysThem)
{
    Net net;
    const int64_t timer = weft_sim_timer(net.sim, 700, 9);
    EXPECT_EQ(net.Run(699), WEFT_STOP_TIME);
    EXPECT_EQ(weft_sim_now(net.sim), 699);
    EXPECT_EQ(weft_sim_next(net.sim), 700);
    EXPECT_TRUE(net.Take().empty());
    EXPECT_EQ(net.Run(700), WEFT_STOP_TIME);
    const std::vector<weft_event> events = net.Take();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].id, static_cast<uint64_t>(timer));
    EXPECT_EQ(events[0].user, 9u);
    EXPECT_EQ(events[0].time_ps, 700);
    EXPECT_EQ(net.Run(5000), WEFT_STOP_TIME); /* nothing is there, time passes */
    EXPECT_EQ(weft_sim_now(net.sim), 5000);
    EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
    EXPECT_EQ(net.Run(4000), WEFT_ERROR_INPUT);
    EXPECT_NE(std::string(weft_sim_error(net.sim)).find("the present is 5000 ps"),
              std::string::npos);
    EXPECT_EQ(net.Run(6000), WEFT_STOP_TIME); /* an error of a call is no end */
}

/* SimLLM's HTSIM-28: what follows from a completion could not start at its time. */
TEST(LibSim, SendingAtTheVeryTimeOfACompletionIsLegal)
{
    Net net;
    const int64_t first = net.Send(0, 5, 100000);
    ASSERT_EQ(net.Run(WEFT_NEVER_PS, WEFT_DELIVERED), WEFT_STOP_EVENT);
    const int64_t at_ps = Net::TimeOf(net.Take(), WEFT_DELIVERED, first);
    EXPECT_EQ(weft_sim_now(net.sim), at_ps);
    const int64_t second = net.Send(5, 0, 100000);
    ASSERT_EQ(net.Run(), WEFT_STOP_IDLE);
    const int64_t then_ps = Net::TimeOf(net.Take(), WEFT_DELIVERED, second);
    Net alone;
    alone.Send(0, 5, 100000);
    alone.Send(5, 0, 100000, at_ps);
    alone.Run();
    EXPECT_EQ(Net::TimeOf(alone.Take(), WEFT_DELIVERED, 1), then_ps);
}

TEST(LibSim, StopsAtMarkedMessagesAlone)
{
    Net net;
    net.Send(0, 1, 1000);
    weft_send m = {};
    m.src = 2;
    m.dst = 7;
    m.bytes = 500000;
    m.flags = WEFT_SEND_MARKED;
    const int64_t mine = weft_sim_send(net.sim, &m);
    ASSERT_EQ(net.Run(WEFT_NEVER_PS, WEFT_ACKNOWLEDGED, WEFT_RUN_MARKED), WEFT_STOP_EVENT);
    const std::vector<weft_event> events = net.Take();
    EXPECT_EQ(events.back().id, static_cast<uint64_t>(mine));
    EXPECT_EQ(events.back().kind, static_cast<uint32_t>(WEFT_ACKNOWLEDGED));
    EXPECT_EQ(events.size(), 4u);
}

TEST(LibSim, AStopEndsWithItsInstant)
{
    Net net({"network.backend=ideal", "ideal.contention=none"});
    for (uint32_t src = 0; src < 4; src++)
        net.Send(src, 7 - src, 4096);
    ASSERT_EQ(net.Run(WEFT_NEVER_PS, WEFT_DELIVERED), WEFT_STOP_EVENT);
    const std::vector<weft_event> events = net.Take();
    ASSERT_EQ(events.size(), 8u); /* all arrive at the same time */
    for (size_t i = 0; i < 8; i++)
        EXPECT_EQ(events[i].id, i / 2);
}

TEST(LibSim, EmptyAndOwnMessages)
{
    Net net;
    const int64_t empty = net.Send(0, 1, 0), own = net.Send(3, 3, 1 << 30, 44);
    EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
    const std::vector<weft_event> events = net.Take();
    EXPECT_GT(Net::TimeOf(events, WEFT_DELIVERED, empty), 0);
    EXPECT_EQ(Net::TimeOf(events, WEFT_DELIVERED, own), 44);
    EXPECT_EQ(Net::TimeOf(events, WEFT_ACKNOWLEDGED, own), 44);
}

TEST(LibSim, MessagesOfMoreThan4GiB)
{
    Net net({"network.backend=ideal"});
    const int64_t id = net.Send(0, 5, UINT64_C(5) << 30);
    EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
    const std::vector<weft_event> events = net.Take();
    /* at 400 Gbps, 20 ps a byte */
    EXPECT_GT(Net::TimeOf(events, WEFT_DELIVERED, id), INT64_C(20) * (INT64_C(5) << 30));
    EXPECT_EQ(events[0].bytes, UINT64_C(5) << 30);
}

TEST(LibSim, ErrorsAreValues)
{
    Net bad({"topology.typ=x"});
    EXPECT_EQ(bad.sim, nullptr);
    EXPECT_EQ(bad.error.code, WEFT_ERROR_INPUT);
    EXPECT_NE(std::string(bad.error.text).find("'typ'"), std::string::npos) << bad.error.text;
    Net absent({}, {}, "/does/not/exist.xml");
    EXPECT_EQ(absent.sim, nullptr);
    EXPECT_EQ(absent.error.code, WEFT_ERROR_IO);
    Net net;
    EXPECT_EQ(net.Send(0, 8, 1), WEFT_ERROR_INPUT);
    EXPECT_NE(std::string(weft_sim_error(net.sim)).find("hosts 0 to 7"), std::string::npos);
    EXPECT_EQ(net.Send(0, 1, 1, -1), WEFT_ERROR_INPUT);
    EXPECT_EQ(net.Send(0, 1, 1, 0, 1u << 20), WEFT_ERROR_INPUT);
    EXPECT_EQ(net.Recv(0, 1, 2), WEFT_ERROR_USAGE);
    EXPECT_EQ(net.Run(10, WEFT_SENT), WEFT_ERROR_USAGE);
    weft_link_stats link;
    EXPECT_EQ(weft_sim_link_stats(net.sim, "h0-h1", 0, &link), WEFT_ERROR_INPUT);
    EXPECT_EQ(weft_sim_set_link(net.sim, "0", WEFT_LINK_SLOWS, UINT64_C(1) << 60),
              WEFT_ERROR_INPUT);
    EXPECT_EQ(net.Send(0, 1, 1), 0); /* it goes on */
    EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
    weft_sim_options unknown = {};
    unknown.reserved[1] = 1;
    Net later({}, unknown);
    EXPECT_EQ(later.error.code, WEFT_ERROR_USAGE);
    Net sampled({"sample.what=queue"});
    EXPECT_EQ(sampled.error.code, WEFT_ERROR_INPUT) << sampled.error.text;
}

/* In place of a scenario: the same hosts as by settings that name the file. */
TEST(LibSim, ATopologyFileOfAnotherToolOpensANetwork)
{
    const struct {
        const char *kind, *text;
    } files[] = {{"hpcc", "4 1 3\n3\n0 3 100Gbps 1000ns 0\n1 3 100Gbps 1000ns 0\n2 3 100Gbps "
                          "1000ns 0\n"},
                 {"astra-network", "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50 ]\n"
                                   "latency: [ 500 ]\n"},
                 {"", "no topology\n"},
                 {"", "7 flows\n"}};
    for (const auto &f : files) {
        SCOPED_TRACE(f.text);
        const std::string kind = f.kind, path = testing::TempDir() + "weft_lib_topology_" + kind;
        std::ofstream(path) << f.text;
        Net net({}, {}, path.c_str());
        ASSERT_EQ(net.sim == nullptr, kind.empty()) << net.error.text;
        if (kind.empty()) {
            EXPECT_EQ(net.error.code, WEFT_ERROR_INPUT);
            continue;
        }
        Net named({"topology.type=" + kind, kind + ".file=" + path}, {}, "");
        ASSERT_TRUE(named.sim) << named.error.text;
        EXPECT_EQ(weft_sim_hosts(net.sim), weft_sim_hosts(named.sim));
        for (Net *n : {&net, &named}) {
            n->Send(0, 2, 100000);
            EXPECT_EQ(n->Run(), WEFT_STOP_IDLE);
        }
        EXPECT_EQ(weft_sim_now(net.sim), weft_sim_now(named.sim));
        std::remove(path.c_str());
    }
}

TEST(LibSim, AFailedLinkHoldsMessagesUntilItWorks)
{
    Net net({}, with_receives());
    net.Recv(5, 0, 0);
    const int64_t id = net.Send(0, 5, 200000);
    ASSERT_EQ(weft_sim_set_link(net.sim, "h0-s8", WEFT_LINK_FAILS, 0), 0);
    EXPECT_EQ(net.Run(1000000000), WEFT_STOP_TIME);
    EXPECT_TRUE(net.Take().empty());
    const std::vector<std::string> said = net.Explain();
    ASSERT_GE(said.size(), 2u);
    EXPECT_NE(said[0].find("links down: h0-s8"), std::string::npos) << said[0];
    EXPECT_EQ(said.back(), "h5: receive 0 waits for a message of h0, tag 0");
    ASSERT_EQ(weft_sim_set_link(net.sim, "h0-s8", WEFT_LINK_WORKS, 0), 0);
    EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
    EXPECT_GT(Net::TimeOf(net.Take(), WEFT_DELIVERED, id), 1000000000);
    ASSERT_EQ(weft_sim_set_link(net.sim, "h0-s8", WEFT_LINK_FAILS, 0), 0); /* closed before it */
}

TEST(LibSim, ASlowLinkIsSlower)
{
    int64_t took_ps[2];
    for (int slow = 0; slow < 2; slow++) {
        Net net({"congestion-control.name=none"});
        if (slow) {
            ASSERT_EQ(weft_sim_set_link(net.sim, "h0-s8", WEFT_LINK_SLOWS, UINT64_C(100000000000)),
                      0);
        }
        const int64_t id = net.Send(0, 5, 1 << 22);
        net.Run();
        took_ps[slow] = Net::TimeOf(net.Take(), WEFT_DELIVERED, id);
    }
    EXPECT_NEAR(static_cast<double>(took_ps[1]) / static_cast<double>(took_ps[0]), 4, 0.2);
}

TEST(LibSim, FaultsOfTheScenarioHappen)
{
    int64_t took_ps[2];
    for (int fault = 0; fault < 2; fault++) {
        Net net({fault ? "fault.events=link-down link=h0-s8 at=5us until=900us" : "run.seed=1"});
        ASSERT_TRUE(net.sim) << net.error.text;
        const int64_t id = net.Send(0, 5, 1 << 20);
        EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
        took_ps[fault] = Net::TimeOf(net.Take(), WEFT_DELIVERED, id);
    }
    EXPECT_LT(took_ps[0], 900000000);
    EXPECT_GT(took_ps[1], 900000000);
}

TEST(LibSim, SumsCountWhatWasSent)
{
    Net net;
    for (uint32_t i = 0; i < 7; i++)
        net.Send(i, 7, 10000);
    weft_stats s = {};
    net.Run();
    weft_sim_stats(net.sim, &s);
    EXPECT_EQ(s.posted, 7u);
    EXPECT_EQ(s.acknowledged, 7u);
    EXPECT_EQ(s.bytes_delivered, 70000u);
    EXPECT_GE(s.packets, 7u * 3);
    EXPECT_GT(s.events, 0u);
}

/* The order of posting does not follow that of times. */
TEST(LibSim, WhatIsPostedInAnyOrderHappensInTheOrderOfTime)
{
    Net net;
    std::mt19937 draw(7);
    std::vector<int64_t> at;
    for (int i = 0; i < 5000; i++) {
        at.push_back(static_cast<int64_t>(draw() % 100000));
        ASSERT_EQ(weft_sim_timer(net.sim, at.back(), 0), i);
    }
    net.Run();
    const std::vector<weft_event> events = net.Take();
    ASSERT_EQ(events.size(), at.size());
    for (size_t i = 0; i < events.size(); i++) {
        EXPECT_EQ(events[i].time_ps, at[events[i].id]);
        if (i > 0) {
            EXPECT_LT(std::make_pair(events[i - 1].time_ps, events[i - 1].id),
                      std::make_pair(events[i].time_ps, events[i].id));
        }
    }
}

TEST(LibSim, AMillionOfEach)
{
    Net net({"network.backend=ideal"}, with_receives());
    for (int i = 0; i < 1000000; i++)
        ASSERT_EQ(net.Send(0, 5, 64, i), i);
    EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
    EXPECT_EQ(net.Take().size(), 2000000u);
    for (int i = 0; i < 1000000; i++)
        ASSERT_GT(net.Recv(5, 0, 0), 0);
    EXPECT_EQ(net.Take().size(), 1000000u);
}

} // namespace
