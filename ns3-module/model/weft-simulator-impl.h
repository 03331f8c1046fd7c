/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_SIMULATOR_IMPL_H
#define WEFT_SIMULATOR_IMPL_H

#include "ns3-module/engine/engine_peers.h"
#include "weft-compat.h"

#include "ns3/event-id.h"
#include "ns3/object-factory.h"
#include "ns3/ptr.h"
#include "ns3/scheduler.h"
#include "ns3/simulator-impl.h"

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace ns3
{

class WeftEngineDriver;

/**
 * @ingroup weft
 * A SimulatorImpl that executes weft engines and ns-3 events in one order of time.
 *
 * It behaves like ns3::DefaultSimulatorImpl for ns-3 events: events of one time run in the order of
 * their uids; ScheduleWithContext may be called from other threads; any Scheduler can be set.
 * Beside the event queue it holds the pumps of the weft fabrics (see WeftPump for the order). As
 * long as no ns-3 event lies between, an engine executes many instants in one call.
 * Simulator::Now() is the engine's time inside each of its callbacks.
 *
 * Results are the same, bit for bit, under ns3::DefaultSimulatorImpl; this one is faster.
 *
 * Where ns3::MpiInterface is enabled with several ranks, all of them run one simulation: each has
 * ns-3 events of its own, and simulates its part of the fabric (engine/engine_peers.h). Stop on one
 * rank ends the run on all.
 */
class WeftSimulatorImpl : public SimulatorImpl
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    WeftSimulatorImpl();
    ~WeftSimulatorImpl() override;

    // Inherited
    void Destroy() override;
    bool IsFinished() const override;
    void Stop() override;
    WeftStopResult Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    Time GetMaximumSimulationTime() const override;
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    uint32_t GetContext() const override;
    /**
     * @return ns-3 events plus engine events executed
     */
    uint64_t GetEventCount() const override;
    /**
     * @return the time of the next event, ns-3's (also one that has been cancelled since) or an
     * engine's; the maximum simulation time when there is none
     */
    Time GetNextTime() const;

  private:
    friend class WeftPump; // which joins and leaves
    friend class WeftFabric;

    void DoDispose() override;

    /**
     * @param pump a pump that joins the simulation
     */
    void AddPump(WeftEngineDriver* pump);
    /**
     * @param pump a pump that leaves it
     */
    void RemovePump(WeftEngineDriver* pump);
    /**
     * Gives a pump its place among the events of its time.
     * @param pump a pump whose armed time has just been set
     */
    void ArmPump(WeftEngineDriver* pump);

    /**
     * @return the time step of the event being executed
     */
    uint64_t NowTs() const;
    /**
     * Puts an event in the queue. Main thread only.
     * @param ts time step
     * @param context context
     * @param event event
     * @return its id
     */
    EventId Insert(uint64_t ts, uint32_t context, EventImpl* event);
    /**
     * Something new is to happen at ts: a running engine must not go past it.
     * @param ts time step
     */
    void LimitRunningPump(uint64_t ts);
    /**
     * @return the armed pump that comes first, or null
     */
    WeftEngineDriver* FirstPump() const;
    /**
     * Executes a pump's engine up to the next thing that is not its own.
     * @param pump the pump
     * @param eventTs time of the next ns-3 event, or INT64_MAX
     */
    void RunPump(WeftEngineDriver* pump, int64_t eventTs);
    /** Executes the first ns-3 event. */
    void RunEvent();
    /** Run, of one of several ranks: the engine requests ns-3 events and executes them. */
    void RunRanks();
    /**
     * @param owner ranks, by node of the graph
     * @return what the engine of a fabric needs from the script of this rank
     */
    weft_peers_user MakeUser(const uint8_t* owner);
    /**
     * @return the fabric's pump under RunRanks, null when there is none
     */
    WeftEngineDriver* PrepareRanks();
    // Of MakeUser; ctx is this object.
    static int64_t NextOfUser(void* ctx);
    static void RunUser(void* ctx);
    static bool UserStopped(void* ctx);
    /** Puts the events that other threads scheduled in the queue. */
    void TakeForeignEvents();

    /** An event that another thread scheduled. */
    struct ForeignEvent
    {
        uint32_t context; //!< Its context.
        uint64_t delay;   //!< In time steps, from when it is taken over.
        EventImpl* event; //!< The event.
    };

    Ptr<Scheduler> m_events;                //!< ns-3 events to come.
    std::list<EventId> m_destroyEvents;     //!< Events to run on Destroy.
    std::vector<WeftEngineDriver*> m_pumps; //!< Pumps of all fabrics, in the order they joined.
    WeftEngineDriver* m_running{nullptr};   //!< The pump whose engine is running.

    std::atomic<bool> m_stop{false};         //!< Stop was called.
    uint32_t m_uid{EventId::UID::VALID};     //!< The next event uid.
    uint32_t m_currentUid{EventId::INVALID}; //!< Of the event being executed.
    uint64_t m_currentTs{0};                 //!< Of the last event executed.
    uint32_t m_currentContext;               //!< Of the event being executed.
    uint64_t m_eventCount{0};                //!< ns-3 events, and engine events of pumps that left.
    std::thread::id m_mainThread;            //!< The thread that runs the simulation.
    std::mutex m_foreignMutex;               //!< Guards m_foreign.
    std::vector<ForeignEvent> m_foreign;     //!< From other threads, not yet in the queue.
    std::atomic<bool> m_foreignPending{false}; //!< m_foreign is not empty.
};

} // namespace ns3

#endif /* WEFT_SIMULATOR_IMPL_H */
