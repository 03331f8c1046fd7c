/* SPDX-License-Identifier: GPL-2.0-only */
/* What SimAI asks of a network, of the adapter, by the protocol of weft serve. */
#include "simai/weft_network.hh"

#include "astra-sim/system/RecvPacketEventHadndlerData.hh"
#include "astra-sim/system/SendPacketEventHandlerData.hh"

#include "handlers.hh"
#include "tests/cli/program.h"

namespace
{

using namespace WeftAdapters;

/* What the handler of a receive or a send is given: its data comes first. */
template <class Data> struct Given {
    Data data;
    std::function<void(const AstraSim::ncclFlowTag &)> f;
    int called = 0;
    static void Call(void *arg)
    {
        Given *g = static_cast<Given *>(arg);
        EXPECT_EQ(g->called++, 0);
        g->f(g->data.flowTag);
    }
};

class SimAi : public testing::Test
{
  public:
    void SetUp() override
    {
        setenv("WEFT", (env_or_die("WEFT_BINARY_DIR") + "/frontend/cli/weft").c_str(), 1);
        Open("sent");
    }
    void Open(const std::string &sent)
    {
        fabric = std::make_unique<SimAiFabric>("", kEightHosts, sent);
        ranks.clear();
        for (int r = 0; r < 8; r++)
            ranks.push_back(std::make_unique<SimAiNetwork>(r, *fabric));
    }
    void Send(int src, int dst, uint64_t bytes, int tag, int flow,
              std::function<void(const AstraSim::ncclFlowTag &)> f)
    {
        AstraSim::sim_request request;
        request.flowTag.tag_id = tag;
        request.flowTag.current_flow_id = flow;
        request.flowTag.tree_flow_list = {flow, flow + 1};
        sends.push_back(std::make_unique<Given<AstraSim::SendPacketEventHandlerData>>());
        sends.back()->f = std::move(f);
        ranks[static_cast<size_t>(src)]->sim_send(nullptr, bytes, 0, dst, 99, &request,
                                                  Given<AstraSim::SendPacketEventHandlerData>::Call,
                                                  sends.back().get());
    }
    void Receive(int dst, int src, int tag, std::function<void(const AstraSim::ncclFlowTag &)> f)
    {
        receives.push_back(std::make_unique<Given<AstraSim::RecvPacketEventHadndlerData>>());
        receives.back()->f = std::move(f);
        receives.back()->data.flowTag.tag_id = tag;
        ranks[static_cast<size_t>(dst)]->sim_recv(
            nullptr, 1, 0, src, 98, nullptr, Given<AstraSim::RecvPacketEventHadndlerData>::Call,
            receives.back().get());
    }
    double Now() const
    {
        return ranks[0]->sim_get_time().time_val;
    }
    void RunAll()
    {
        EXPECT_EQ(fabric->fabric.Run(), std::vector<std::string>{});
        for (const auto &s : sends)
            EXPECT_EQ(s->called, 1);
        for (const auto &r : receives)
            EXPECT_EQ(r->called, 1);
    }

    std::unique_ptr<SimAiFabric> fabric;
    std::vector<std::unique_ptr<SimAiNetwork>> ranks;
    std::vector<std::unique_ptr<Given<AstraSim::SendPacketEventHandlerData>>> sends;
    std::vector<std::unique_ptr<Given<AstraSim::RecvPacketEventHadndlerData>>> receives;
};

TEST_F(SimAi, FlowTagsReachTheirReceivesInOrder)
{
    std::vector<int> flows;
    const auto note = [&](const AstraSim::ncclFlowTag &t) {
        flows.push_back(t.current_flow_id);
        EXPECT_EQ(t.tree_flow_list, (std::vector<int>{t.current_flow_id, t.current_flow_id + 1}));
    };
    Receive(1, 0, 5, note);
    for (int i = 0; i < 3; i++) /* equal keys, two of them before their receives */
        Send(0, 1, 3000, 5, 10 + i,
             [i](const AstraSim::ncclFlowTag &t) { EXPECT_EQ(t.current_flow_id, 10 + i); });
    Send(0, 1, 3000, 6, 20, [](const AstraSim::ncclFlowTag &) {});
    Receive(1, 0, 6, note);
    ranks[1]->sim_schedule(
        {AstraSim::NS, 1e6},
        [](void *arg) {
            SimAi *s = static_cast<SimAi *>(arg);
            EXPECT_EQ(s->Now(), 1e6);
            for (int i = 0; i < 2; i++)
                s->Receive(1, 0, 5, [](const AstraSim::ncclFlowTag &) {});
        },
        this);
    RunAll();
    EXPECT_EQ(flows, (std::vector<int>{10, 20}));
    EXPECT_EQ(receives[2]->data.flowTag.current_flow_id, 11);
    EXPECT_EQ(receives[3]->data.flowTag.current_flow_id, 12);
}

TEST_F(SimAi, ASenderIsToldWhenTheNicHasSent)
{
    double at[3] = {0, 0, 0}, received = 0;
    const char *const when[] = {"sent", "delivered", "acknowledged"};
    for (int i = 0; i < 3; i++) {
        Open(when[i]);
        Receive(1, 0, 5, [&](const AstraSim::ncclFlowTag &) { received = Now(); });
        Send(0, 1, 100000, 5, 1, [&, i](const AstraSim::ncclFlowTag &) { at[i] = Now(); });
        RunAll();
        EXPECT_EQ(at[i] == received, i == 1);
    }
    EXPECT_LT(at[0], at[1]);
    EXPECT_LT(at[1], at[2]);
}

TEST_F(SimAi, ErrorsOfTheServerAreSaid)
{
    EXPECT_THROW(SimAiFabric("", {"topology.type=nothing"}), std::runtime_error);
    Send(0, 9, 1, 5, 1, [](const AstraSim::ncclFlowTag &) {});
    EXPECT_THROW(fabric->fabric.Run(), std::runtime_error);
    setenv("WEFT", "/does/not/exist", 1);
    EXPECT_THROW(SimAiFabric("", {}), std::runtime_error);
}

} // namespace
