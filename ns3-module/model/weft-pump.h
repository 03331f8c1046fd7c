/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_PUMP_H
#define WEFT_PUMP_H

#include "weft-engine-driver.h"
#include "weft-time.h"

#include "ns3/callback.h"
#include "ns3/event-id.h"

#include <csignal>
#include <cstdint>

namespace ns3
{

class WeftSimulatorImpl;

/**
 * @ingroup weft
 * Drives one engine from an ns-3 simulation.
 *
 * An engine has its own event queue. The pump keeps one *pump event* in ns-3's order of events: an
 * ordinary event at the time of the engine's next event, that executes everything the engine has at
 * that instant. It is armed anew, with a new event uid,
 *   - at the end of each pump event, and
 *   - whenever an ns-3 event posts something to the engine that is earlier than the armed time.
 * ns-3 executes events of one time in the order of their uids, so that this says completely
 * how engine and ns-3 events of the same picosecond follow each other.
 *
 * Under any SimulatorImpl the pump event is a real one. WeftSimulatorImpl instead keeps
 * (time, uid) of each pump beside its event queue and, while no ns-3 event lies between, executes
 * many instants in one go. Between two instants nothing takes a uid, so the order of all events is
 * the same.
 *
 * A pump belongs to one simulation: Simulator::Destroy ends its life.
 */
class WeftPump : public WeftEngineDriver
{
  public:
    WeftPump() = default;
    ~WeftPump() override;

    WeftPump(const WeftPump&) = delete;
    WeftPump& operator=(const WeftPump&) = delete;

    /**
     * @param engine the engine to drive; must outlive the pump or the next call to SetEngine
     */
    void SetEngine(weft_engine* engine);

    /**
     * What to do with an error that ends the engine's run (a broken invariant). Without a callback
     * it is fatal. @param callback the callback
     */
    void SetErrorCallback(Callback<void, const weft_err&> callback);

    /**
     * @param flag ns-3's Simulator is stopped after the slice or instant in which this becomes
     * other than 0, as a signal handler may make it; nullptr: it is not
     */
    void SetInterruptFlag(const volatile std::sig_atomic_t* flag);

    /**
     * Several ranks are going to share out the engine: ns3::WeftSimulatorImpl runs it as a whole.
     * @param build makes it, when they all begin to run
     */
    void Share(Callback<void> build);

    /**
     * Engine events later than this are not executed and do not keep the simulation alive.
     * @param ps the last time to be executed, WEFT_NEVER for no end
     */
    void SetHorizon(int64_t ps);

    /**
     * The engine is not executed any more; what it has counted up to now can still be looked at.
     * Inside one of its callbacks the event that called is its last.
     */
    void Retire();

    /** Before posting: moves the engine's clock to Simulator::Now(). */
    void SyncClock();

    /** Before looking at the engine: its state is that of Simulator::Now(). Its clock does not
     * move. */
    void Follow();

    /** After posting: arms the pump event for the engine's next event, if that is not where it is.
     */
    void Touch();

    /**
     * @return whether the simulation that the pump belonged to was destroyed, or the pump retired
     */
    bool IsDead() const
    {
        return m_dead;
    }

    /**
     * @return whether a callback of this pump's engine is on the stack
     */
    bool IsRunning() const
    {
        return m_running;
    }

    // Inherited
    uint64_t GetEventCount() const override;

  private:
    void Prepare() override;
    void RunEngine(int64_t limitPs, int64_t quietPs) override;
    void FinishRun() override;

    /** Joins the current simulation. */
    void Attach();
    /** Leaves it: its simulator is being destroyed. */
    void HandleDestroy();
    /** Forgets the armed event. */
    void Disarm();
    /** The pump event under a SimulatorImpl that is not weft's. */
    void Fire();

    Callback<void, const weft_err&> m_onError;                //!< Called at an engine error.
    const volatile std::sig_atomic_t* m_interrupted{nullptr}; //!< Stops the Simulator.

    Callback<void> m_build;             //!< Makes an engine that is shared out.
    bool m_attached{false};             //!< Part of a simulation.
    bool m_dead{false};                 //!< Its simulation was destroyed, or it retired.
    bool m_running{false};              //!< The engine is running.
    bool m_failed{false};               //!< The engine found itself broken.
    WeftSimulatorImpl* m_impl{nullptr}; //!< Set under WeftSimulatorImpl.
    EventId m_destroyEvent;             //!< Calls HandleDestroy.
    EventId m_event;                    //!< The pump event, when m_impl is null.
};

} // namespace ns3

#endif /* WEFT_PUMP_H */
