/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See simulation.h. Everything that ns-3 would abort on is checked before ns-3 sees it.
 */
#include "simulation.h"

#include "bridge.h"
#include "guard.h"
#include "packet_params.h"
#include "simulation_fabric.h"

#include "ns3/config.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/weft-simulator-impl.h"
#include "ns3/weft-time.h"

#include <limits>
#include <memory>
#include <string>

using namespace ns3;
using weft::Guard;

namespace weft
{

/** A fabric, and ns-3's Simulator with it. */
class Simulation
{
  public:
    /**
     * @param config what the backend was asked for
     * @param hooks of the engine
     * @param told who is told of failures
     */
    Simulation(const weft_net_config &config, const weft_engine_hooks &hooks,
               const weft_simulation_owner &told);
    ~Simulation();

    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;

    /**
     * The engine found itself broken.
     * @param err how
     */
    void Fail(const weft_err &err);

    Ptr<WeftFabric> fabric;      //!< The fabric.
    weft_simulation_owner owner; //!< Is told of failures.
    static bool s_exists;        //!< ns-3's Simulator is taken.
};

bool Simulation::s_exists = false;

Simulation::Simulation(const weft_net_config &config, const weft_engine_hooks &hooks,
                       const weft_simulation_owner &told)
    : owner(told)
{
    auto params = static_cast<const weft_packet_params *>(config.params);
    if (Time::GetResolution() != Time::PS) {
        Time::SetResolution(Time::PS);
    }
    Config::SetGlobal("SimulatorImplementationType",
                      StringValue(params->ns3.simulator_impl ? "ns3::DefaultSimulatorImpl"
                                                             : "ns3::WeftSimulatorImpl"));
    fabric = CreateObject<WeftFabric>();
    fabric->BorrowGraph(config.fabric);
    fabric->SetParams(weft_packet_engine_params(params));
    fabric->BorrowCongestionControl(config.cc, config.cc_params);
    fabric->SetSeed(config.seed);
    if (!config.dry) {
        fabric->ExpectPeers(config.links_stay ? config.peers : nullptr);
        fabric->SetThreads(config.threads, config.thread_shuffle);
        fabric->SetReplay(!config.replay        ? WEFT_REPLAYING_OFF
                          : config.replay_eager ? WEFT_REPLAYING_EAGERLY
                                                : WEFT_REPLAYING,
                          config.replay_bytes, config.replay_tolerance);
        fabric->SetCaptureParams(params->capture);
        fabric->SetCaptureDirectory(config.out_dir ? std::string(config.out_dir) + "/pcap" : "");
    }
    fabric->GetPump().SetErrorCallback(MakeCallback(&Simulation::Fail, this));
    fabric->GetPump().SetInterruptFlag(config.interrupted);
    fabric->SetHooks(hooks);
    Simulator::Now(); // makes the SimulatorImpl, which takes memory, here and not on the first look
                      // at the clock
    s_exists = true;
}

Simulation::~Simulation()
{
    fabric = nullptr;
    Simulator::Destroy();
    s_exists = false;
}

void Simulation::Fail(const weft_err &err)
{
    owner.failed(owner.ctx, &err);
    Simulator::Stop();
}

} // namespace weft

/** What C holds. */
struct weft_simulation : weft::Simulation {
    using Simulation::Simulation;
};

Ptr<WeftFabric> weft::FabricOf(const weft_simulation *s)
{
    return s->fabric;
}

int weft_simulation_new(const weft_net_config *config, const weft_engine_hooks *hooks,
                        const weft_simulation_owner *owner, weft_simulation **out, weft_err *err)
{
    if (weft_simulation::s_exists) {
        return weft_err_set(err, WEFT_E_LIMIT,
                            "one packet net at a time: ns-3's Simulator is one per process, and "
                            "stays taken after a run with TCP that was out of memory");
    }
    return Guard(err, [&] {
        auto s = std::make_unique<weft_simulation>(*config, *hooks, *owner);
        const int built = s->fabric->Build(err);
        if (built == 0) {
            *out = s.release();
        }
        return built;
    });
}

void weft_simulation_free(weft_simulation *s)
{
    Guard(nullptr, [&] {
        delete s;
        return 0;
    });
}

