/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * A congestion control of the script's own, compared with none on an incast.
 *
 * "ns3::DelayAimd" keeps a window per QP. While the round trip takes less than Target times the
 * unloaded one, the window grows by one packet per window of ACKs; once above, it is multiplied by
 * Cut, at most once per window.
 *
 *   weft-custom-cc --ns3::DelayAimd::Target=1.5
 */
#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/weft-application-helper.h"
#include "ns3/weft-application.h"
#include "ns3/weft-congestion-control.h"
#include "ns3/weft-fabric-helper.h"

#include <algorithm>
#include <iostream>

using namespace ns3;

namespace
{

/**
 * @ingroup weft
 * What the user can set; each becomes an attribute.
 */
struct Params
{
    double target;
    double cut;
};

const weft_param g_params[] = {
    {"target",
     WEFT_PARAM_F64,
     offsetof(Params, target),
     "1.25",
     "1",
     "100",
     nullptr,
     "round trip, over the unloaded one, above which the window shrinks",
     nullptr},
    {"cut",
     WEFT_PARAM_F64,
     offsetof(Params, cut),
     "0.5",
     "0.01",
     "0.99",
     nullptr,
     "what the window is multiplied by then",
     nullptr},
};

/**
 * @ingroup weft
 * What one QP remembers.
 */
struct State
{
    int64_t baseRttPs;
    uint64_t mtuBytes;
    uint64_t nextCutBytes; //!< The window is not cut again before this many bytes are acknowledged.
    double windowBytes;
};

void
Init(void* state, const void*, const weft_cc_env* env, int64_t, weft_cc_out* out)
{
    auto s = static_cast<State*>(state);
    *s = {env->base_rtt_ps, env->mtu_bytes, 0, static_cast<double>(env->bdp_bytes)};
    out->rate_bps = env->line_rate_bps;
    out->cwnd_bytes = std::max<uint64_t>(env->bdp_bytes, env->mtu_bytes);
    out->timer_at_ps = INT64_MAX; // never
    out->repace = false;
}

void
OnAck(void* state, const void* params, int64_t, const weft_cc_ack* ack, weft_cc_out* out)
{
    auto s = static_cast<State*>(state);
    auto p = static_cast<const Params*>(params);
    if (ack->rtt_ps < p->target * s->baseRttPs)
    {
        s->windowBytes += s->mtuBytes * (ack->acked_bytes / s->windowBytes);
    }
    else if (ack->una_bytes >= s->nextCutBytes)
    {
        s->windowBytes *= p->cut;
        s->nextCutBytes = ack->nxt_bytes;
    }
    s->windowBytes = std::max<double>(s->windowBytes, s->mtuBytes);
    out->cwnd_bytes = s->windowBytes;
}

/** The algorithm as the engine sees it. */
const weft_cc_ops g_delayAimd = [] {
    weft_cc_ops ops = {};
    ops.name = "delay-aimd";
    ops.title = "window that grows by packets and shrinks by a factor when the round trip is long";
    ops.source = "this script";
    ops.needs = WEFT_CC_NEEDS_RTT;
    ops.state_size = sizeof(State);
    ops.params = WEFT_PARAM_TABLE(g_params, Params);
    ops.init = Init;
    ops.on_ack = OnAck;
    return ops;
}();

/**
 * @ingroup weft
 * The algorithm as ns-3 sees it.
 */
class DelayAimd : public WeftCongestionControl
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = [] {
            TypeId t = TypeId("ns3::DelayAimd")
                           .SetParent<WeftCongestionControl>()
                           .AddConstructor<DelayAimd>();
            WeftAddParamAttributes(t, g_delayAimd.params, "");
            return t;
        }();
        return tid;
    }

    const weft_cc_ops* GetOps() const override
    {
        return &g_delayAimd;
    }
};

NS_OBJECT_ENSURE_REGISTERED(DelayAimd);

/**
 * @param cc congestion control
 * @return largest queue towards the receiver of an incast of 8 x 1 MiB
 */
uint64_t
LargestQueue(const std::string& cc)
{
    WeftFabricHelper helper;
    helper.SetTopology("single-switch", "Hosts", UintegerValue(9));
    helper.SetCongestionControl(cc);
    Ptr<WeftFabric> fabric = helper.Install();
    WeftIncastHelper incast(1 << 20);
    ApplicationContainer apps = incast.Install(helper.GetHosts().Get(0));
    Simulator::Run();
    uint64_t largest = 0;
    for (uint32_t port = 0; port < fabric->GetGraph()->nports; port++)
    {
        largest = std::max(largest, fabric->GetPortCounters(port).max_queue_bytes);
    }
    std::cout << cc << ": " << DynamicCast<WeftApplication>(apps.Get(0))->GetReceived()
              << " of 8 messages by " << Simulator::Now().As(Time::US) << ", queues up to "
              << largest << " bytes\n";
    Simulator::Destroy();
    return largest;
}

} // namespace

int
main(int argc, char* argv[])
{
    WeftFabricHelper::Setup();
    CommandLine cmd(__FILE__);
    cmd.Parse(argc, argv);
    const uint64_t without = LargestQueue("none");
    return LargestQueue("ns3::DelayAimd") < without ? 0 : 1;
}
