/* SPDX-License-Identifier: GPL-2.0-only */
/* What ASTRA-sim asks of a network, of the adapter. */
#include "astra_sim/weft_network.hh"

#include "handlers.hh"

#include <gtest/gtest.h>

#include <memory>

namespace
{

using namespace WeftAdapters;

struct World {
    explicit World(const std::string &sent = "acknowledged")
        : fabric(AstraOptions("", kEightHosts, sent))
    {
        for (int r = 0; r < 8; r++)
            ranks.push_back(std::make_unique<NetworkApi>(r, fabric));
    }
    Once *On(std::function<void()> f)
    {
        handlers.push_back(std::make_unique<Once>(Once{std::move(f)}));
        return handlers.back().get();
    }
    void Send(int src, int dst, uint64_t bytes, int tag, std::function<void()> f)
    {
        ranks[static_cast<size_t>(src)]->sim_send(nullptr, bytes, 0, dst, tag, nullptr, Once::Call,
                                                  On(std::move(f)));
    }
    void Receive(int dst, int src, uint64_t bytes, int tag, std::function<void()> f)
    {
        ranks[static_cast<size_t>(dst)]->sim_recv(nullptr, bytes, 0, src, tag, nullptr, Once::Call,
                                                  On(std::move(f)));
    }
    void After(int rank, long double ns, std::function<void()> f)
    {
        ranks[static_cast<size_t>(rank)]->sim_schedule({AstraSim::NS, ns}, Once::Call,
                                                       On(std::move(f)));
    }
    long double Now()
    {
        return ranks[0]->sim_get_time().time_val;
    }
    void ExpectAllCalled() const
    {
        for (const auto &h : handlers)
            EXPECT_EQ(h->called, 1);
    }
    std::vector<std::unique_ptr<Once>> handlers;
    Fabric fabric;
    std::vector<std::unique_ptr<NetworkApi>> ranks;
};

TEST(AstraSimAdapter, TwoRanksInEitherOrder)
{
    long double received[2], sent[2];
    for (int receive_first = 0; receive_first < 2; receive_first++) {
        World w;
        const auto post = [&] {
            w.Receive(1, 0, 100000, 7, [&] { received[receive_first] = w.Now(); });
        };
        if (receive_first)
            post();
        w.Send(0, 1, 100000, 7, [&] { sent[receive_first] = w.Now(); });
        if (!receive_first)
            post();
        EXPECT_TRUE(w.fabric.Run().empty());
        w.ExpectAllCalled();
        EXPECT_LT(received[receive_first], sent[receive_first]); /* by an acknowledgement */
    }
    EXPECT_EQ(received[0], received[1]);
    EXPECT_EQ(sent[0], sent[1]);
}

TEST(AstraSimAdapter, SendersMayBeToldAtTheDelivery)
{
    World w("delivered");
    long double sent = 0, received = 1;
    w.Receive(1, 0, 100000, 7, [&] { received = w.Now(); });
    w.Send(0, 1, 100000, 7, [&] { sent = w.Now(); });
    EXPECT_TRUE(w.fabric.Run().empty());
    EXPECT_EQ(sent, received);
}

/* A second receive with an equal key replaced the first one in several backends. */
TEST(AstraSimAdapter, EqualKeysAndSizes)
{
    World w;
    std::vector<int> order;
    for (int i = 0; i < 3; i++)
        w.Receive(1, 0, 5000, 7, [&order, i] { order.push_back(i); });
    for (int i = 0; i < 3; i++)
        w.Send(0, 1, 5000, 7, [] {});
    EXPECT_TRUE(w.fabric.Run().empty());
    w.ExpectAllCalled();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(AstraSimAdapter, HandlersPostAtTheirTime)
{
    World w;
    int hops = 0;
    long double last = 0;
    std::function<void(int)> pass = [&](int at) {
        const int next = (at + 1) % 8;
        if (hops++ == 20)
            return;
        w.Receive(next, at, 1000, 3, [&, next] {
            EXPECT_GT(w.Now(), last);
            last = w.Now();
            w.After(next, 100, [&, next] {
                EXPECT_NEAR(static_cast<double>(w.Now() - last), 100, 1e-9);
                pass(next);
            });
        });
        w.Send(at, next, 1000, 3, [] {});
    };
    pass(0);
    EXPECT_TRUE(w.fabric.Run().empty());
    w.ExpectAllCalled();
    EXPECT_EQ(hops, 21);
}

TEST(AstraSimAdapter, WhatIsNotSentIsNamed)
{
    World w;
    w.Receive(1, 0, 1000, 3, [] {});
    w.After(0, 5, [] {});
    EXPECT_EQ(w.fabric.Run(),
              std::vector<std::string>{"h1: receive 0 waits for a message of h0, tag 3"});
    w.ranks[0]->sim_notify_finished();
    EXPECT_TRUE(w.ranks[0]->Finished());
    EXPECT_THROW(Fabric(AstraOptions("", {"topology.type=nothing"}, "delivered")),
                 std::runtime_error);
    EXPECT_THROW(AstraOptions("", {}, "often"), std::runtime_error);
    EXPECT_THROW(w.Send(0, 9, 1, 0, [] {}), std::runtime_error);
}

} // namespace