weft_engine *weft_simulation_engine(weft_simulation *s)
{
    return s->fabric->GetEngine();
}

int64_t weft_simulation_now_ps(const weft_simulation *s)
{
    const WeftFabric &fabric = *s->fabric;
    return weft_engine_now(fabric.GetEngine());
}

int weft_simulation_set_hooks(weft_simulation *s, const weft_engine_hooks *hooks, weft_err *err)
{
    return Guard(err, [&] {
        s->fabric->SetHooks(*hooks);
        return 0;
    });
}

int weft_simulation_send(weft_simulation *s, const weft_msg *msg, weft_err *err)
{
    return Guard(err, [&] { return s->fabric->TrySend(*msg, nullptr, err); });
}

int weft_simulation_group(weft_simulation *s, const uint32_t *hosts, uint32_t n, uint32_t prio,
                          uint32_t *id, weft_err *err)
{
    return Guard(err, [&] { return s->fabric->TryGroup(hosts, n, prio, id, err); });
}

int weft_simulation_contribute(weft_simulation *s, const weft_part *part, weft_err *err)
{
    return Guard(err, [&] { return s->fabric->TryContribute(*part, err); });
}

int weft_simulation_change_links(weft_simulation *s, weft_link_change *changes, size_t n,
                                 weft_err *err)
{
    return Guard(err, [&] { return s->fabric->TryChangeLinks(changes, n, err); });
}

int weft_simulation_after(weft_simulation *s, int64_t delayPs, void (*fn)(void *ctx, uint64_t arg),
                          void *ctx, uint64_t arg, weft_err *err)
{
    return Guard(err, [&] { return s->fabric->TryTimer(delayPs, fn, ctx, arg, err); });
}

int weft_simulation_plan(weft_simulation *s, int64_t delayPs, void (*fn)(void *ctx, uint64_t arg),
                         void *ctx, uint64_t arg, weft_err *err)
{
    return Guard(err, [&] { return s->fabric->TryPlan(delayPs, fn, ctx, arg, err); });
}

int weft_simulation_run(weft_simulation *s, int64_t untilPs, bool otherEvents, weft_err *err)
{
    return Guard(err, [&] {
        EventId end;
        if (!otherEvents) {
            s->fabric->GetPump().SetHorizon(untilPs);
        } else if (untilPs != WEFT_NEVER) {
            // Both clocks stop together. The pump stays armed, so that the order of events is that
            // of an unbroken run.
            end = Simulator::Schedule(WeftTime(untilPs) + TimeStep(1) - Simulator::Now(),
                                      []() { Simulator::Stop(); });
        }
        Simulator::Run();
        Simulator::Remove(end);
        return 0;
    });
}

void weft_simulation_reach(weft_simulation *s, int64_t untilPs)
{
    weft_engine *engine = s->fabric->GetEngine();
    if (untilPs != WEFT_NEVER && weft_engine_next(engine) > untilPs) {
        weft_engine_follow(engine, untilPs + 1);
    }
}

int64_t weft_simulation_next_ps(const weft_simulation *s, bool otherEvents)
{
    int64_t next = weft_engine_now(s->fabric->GetEngine());
    Guard(nullptr, [&] {
        if (!otherEvents) {
            next = weft_engine_next(s->fabric->GetEngine());
        } else if (auto impl = DynamicCast<WeftSimulatorImpl>(Simulator::GetImplementation())) {
            const int64_t ts = WeftPs(impl->GetNextTime());
            next = ts == std::numeric_limits<int64_t>::max() ? WEFT_NEVER : ts;
        }
        return 0;
    });
    return next;
}

void weft_simulation_stop(weft_simulation *s)
{
    Guard(nullptr, [&] {
        weft_engine_stop(s->fabric->GetEngine());
        Simulator::Stop();
        return 0;
    });
}

int weft_simulation_flush_captures(weft_simulation *s, weft_err *err)
{
    return Guard(err, [&] { return s->fabric->TryFlushCaptures(err); });
}

int weft_simulation_look(void (*fn)(void *ctx), void *ctx, weft_err *err)
{
    return Guard(err, [&] {
        fn(ctx);
        return 0;
    });
}

const char *weft_ns3_version(void)
{
    return WEFT_NS3_VERSION;
}
