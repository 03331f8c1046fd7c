/* SPDX-License-Identifier: GPL-2.0-only */
/* The ideal backend against times worked out by hand. */
#include "net/net.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace
{

struct Event {
    std::string what;
    uint64_t tag;
    int64_t t_ps;
    bool operator==(const Event &o) const
    {
        return what == o.what && tag == o.tag && t_ps == o.t_ps;
    }
};

void PrintTo(const Event &e, std::ostream *os)
{
    *os << e.what << " " << e.tag << " at " << e.t_ps;
}

/* h0 -(100G, 1 us)- s2 -(40G, 2 us)- s3 -(100G, 1 us)- h1, and the third host, h2, on s2 */
class Ideal : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        f_ = weft_fabric_new();
        for (weft_node_kind k :
             {WEFT_NODE_HOST, WEFT_NODE_HOST, WEFT_NODE_SWITCH, WEFT_NODE_SWITCH, WEFT_NODE_HOST})
            ASSERT_EQ(weft_fabric_add_node(f_, k, k == WEFT_NODE_SWITCH, nullptr, &err_), 0);
        for (weft_fabric_link l : {weft_fabric_link{0, 2, 100000000000, 1000000, 0, 0},
                                   weft_fabric_link{2, 3, 40000000000, 2000000, 0, 0},
                                   weft_fabric_link{3, 1, 100000000000, 1000000, 0, 0},
                                   weft_fabric_link{2, 4, 100000000000, 1000000, 0, 0}})
            ASSERT_EQ(weft_fabric_add_link(f_, &l, nullptr, &err_), 0);
        ASSERT_EQ(weft_fabric_finish(f_, &err_), 0) << err_.msg;
    }
    void TearDown() override
    {
        if (net_)
            net_->ops->free(net_);
        weft_fabric_free(f_);
    }
    int Make(std::vector<std::pair<const char *, const char *>> settings = {})
    {
        const weft_net_section &s = weft_net_ideal.sections[0];
        params_.resize(weft_net_ideal.params_size);
        EXPECT_EQ(weft_params_defaults(&s.params, params_.data(), &err_), 0) << err_.msg;
        weft_params_set(&s.params, params_.data(), "contention", "none", &err_);
        for (auto &p : settings)
            EXPECT_EQ(weft_params_set(&s.params, params_.data(), p.first, p.second, &err_), 0)
                << err_.msg;
        weft_net_config c = {};
        c.fabric = f_;
        c.params = params_.data();
        c.observer = {this, OnFlow, nullptr};
        int rc = weft_net_ideal.check(&c, &err_);
        if (rc)
            return rc;
        rc = weft_net_ideal.create(&c, &net_, &err_);
        if (rc)
            return rc;
        weft_net_sink sink = {this, OnSent, OnReceived};
        net_->ops->set_sink(net_, &sink);
        return 0;
    }
    int Send(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag = 0,
             uint32_t prio = WEFT_PRIO_DEFAULT)
    {
        weft_msg m = {src, dst, bytes, tag, {100 + tag}, prio, 0, 1};
        return net_->ops->send(net_, &m, &err_);
    }
    std::vector<Event> Play(int64_t until = INT64_MAX)
    {
        EXPECT_EQ(net_->ops->run(net_, until, &err_), 0);
        weft_err err = {};
        EXPECT_EQ(net_->ops->check(net_, &err), 0) << err.msg;
        return std::exchange(events_, {});
    }
    int64_t Now() const
    {
        return net_->ops->now_ps(net_);
    }

    static void OnSent(void *ctx, const weft_completion *done)
    {
        Ideal *t = static_cast<Ideal *>(ctx);
        EXPECT_EQ(done->msg.token.number, 100 + done->msg.tag);
        EXPECT_EQ(done->msg.token_type, 1);
        EXPECT_EQ(done->msg.kind, WEFT_MSG_POINT_TO_POINT);
        t->events_.push_back({"sent", done->msg.tag, t->Now()});
    }
    static void OnReceived(void *ctx, const weft_completion *done)
    {
        Ideal *t = static_cast<Ideal *>(ctx);
        EXPECT_EQ(done->msg.token.number, 100 + done->msg.tag);
        EXPECT_EQ(done->msg.token_type, 1);
        EXPECT_EQ(done->msg.kind, WEFT_MSG_POINT_TO_POINT);
        EXPECT_EQ(done->received_ps, t->Now());
        EXPECT_LE(done->post_ps + done->ideal_ps, t->Now());
        t->events_.push_back({"received", done->msg.tag, t->Now()});
    }
    static void OnFlow(void *ctx, const weft_completion *f)
    {
        static_cast<Ideal *>(ctx)->flows_.push_back(*f);
    }
    static void OnTimer(void *ctx, uint64_t arg)
    {
        Ideal *t = static_cast<Ideal *>(ctx);
        t->events_.push_back({"timer", arg, t->Now()});
    }

    weft_fabric *f_ = nullptr;
    weft_net *net_ = nullptr;
    std::vector<char> params_;
    weft_err err_ = {};
    std::vector<Event> events_;
    std::vector<weft_completion> flows_;
};

