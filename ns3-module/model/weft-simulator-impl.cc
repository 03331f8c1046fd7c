/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-simulator-impl.h"

#include "weft-engine-driver.h"
#include "weft-ranks.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/channel-list.h"
#include "ns3/channel.h"
#include "ns3/log.h"
#include "ns3/make-event.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftSimulatorImpl");

NS_OBJECT_ENSURE_REGISTERED(WeftSimulatorImpl);

TypeId
WeftSimulatorImpl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::WeftSimulatorImpl")
                            .SetParent<SimulatorImpl>()
                            .SetGroupName("Weft")
                            .AddConstructor<WeftSimulatorImpl>();
    return tid;
}

WeftSimulatorImpl::WeftSimulatorImpl()
    : m_currentContext(Simulator::NO_CONTEXT),
      m_mainThread(std::this_thread::get_id())
{
    NS_LOG_FUNCTION(this);
}

WeftSimulatorImpl::~WeftSimulatorImpl()
{
    NS_LOG_FUNCTION(this);
}

void
WeftSimulatorImpl::DoDispose()
{
    TakeForeignEvents();
    while (m_events && !m_events->IsEmpty())
    {
        m_events->RemoveNext().impl->Unref();
    }
    m_events = nullptr;
    m_pumps.clear();
    SimulatorImpl::DoDispose();
}

void
WeftSimulatorImpl::Destroy()
{
    NS_LOG_FUNCTION(this);
    while (!m_destroyEvents.empty())
    {
        EventId id = m_destroyEvents.front();
        m_destroyEvents.pop_front();
        id.PeekEventImpl()->Invoke(); // does nothing when cancelled
    }
    WeftRanks::Part();
}

void
WeftSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    NS_LOG_FUNCTION(this);
    Ptr<Scheduler> scheduler = schedulerFactory.Create<Scheduler>();
    while (m_events && !m_events->IsEmpty())
    {
        scheduler->Insert(m_events->RemoveNext());
    }
    m_events = scheduler;
}

uint32_t
WeftSimulatorImpl::GetSystemId() const
{
    NS_LOG_FUNCTION(this);
    return WeftRanks::GetRank();
}

uint32_t
WeftSimulatorImpl::GetContext() const
{
    // Not logged: every line of a log asks for it.
    return m_currentContext;
}

uint64_t
WeftSimulatorImpl::GetEventCount() const
{
    NS_LOG_FUNCTION(this);
    uint64_t n = m_eventCount;
    for (const WeftEngineDriver* pump : m_pumps)
    {
        n += pump->GetEventCount();
    }
    return n;
}

Time
WeftSimulatorImpl::GetMaximumSimulationTime() const
{
    NS_LOG_FUNCTION(this);
    return TimeStep(std::numeric_limits<int64_t>::max());
}

uint64_t
WeftSimulatorImpl::NowTs() const
{
    return m_running ? static_cast<uint64_t>(weft_engine_now(m_running->m_engine)) : m_currentTs;
}

Time
WeftSimulatorImpl::Now() const
{
    // Not logged: every line of a log asks for it.
    return TimeStep(NowTs());
}

Time
WeftSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    NS_LOG_FUNCTION(this << id.GetUid());
    return IsExpired(id) ? TimeStep(0) : TimeStep(id.GetTs() - NowTs());
}

EventId
WeftSimulatorImpl::Insert(uint64_t ts, uint32_t context, EventImpl* event)
{
    Scheduler::Event ev;
    ev.impl = event;
    ev.key.m_ts = ts;
    ev.key.m_context = context;
    ev.key.m_uid = m_uid++;
    m_events->Insert(ev);
    LimitRunningPump(ts);
    return EventId(Ptr<EventImpl>(event), ts, context, ev.key.m_uid);
}

EventId
WeftSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    NS_LOG_FUNCTION(this << delay << event);
    NS_ASSERT_MSG(m_mainThread == std::this_thread::get_id(),
                  "Simulator::Schedule from a thread that does not run the simulation: use "
                  "ScheduleWithContext");
    NS_ABORT_MSG_IF(delay.IsStrictlyNegative(), "an event cannot be scheduled in the past");
    return Insert(NowTs() + delay.GetTimeStep(), m_currentContext, event);
}

EventId
WeftSimulatorImpl::ScheduleNow(EventImpl* event)
{
    NS_LOG_FUNCTION(this << event);
    return Schedule(TimeStep(0), event);
}

void
WeftSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    NS_LOG_FUNCTION(this << context << delay << event);
    NS_ABORT_MSG_IF(delay.IsStrictlyNegative(), "an event cannot be scheduled in the past");
    if (m_mainThread == std::this_thread::get_id())
    {
        Insert(NowTs() + delay.GetTimeStep(), context, event);
        return;
    }
    std::lock_guard<std::mutex> lock(m_foreignMutex);
    m_foreign.push_back({context, static_cast<uint64_t>(delay.GetTimeStep()), event});
    m_foreignPending = true;
}

