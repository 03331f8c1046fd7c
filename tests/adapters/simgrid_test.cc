/* SPDX-License-Identifier: GPL-2.0-only */
/* What SimGrid asks of a network model, of the model "weft". */
#include <simgrid_inside.hh>

#include "handlers.hh"

#include <weft.h>

#include <cmath>

namespace
{

using simgrid::kernel::EngineImpl;
using simgrid::kernel::resource::Action;
using simgrid::s4u::Host;

/* SimGrid with eight hosts, and what its loop does with a model. */
class SimGrid : public testing::Test
{
  protected:
    void SetUp() override
    {
        std::string settings;
        for (const std::string &s : kEightHosts)
            settings += (settings.empty() ? "" : ";") + s;
        *simgrid::config::Flag<std::string>::s_flags.at("weft/settings") = settings;
        ASSERT_EQ(surf_network_model_description.size(), 1u);
        ASSERT_STREQ(surf_network_model_description[0].name, "weft");
        EngineImpl::get_instance()->clock = 0;
        surf_network_model_description[0].init();
        for (int twice = 0; twice < 2; twice++)
            for (Host &h : hosts)
                Host::s_created.back()(h);
    }
    void TearDown() override
    {
        Host::s_created.clear();
        EngineImpl::get_instance()->root.network_model.reset();
    }
    simgrid::kernel::resource::NetworkModel &Model()
    {
        return *EngineImpl::get_instance()->root.network_model;
    }
    Action *Send(size_t src, size_t dst, double bytes)
    {
        actions.emplace_back(Model().communicate(&hosts[src], &hosts[dst], bytes, -1));
        return actions.back().get();
    }
    /* One turn of SimGrid's loop; @p most: seconds to its own next event, negative: it has none. */
    double Turn(double most)
    {
        const double delta = Model().next_occurring_event(most);
        if (delta >= 0) {
            EngineImpl::get_instance()->clock += delta;
            Model().update_actions_state(EngineImpl::get_clock(), delta);
        }
        return delta;
    }
    static bool Over(const Action *a)
    {
        return a->get_state() == Action::State::FINISHED;
    }
    static int64_t NowPs()
    {
        return std::llround(EngineImpl::get_clock() * 1e12);
    }

    std::vector<Host> hosts = std::vector<Host>(8);
    std::vector<std::unique_ptr<Action>> actions;
};

TEST_F(SimGrid, CommunicationsEndWhenWeftDeliversThem)
{
    /* by the library: the third starts when SimGrid's own event ends */
    std::vector<const char *> sets;
    for (const std::string &s : kEightHosts)
        sets.push_back(s.c_str());
    weft_sim *net = weft_sim_open(nullptr, sets.data(), sets.size(), nullptr, nullptr);
    const weft_send messages[] = {{0, 4, 1000000, 0, 0, 0, 0, 0, 0, 0},
                                  {1, 4, 1000000, 0, 0, 0, 0, 0, 0, 0},
                                  {2, 4, 500000, 0, 0, 20000000, 0, 0, 0, 0}};
    std::vector<int64_t> expected(3);
    for (const weft_send &m : messages)
        weft_sim_send(net, &m);
    weft_sim_run(net, WEFT_NEVER_PS, 0, 0);
    for (weft_event e; weft_sim_take(net, &e, 1);)
        if (e.kind == WEFT_DELIVERED)
            expected[e.id] = e.time_ps;
    weft_sim_close(net);

    std::vector<Action *> sent = {Send(0, 4, 1e6), Send(1, 4, 1e6)};
    EXPECT_EQ(Turn(20e-6), 20e-6);
    EXPECT_EQ(NowPs(), 20000000);
    sent.push_back(Send(2, 4, 5e5));
    std::vector<int64_t> ends(3);
    while (Turn(-1) >= 0)
        for (size_t i = 0; i < 3; i++)
            if (Over(sent[i]) && ends[i] == 0)
                ends[i] = NowPs();
    EXPECT_EQ(ends, expected);
    EXPECT_FALSE(Model().next_occurring_event_is_idempotent());
}

TEST_F(SimGrid, ACommunicationToTheSameHostAndACancelledOne)
{
    const Action *self = Send(3, 3, 1e6);
    Send(0, 4, 1e6);
    actions.pop_back(); /* it is cancelled, its message goes on */
    EXPECT_EQ(Turn(-1), 0);
    EXPECT_TRUE(Over(self));
    EXPECT_GT(Turn(-1), 0);
    EXPECT_EQ(Turn(-1), -1); /* nothing is left */
    EXPECT_EQ(Turn(0.5), 0.5);
    const Action *late = Send(0, 1, 1); /* long after weft was idle */
    const double before = EngineImpl::get_clock();
    while (Turn(-1) >= 0)
        ;
    EXPECT_TRUE(Over(late));
    EXPECT_GT(EngineImpl::get_clock(), before);
}

TEST_F(SimGrid, LinksHaveTheirNumbersAndWrongUseIsSaid)
{
    std::unique_ptr<simgrid::kernel::resource::StandardLinkImpl> link(
        Model().create_link("l", {1e9}));
    EXPECT_EQ(link->get_bandwidth(), 1e9);
    link->set_bandwidth(2e9);
    EXPECT_EQ(link->get_bandwidth(), 2e9);
    EXPECT_THROW(link->apply_event(nullptr, 1), std::runtime_error);
    EXPECT_THROW(Model().create_wifi_link("w", {1e9}), std::runtime_error);
    EXPECT_THROW(Model().communicate(&hosts[0], &hosts[1], 1, 1e6), std::runtime_error);
    Action *a = Send(0, 1, 1);
    EXPECT_THROW(a->suspend(), std::runtime_error);
    EXPECT_THROW(a->resume(), std::runtime_error);
    *simgrid::config::Flag<std::string>::s_flags.at("weft/settings") = "topology.type=nothing";
    EXPECT_THROW(surf_network_model_description[0].init(), std::runtime_error);
}

} // namespace