using Events = std::vector<Event>;

TEST_F(Ideal, CutThroughIsDelaysPlusTheSlowestLink)
{
    ASSERT_EQ(Make(), 0) << err_.msg;
    ASSERT_EQ(Send(0, 1, 1000, 7), 0);
    // 4 us of delays; 8000 bit at 40 Gbit/s = 200 ns
    EXPECT_EQ(Play(), (Events{{"received", 7, 4200000}, {"sent", 7, 4200000}}));
    ASSERT_EQ(flows_.size(), 1u);
    EXPECT_EQ(flows_[0].ideal_ps, 4200000);
    EXPECT_EQ(flows_[0].acked_ps, flows_[0].received_ps);
    EXPECT_EQ(flows_[0].id, 0u);
}

TEST_F(Ideal, StoreAndForwardSerialisesOnEveryHop)
{
    ASSERT_EQ(Make({{"forwarding", "store-and-forward"}}), 0) << err_.msg;
    ASSERT_EQ(Send(0, 1, 1000), 0);
    // 4 us + 80 + 200 + 80 ns
    EXPECT_EQ(Play()[0].t_ps, 4360000);
}

TEST_F(Ideal, FlatTakesItsOwnNumbersAndFloors)
{
    ASSERT_EQ(Make({{"model", "flat"}, {"bandwidth", "50GiB/s"}, {"latency", "500ns"}}), 0);
    ASSERT_EQ(Send(0, 1, 1 << 20), 0);
    EXPECT_EQ(Play()[0].t_ps, 500000 + 19531250); // 2^20 / (50 * 2^30) s = 19.53125 us
    net_->ops->free(net_);
    net_ = nullptr;
    ASSERT_EQ(Make({{"model", "flat"},
                    {"bandwidth", "50GiB/s"},
                    {"latency", "500ns"},
                    {"quantum", "1ns"}}),
              0);
    ASSERT_EQ(Send(0, 1, 1 << 20), 0);
    EXPECT_EQ(Play()[0].t_ps, 20031000);
}

TEST_F(Ideal, NoContentionUnlessAskedFor)
{
    ASSERT_EQ(Make(), 0);
    Send(0, 1, 1000, 1);
    Send(0, 2, 1000, 2);
    Events e = Play();
    // to h2: 2 us + 80 ns, not held up by the message to h1
    EXPECT_EQ(e[0], (Event{"received", 2, 2080000}));
    EXPECT_EQ(e[2], (Event{"received", 1, 4200000}));
}

TEST_F(Ideal, SourceContentionQueuesAtTheSender)
{
    ASSERT_EQ(Make({{"contention", "source"}}), 0);
    Send(0, 1, 1000, 1); // h0's link is busy for 80 ns
    Send(0, 2, 1000, 2);
    Send(2, 0, 1000, 3); // another sender
    Events e = Play();
    EXPECT_EQ(e[0], (Event{"received", 3, 2080000}));
    EXPECT_EQ(e[2], (Event{"received", 2, 2160000}));
    EXPECT_EQ(e[4], (Event{"received", 1, 4200000}));
}

/* h0's and h2's messages to h1 meet on the link between the switches: 1000 B take 80 ns, there 200.
 */
TEST_F(Ideal, EveryLinkSendsOneMessageAfterTheOther)
{
    ASSERT_EQ(Make({{"contention", "links"}}), 0);
    Send(0, 1, 1000, 1); // alone 4 us + 200 ns; h0's link is busy for 80 ns
    Send(2, 1, 1000, 2); // comes to the switch at the same time, waits there for 200 ns
    Send(0, 2, 1000, 3);
    const Events e = Play();
    EXPECT_EQ(e[0], (Event{"received", 3, 2160000}));
    EXPECT_EQ(e[2], (Event{"received", 1, 4200000}));
    EXPECT_EQ(e[4], (Event{"received", 2, 4400000}));
    ASSERT_EQ(flows_.size(), 3u);
    EXPECT_EQ(flows_[0].delay_ps[WEFT_DELAY_NIC], 80000);
    EXPECT_EQ(flows_[1].delay_ps[WEFT_DELAY_NIC] + flows_[1].delay_ps[WEFT_DELAY_QUEUE], 0);
    EXPECT_EQ(flows_[2].delay_ps[WEFT_DELAY_NIC], 0);
    EXPECT_EQ(flows_[2].delay_ps[WEFT_DELAY_QUEUE], 200000);
}

TEST_F(Ideal, EveryLinkSendsWholeMessages)
{
    ASSERT_EQ(Make({{"contention", "links"}, {"forwarding", "store-and-forward"}}), 0);
    Send(0, 1, 1000, 1); // 1 us 80 ns, 2 us 200 ns, 1 us 80 ns
    Send(2, 1, 1000, 2);
    Send(0, 1, 1000, 3); // comes 80 ns behind the first, and is the third of that link
    const Events e = Play();
    EXPECT_EQ(e[0], (Event{"received", 1, 4360000}));
    EXPECT_EQ(e[2], (Event{"received", 2, 4560000}));
    EXPECT_EQ(e[4], (Event{"received", 3, 4760000}));
}