void
WeftSimulatorImpl::TakeForeignEvents()
{
    if (!m_foreignPending)
    {
        return;
    }
    std::vector<ForeignEvent> taken;
    {
        std::lock_guard<std::mutex> lock(m_foreignMutex);
        taken.swap(m_foreign);
        m_foreignPending = false;
    }
    for (const ForeignEvent& f : taken)
    {
        Insert(m_currentTs + f.delay, f.context, f.event);
    }
}

EventId
WeftSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    NS_LOG_FUNCTION(this << event);
    EventId id(Ptr<EventImpl>(event, false), NowTs(), Simulator::NO_CONTEXT, EventId::UID::DESTROY);
    m_destroyEvents.push_back(id);
    return id;
}

void
WeftSimulatorImpl::Remove(const EventId& id)
{
    NS_LOG_FUNCTION(this << id.GetUid());
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        m_destroyEvents.remove(id);
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    Scheduler::Event ev;
    ev.impl = id.PeekEventImpl();
    ev.key.m_ts = id.GetTs();
    ev.key.m_context = id.GetContext();
    ev.key.m_uid = id.GetUid();
    m_events->Remove(ev);
    ev.impl->Cancel(); // whoever still holds the id sees that it will not run
    ev.impl->Unref();
}

void
WeftSimulatorImpl::Cancel(const EventId& id)
{
    NS_LOG_FUNCTION(this << id.GetUid());
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
WeftSimulatorImpl::IsExpired(const EventId& id) const
{
    NS_LOG_FUNCTION(this << id.GetUid());
    EventImpl* event = id.PeekEventImpl();
    if (!event || event->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        return std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id) ==
               m_destroyEvents.end();
    }
    const uint64_t now = NowTs();
    return id.GetTs() < now || (id.GetTs() == now && id.GetUid() <= m_currentUid);
}

bool
WeftSimulatorImpl::IsFinished() const
{
    NS_LOG_FUNCTION(this);
    return m_stop || (m_events->IsEmpty() && !FirstPump());
}

Time
WeftSimulatorImpl::GetNextTime() const
{
    NS_LOG_FUNCTION(this);
    const WeftEngineDriver* first = FirstPump();
    int64_t next = first ? first->m_armedPs : std::numeric_limits<int64_t>::max();
    if (!m_events->IsEmpty())
    {
        next = std::min(next, static_cast<int64_t>(m_events->PeekNext().key.m_ts));
    }
    return TimeStep(next);
}

void
WeftSimulatorImpl::Stop()
{
    NS_LOG_FUNCTION(this);
    m_stop = true;
    if (m_mainThread == std::this_thread::get_id())
    {
        LimitRunningPump(NowTs());
    }
}

WeftStopResult
WeftSimulatorImpl::Stop(const Time& delay)
{
    NS_LOG_FUNCTION(this << delay);
    void (*stop)() = &Simulator::Stop;
    return static_cast<WeftStopResult>(Schedule(delay, MakeEvent(stop)));
}

void
WeftSimulatorImpl::AddPump(WeftEngineDriver* pump)
{
    m_pumps.push_back(pump);
}

void
WeftSimulatorImpl::RemovePump(WeftEngineDriver* pump)
{
    m_eventCount += pump->GetEventCount();
    m_pumps.erase(std::remove(m_pumps.begin(), m_pumps.end(), pump), m_pumps.end());
}

void
WeftSimulatorImpl::ArmPump(WeftEngineDriver* pump)
{
    pump->m_uid = m_uid++;
    pump->m_context = m_currentContext;
    LimitRunningPump(pump->m_armedPs);
}

void
WeftSimulatorImpl::LimitRunningPump(uint64_t ts)
{
    if (m_running && !m_running->m_shared)
    {
        // The instant being executed is completed first: it is one pump event.
        const uint64_t atLeast = NowTs() + 1;
        weft_engine_lower_limit(m_running->m_engine, static_cast<int64_t>(std::max(ts, atLeast)));
    }
}

WeftEngineDriver*
WeftSimulatorImpl::FirstPump() const
{
    WeftEngineDriver* first = nullptr;
    for (WeftEngineDriver* pump : m_pumps)
    {
        if (pump->m_armed && (!first || pump->m_armedPs < first->m_armedPs ||
                              (pump->m_armedPs == first->m_armedPs && pump->m_uid < first->m_uid)))
        {
            first = pump;
        }
    }
    return first;
}

