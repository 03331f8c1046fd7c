/* SPDX-License-Identifier: GPL-2.0-only */
/* What ATLAHS asks of a network, of the adapter. */
#include "atlahs/weft_atlahs.hh"

#include "handlers.hh"

#include <weft.h>

namespace
{

/* A computation of ATLAHS: an event of htsim. */
struct Compute : EventSource {
    Compute(EventList &list, std::function<void()> g)
        : EventSource(list, "compute"), f(std::move(g))
    {
    }
    void doNextEvent() override
    {
        f();
    }
    std::function<void()> f;
};

struct World {
    explicit World(const std::string &over = "delivered") : api(list, "", kEightHosts, over) {}
    ~World()
    {
        EventList::clear();
    }
    void Send(int from, int to, int bytes, uint32_t offset)
    {
        graph_node_properties node = {};
        node.host = static_cast<uint32_t>(from);
        node.target = static_cast<uint32_t>(to);
        node.size = static_cast<uint64_t>(bytes);
        node.offset = offset;
        api.Send(SendEvent(from, to, bytes, 3, EventList::now() / 1000), node);
    }
    EventList list;
    WeftAtlahsApi api;
};

weft_sim *open_library()
{
    std::vector<const char *> sets;
    for (const std::string &s : kEightHosts)
        sets.push_back(s.c_str());
    return weft_sim_open(nullptr, sets.data(), sets.size(), nullptr, nullptr);
}

void post(weft_sim *net, int from, int to, uint64_t bytes, int64_t delay_ps)
{
    weft_send s = {};
    s.src = static_cast<uint32_t>(from);
    s.dst = static_cast<uint32_t>(to);
    s.bytes = bytes;
    s.delay_ps = delay_ps;
    weft_sim_send(net, &s);
}

struct Posted {
    int from, to;
    uint64_t bytes;
    int64_t at_ps;
};

/* The times at which messages arrive, by the library alone. */
std::vector<int64_t> by_the_library(const std::vector<Posted> &messages, uint32_t kind)
{
    std::vector<int64_t> at(messages.size());
    weft_sim *net = open_library();
    for (const Posted &m : messages)
        post(net, m.from, m.to, m.bytes, m.at_ps);
    weft_sim_run(net, WEFT_NEVER_PS, 0, 0);
    for (weft_event e; weft_sim_take(net, &e, 1);)
        if (e.kind == kind)
            at[e.id] = e.time_ps;
    weft_sim_close(net);
    return at;
}

/* The time at which a message has gone on by so many hosts, by the library alone. */
int64_t relayed_by_the_library(int hops)
{
    weft_sim *net = open_library();
    for (int h = 0; h < hops; h++) {
        post(net, h % 8, (h + 1) % 8, 1000, 0);
        weft_sim_run(net, WEFT_NEVER_PS, WEFT_DELIVERED, 0);
    }
    const int64_t at = weft_sim_now(net);
    weft_sim_close(net);
    return at;
}

TEST(Atlahs, MessagesAndComputationsShareOneClock)
{
    for (const bool delivered : {true, false}) {
        /* sends at two times of htsim, the second while the first messages are under way */
        const std::vector<Posted> messages = {
            {0, 4, 100000, 0}, {1, 4, 100000, 0}, {2, 4, 5000, 3000000}, {3, 7, 1, 3000000}};
        World w(delivered ? "delivered" : "acknowledged");
        std::vector<int64_t> at(messages.size());
        w.api.finished = [&](const EventOver &e) {
            EXPECT_EQ(e.event_type, AtlahsEventType::SEND_EVENT_OVER);
            EXPECT_EQ(e.node->host, static_cast<uint32_t>(e.getFrom()));
            EXPECT_EQ(at[e.node->offset], 0);
            at[e.node->offset] = static_cast<int64_t>(EventList::now());
        };
        Compute later(w.list, [&] {
            w.Send(2, 4, 5000, 2);
            w.Send(3, 7, 1, 3);
        });
        EventList::sourceIsPending(later, 3000000);
        w.Send(0, 4, 100000, 0);
        w.Send(1, 4, 100000, 1);
        while (EventList::doNextEvent())
            ;
        EXPECT_EQ(at, by_the_library(messages, delivered ? WEFT_DELIVERED : WEFT_ACKNOWLEDGED));
    }
}

/* ATLAHS posts what follows from a message, and from a computation, at the same time. */
TEST(Atlahs, WhatFollowsIsPostedAtTheTimeOfItsCause)
{
    World w;
    std::vector<uint64_t> starts;
    int hops = 0;
    w.api.finished = [&](const EventOver &e) {
        if (++hops < 10)
            w.Send(e.getTo(), (e.getTo() + 1) % 8, 1000, 0);
        starts.push_back(EventList::now());
    };
    Compute ticks(w.list, [&] {
        if (hops < 10)
            EventList::sourceIsPending(ticks, EventList::now() + 1000);
    });
    EventList::sourceIsPending(ticks, 0); /* htsim is never without an event */
    w.Send(0, 1, 1000, 0);
    while (EventList::doNextEvent())
        ;
    EXPECT_EQ(hops, 10);
    EXPECT_EQ(static_cast<int64_t>(starts.back()), relayed_by_the_library(10));
}

TEST(Atlahs, NicsAreHosts)
{
    World w;
    w.api.setNumberNic(2);
    uint64_t over = 0;
    w.api.finished = [&](const EventOver &) { over = EventList::now(); };
    graph_node_properties node = {};
    node.nic = 1;
    w.api.Send(SendEvent(1, 2, 1000, 0, 0), node); /* from host 3 to host 5, by the spine */
    while (EventList::doNextEvent())
        ;
    EXPECT_EQ(static_cast<int64_t>(over), by_the_library({{3, 5, 1000, 0}}, WEFT_DELIVERED)[0]);
}

TEST(Atlahs, ErrorsAreThrown)
{
    EventList list;
    EXPECT_THROW(WeftAtlahsApi(list, "/does/not/exist.xml", {}), std::runtime_error);
    World w;
    EXPECT_THROW(w.Send(0, 8, 1, 0), std::runtime_error);
}

} // namespace
