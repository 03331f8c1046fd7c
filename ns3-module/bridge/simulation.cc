/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See simulation.h: those inside ns-3. Everything that ns-3 would abort on is checked before ns-3
 * sees it.
 */
#include "guard.h"
#include "ns3_part_internal.h"
#include "packet_params.h"
#include "simulation_fabric.h"

#include "ns3/config.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/weft-simulator-impl.h"
#include "ns3/weft-time.h"

#include <atomic>
#include <limits>
#include <memory>
#include <string>

using namespace ns3;

namespace weft
{

/** A fabric, and ns-3's Simulator with it. */
class Simulation : public weft_simulation
{
  public:
    /**
     * @param config what the backend was asked for
     * @param hooks of the engine
     * @param told who is told of failures
     */
    Simulation(const weft_net_config &config, const weft_engine_hooks &hooks,
               const weft_simulation_owner &reports_to);
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
    bool otherEvents;            //!< ns-3 has events besides the engine's.
    /// ns-3's Simulator is taken. Threads may make nets at the same time.
    static std::atomic<bool> s_exists;
};

std::atomic<bool> Simulation::s_exists{false};

Simulation::Simulation(const weft_net_config &config, const weft_engine_hooks &hooks,
                       const weft_simulation_owner &reports_to)
    : weft_simulation{}, owner(reports_to)
{
    auto params = static_cast<const weft_packet_params *>(config.params);
    otherEvents = params->transport.type == WEFT_TRANSPORT_TCP || params->tcp.prios != 0;
    if (Time::GetResolution() != Time::PS) {
        Time::SetResolution(Time::PS);
    }
    Config::SetGlobal("SimulatorImplementationType",
                      StringValue(params->ns3.simulator_impl == WEFT_SIMULATOR_DEFAULT
                                      ? "ns3::DefaultSimulatorImpl"
                                      : "ns3::WeftSimulatorImpl"));
    fabric = CreateObject<WeftFabric>();
    fabric->BorrowGraph(config.fabric);
    fabric->SetParams(weft_packet_engine_params(params));
    fabric->BorrowCongestionControl(config.cc, config.cc_params);
    fabric->SetSeed(config.seed);
    if (!config.dry) {
        fabric->ExpectPeers(config.links_stay ? config.peers : nullptr);
        fabric->SetThreads(config.threads, config.thread_shuffle);
        fabric->SetReplay(weft_packet_replaying(&config), config.replay_bytes,
                          config.replay_tolerance, config.replay_resample);
        fabric->SetCaptureParams(params->capture);
        fabric->SetCaptureDirectory(config.out_dir ? std::string(config.out_dir) + "/pcap" : "");
    }
    fabric->GetPump().SetErrorCallback(MakeCallback(&Simulation::Fail, this));
    fabric->GetPump().SetInterruptFlag(config.interrupted);
    fabric->SetHooks(hooks);
    Simulator::Now(); // makes the SimulatorImpl, which takes memory, here and not on the first look
                      // at the clock
    Reserve::SetSimulator(true);
}

Simulation::~Simulation()
{
    fabric = nullptr;
    Reserve::SetSimulator(false);
    Simulator::Destroy();
    s_exists = false;
}

void Simulation::Fail(const weft_err &err)
{
    owner.failed(owner.ctx, &err);
    Simulator::Stop();
}

namespace
{

/**
 * Of whom @p s is the beginning.
 * @param s what C holds
 * @return the whole
 */
Simulation &Of(weft_simulation *s)
{
    return *static_cast<Simulation *>(s);
}

/**
 * @param net what C holds
 * @return the whole
 */
Simulation &Of(weft_net *net)
{
    return Of(weft_simulation_of(net));
}

void Free(weft_net *net)
{
    if (Reserve::IsAbandoned()) {
        return;
    }
    Guard(nullptr, [&] {
        delete &Of(net);
        return 0;
    });
}

weft_engine *Engine(weft_simulation *s)
{
    return Of(s).fabric->GetEngine();
}

int SetHooks(weft_simulation *s, const weft_engine_hooks *hooks, weft_err *err)
{
    return Guard(err, [&] {
        Of(s).fabric->SetHooks(*hooks);
        return 0;
    });
}

int Send(weft_net *net, const weft_msg *msg, weft_err *err)
{
    return Guard(err, [&] { return Of(net).fabric->TrySend(*msg, nullptr, err); });
}

int Group(weft_net *net, const uint32_t *hosts, uint32_t n, uint32_t prio, uint32_t *id,
          weft_err *err)
{
    return Guard(err, [&] { return Of(net).fabric->TryGroup(hosts, n, prio, id, err); });
}

int Contribute(weft_net *net, const weft_part *part, weft_err *err)
{
    return Guard(err, [&] { return Of(net).fabric->TryContribute(*part, err); });
}

int ChangeLinks(weft_net *net, weft_link_change *changes, size_t n, weft_err *err)
{
    return Guard(err, [&] { return Of(net).fabric->TryChangeLinks(changes, n, err); });
}

int After(weft_net *net, int64_t delayPs, void (*fn)(void *ctx, uint64_t arg), void *ctx,
          uint64_t arg, weft_err *err)
{
    return Guard(err, [&] { return Of(net).fabric->TryTimer(delayPs, fn, ctx, arg, err); });
}

int Plan(weft_net *net, int64_t delayPs, void (*fn)(void *ctx, uint64_t arg), void *ctx,
         uint64_t arg, weft_err *err)
{
    return Guard(err, [&] { return Of(net).fabric->TryPlan(delayPs, fn, ctx, arg, err); });
}

int Run(weft_net *net, int64_t untilPs, weft_err *err)
{
    Simulation &s = Of(net);
    return Guard(err, [&] {
        EventId end;
        if (!s.otherEvents) {
            s.fabric->GetPump().SetHorizon(untilPs);
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

int64_t NextPs(weft_net *net)
{
    Simulation &s = Of(net);
    int64_t next = weft_engine_now(s.own_engine);
    Guard(nullptr, [&] {
        if (!s.otherEvents) {
            next = weft_engine_next(s.fabric->GetEngine());
        } else if (auto impl = DynamicCast<WeftSimulatorImpl>(Simulator::GetImplementation())) {
            const int64_t ts = WeftPs(impl->GetNextTime());
            next = ts == std::numeric_limits<int64_t>::max() ? WEFT_NEVER : ts;
        }
        return 0;
    });
    return next;
}

void Stop(weft_net *net)
{
    Guard(nullptr, [&] {
        weft_engine_stop(Of(net).fabric->GetEngine());
        Simulator::Stop();
        return 0;
    });
}

int FlushCaptures(weft_simulation *s, weft_err *err)
{
    return Guard(err, [&] { return Of(s).fabric->TryFlushCaptures(err); });
}

int Look(void (*fn)(void *ctx), void *ctx, weft_err *err)
{
    return Guard(err, [&] {
        fn(ctx);
        return 0;
    });
}

/**
 * @return what a simulation does as a net
 */
weft_net_ops MakeOps()
{
    static weft_net_state_ops state = {};
    state.next_ps = NextPs;
    weft_net_ops ops = {};
    ops.free = Free;
    ops.send = Send;
    ops.group = Group;
    ops.contribute = Contribute;
    ops.change_links = ChangeLinks;
    ops.after = After;
    ops.plan = Plan;
    ops.run = Run;
    ops.stop = Stop;
    ops.state = &state;
    return ops;
}

const weft_net_ops g_ops = MakeOps();

} // namespace

Ptr<WeftFabric> FabricOf(weft_simulation *s)
{
    return Of(s).fabric;
}

int NewSimulation(const weft_net_config *config, const weft_engine_hooks *hooks,
                  const weft_simulation_owner *owner, weft_simulation **out, weft_err *err)
{
    if (Simulation::s_exists.exchange(true)) {
        return weft_err_set(err, WEFT_E_LIMIT,
                            "one packet net at a time: ns-3's Simulator is one per process, and "
                            "stays taken after a run with TCP that was out of memory");
    }
    const int held = Reserve::Hold(err);
    const int made = held ? held : Guard(err, [&] {
        auto s = std::make_unique<Simulation>(*config, *hooks, *owner);
        const int built = s->fabric->Build(err);
        if (built == 0) {
            s->net.ops = &g_ops;
            s->engine = Engine;
            s->set_hooks = SetHooks;
            s->look = Look;
            s->flush_captures = FlushCaptures;
            s->own_engine = s->fabric->GetEngine();
            *out = s.release();
        }
        return built;
    });
    if (made) {
        Simulation::s_exists = false;
    }
    return made;
}

} // namespace weft