void
WeftSimulatorImpl::RunPump(WeftEngineDriver* pump, int64_t eventTs)
{
    int64_t limit = eventTs;
    if (pump->m_horizonPs != WEFT_NEVER)
    {
        limit = std::min(limit, pump->m_horizonPs + 1); // the horizon itself is still executed
    }
    for (const WeftEngineDriver* other : m_pumps)
    {
        if (other != pump && other->m_armed)
        {
            limit = std::min(limit, other->m_armedPs);
        }
    }
    const int64_t quiet = limit;
    limit = std::min(limit, pump->m_armedPs + WEFT_TURN_PS);
    limit = std::max(limit, pump->m_armedPs + 1); // its own instant comes first in any case

    m_currentUid = pump->m_uid;
    m_currentContext = pump->m_context;
    m_currentTs = pump->m_armedPs;

    /* What a callback throws leaves no pump running. */
    struct Running
    {
        ~Running()
        {
            running = nullptr;
        }

        WeftEngineDriver*& running;
    };

    {
        Running guard{m_running};
        m_running = pump;
        pump->RunEngine(limit, quiet);
        m_currentTs = NowTs();
    }
    pump->FinishRun();
    TakeForeignEvents();
}

void
WeftSimulatorImpl::RunEvent()
{
    Scheduler::Event ev = m_events->RemoveNext();
    PreEventHook(EventId(Ptr<EventImpl>(ev.impl), ev.key.m_ts, ev.key.m_context, ev.key.m_uid));
    NS_ASSERT(ev.key.m_ts >= m_currentTs);
    m_eventCount++;
    m_currentTs = ev.key.m_ts;
    m_currentContext = ev.key.m_context;
    m_currentUid = ev.key.m_uid;
    ev.impl->Invoke();
    ev.impl->Unref();
    TakeForeignEvents();
}

void
WeftSimulatorImpl::Run()
{
    NS_LOG_FUNCTION(this);
    m_mainThread = std::this_thread::get_id();
    TakeForeignEvents();
    m_stop = false;
    if (WeftRanks::GetSize() > 1)
    {
        RunRanks();
        return;
    }
    while (!m_stop)
    {
        WeftEngineDriver* pump = FirstPump();
        if (m_events->IsEmpty())
        {
            if (!pump)
            {
                break;
            }
            RunPump(pump, std::numeric_limits<int64_t>::max());
            continue;
        }
        if (!pump)
        {
            RunEvent();
            continue;
        }
        const Scheduler::EventKey head = m_events->PeekNext().key;
        const uint64_t pumpTs = pump->m_armedPs;
        if (head.m_ts < pumpTs || (head.m_ts == pumpTs && head.m_uid < pump->m_uid))
        {
            RunEvent();
        }
        else
        {
            RunPump(pump, head.m_ts);
        }
    }
}

// One of several ranks.

weft_peers_user
WeftSimulatorImpl::MakeUser(const uint8_t* owner)
{
    weft_peers_user user = {};
    user.ctx = this;
    user.owner = owner;
    user.next = &WeftSimulatorImpl::NextOfUser;
    user.run = &WeftSimulatorImpl::RunUser;
    user.stopped = &WeftSimulatorImpl::UserStopped;
    return user;
}

int64_t
WeftSimulatorImpl::NextOfUser(void* ctx)
{
    auto self = static_cast<WeftSimulatorImpl*>(ctx);
    return self->m_stop || self->m_events->IsEmpty()
               ? WEFT_NEVER
               : static_cast<int64_t>(self->m_events->PeekNext().key.m_ts);
}

void
WeftSimulatorImpl::RunUser(void* ctx)
{
    auto self = static_cast<WeftSimulatorImpl*>(ctx);
    WeftEngineDriver* pump = self->m_running;
    self->m_running = nullptr; // Now() is the event's
    self->RunEvent();
    self->m_currentContext = Simulator::NO_CONTEXT;
    self->m_running = pump;
}

bool
WeftSimulatorImpl::UserStopped(void* ctx)
{
    return static_cast<WeftSimulatorImpl*>(ctx)->m_stop;
}

WeftEngineDriver*
WeftSimulatorImpl::PrepareRanks()
{
    for (uint32_t i = 0; i < ChannelList::GetNChannels(); i++)
    {
        const std::string name = ChannelList::GetChannel(i)->GetInstanceTypeId().GetName();
        NS_ABORT_MSG_IF(name == "ns3::PointToPointRemoteChannel",
                        "weft: a point-to-point link joins nodes of several ranks, and "
                        "ns3::WeftSimulatorImpl carries between ranks only what crosses a weft "
                        "fabric");
    }
    NS_ABORT_MSG_IF(m_pumps.size() > 1,
                    "weft: several ranks simulate one fabric, and this script has "
                        << m_pumps.size());
    if (m_pumps.empty())
    {
        return nullptr;
    }
    m_pumps.front()->Prepare();
    return m_pumps.front();
}

void
WeftSimulatorImpl::RunRanks()
{
    WeftEngineDriver* pump = PrepareRanks();
    while (!pump && !m_stop && !m_events->IsEmpty())
    {
        RunEvent();
    }
    if (!pump)
    {
        return;
    }
    m_running = pump;
    pump->RunEngine(std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max());
    m_currentTs = NowTs();
    m_running = nullptr;
    m_stop = true;
    pump->FinishRun();
}

} // namespace ns3