TEST_F(Ideal, MessagesOfAPairDoNotOvertake)
{
    ASSERT_EQ(Make(), 0);
    Send(0, 1, 100000, 1);
    Send(0, 1, 0, 2);    // would arrive first
    Send(0, 1, 0, 3, 5); // another class does
    EXPECT_EQ(Play(), (Events{{"received", 3, 4000000},
                              {"sent", 3, 4000000},
                              {"received", 1, 24000000},
                              {"sent", 1, 24000000},
                              {"received", 2, 24000000},
                              {"sent", 2, 24000000}}));
}

TEST_F(Ideal, TimersFireInOrderAndRunStopsAtItsBound)
{
    ASSERT_EQ(Make(), 0);
    for (uint64_t i = 0; i < 3; i++)
        ASSERT_EQ(net_->ops->after(net_, 5, OnTimer, this, i, &err_), 0);
    net_->ops->after(net_, 10, OnTimer, this, 9, &err_);
    EXPECT_EQ(Play(7), (Events{{"timer", 0, 5}, {"timer", 1, 5}, {"timer", 2, 5}}));
    EXPECT_EQ(Now(), 7);
    EXPECT_EQ(Play(), (Events{{"timer", 9, 10}}));
    EXPECT_EQ(net_->ops->after(net_, -1, OnTimer, this, 0, &err_), WEFT_E_LIMIT);
}

TEST_F(Ideal, StopEndsRunAfterTheCallback)
{
    ASSERT_EQ(Make(), 0);
    net_->ops->after(
        net_, 1, [](void *ctx, uint64_t) { ((weft_net *)ctx)->ops->stop((weft_net *)ctx); }, net_,
        0, &err_);
    net_->ops->after(net_, 1, OnTimer, this, 4, &err_);
    EXPECT_TRUE(Play().empty());
    EXPECT_EQ(Play().size(), 1u); // and can go on
}

TEST_F(Ideal, CountsAndExplains)
{
    ASSERT_EQ(Make(), 0);
    Send(0, 1, 1000, 1);
    Send(2, 1, 500, 2);
    std::vector<std::string> lines;
    uint64_t n = net_->ops->explain(
        net_, 1, [](void *ctx, const char *s) { ((std::vector<std::string> *)ctx)->push_back(s); },
        &lines);
    EXPECT_EQ(n, 2u);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].rfind("h2->h1 500B tag 2: on its way, arrives at ", 0), 0u) << lines[0];
    Play();
    weft_totals t;
    net_->ops->totals(net_, &t);
    EXPECT_EQ(t.msgs_posted, 2u);
    EXPECT_EQ(t.msgs_received, 2u);
    EXPECT_EQ(t.bytes_received, 1500u);
    weft_port_counters p;
    uint64_t into_h1 = 0;
    for (uint32_t port = 0; port < f_->nports; port++) {
        net_->ops->port_stats(net_, port, &p);
        if (f_->ports[port].node == 3 && f_->ports[f_->ports[port].peer].node == 1)
            into_h1 = p.tx_payload_bytes;
    }
    EXPECT_EQ(into_h1, 1500u);
}

TEST_F(Ideal, RefusesWhatMakesNoSense)
{
    auto fails = [&](std::vector<std::pair<const char *, const char *>> s, const char *what) {
        err_ = {};
        EXPECT_EQ(Make(s), WEFT_E_INPUT);
        EXPECT_NE(std::string(err_.msg).find(what), std::string::npos) << err_.msg;
    };
    fails({{"model", "flat"}}, "ideal.bandwidth=400Gbps");
    fails({{"latency", "1us"}}, "set ideal.model=flat");
    fails({{"bandwidth", "1Gbps"}}, "set ideal.model=flat");
    fails({{"model", "flat"}, {"bandwidth", "1Gbps"}, {"forwarding", "store-and-forward"}},
          "has no hops");
    fails({{"model", "flat"}, {"bandwidth", "1Gbps"}, {"contention", "links"}}, "has no links");
    fails({{"model", "flat"}, {"bandwidth", "1Gbps"}, {"equal-paths", "number"}}, "has no paths");
    ASSERT_EQ(Make(), 0);
    EXPECT_EQ(Send(0, 0, 1), WEFT_E_INPUT);
    EXPECT_EQ(Send(0, 3, 1), WEFT_E_INPUT);
    EXPECT_EQ(Send(0, 1, 1, 0, 8), WEFT_E_INPUT);
    EXPECT_EQ(Send(0, 1, UINT64_MAX), WEFT_E_LIMIT);
    EXPECT_TRUE(Play().empty());
}

} // namespace
