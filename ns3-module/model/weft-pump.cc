/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-pump.h"

#include "weft-simulator-impl.h"

#include "ns3/abort.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftPump");

WeftPump::~WeftPump()
{
    NS_LOG_FUNCTION(this);
    SetEngine(nullptr);
    if (m_attached)
    {
        if (m_impl)
        {
            m_impl->RemovePump(this);
        }
        Simulator::Cancel(m_destroyEvent);
    }
}

void
WeftPump::SetEngine(weft_engine* engine)
{
    NS_LOG_FUNCTION(this << engine);
    NS_ABORT_MSG_IF(m_running, "a weft engine cannot be replaced from one of its own callbacks");
    Disarm();
    m_engine = engine;
}

void
WeftPump::SetErrorCallback(Callback<void, const weft_err&> callback)
{
    NS_LOG_FUNCTION(this);
    m_onError = callback;
}

void
WeftPump::SetInterruptFlag(const volatile std::sig_atomic_t* flag)
{
    NS_LOG_FUNCTION(this);
    m_interrupted = flag;
}

void
WeftPump::Share(Callback<void> build)
{
    NS_LOG_FUNCTION(this);
    m_shared = true;
    m_build = build;
    Attach();
}

void
WeftPump::Prepare()
{
    NS_ABORT_MSG_IF(!m_shared, "weft: a fabric of several ranks is made by WeftFabricHelper");
    m_build();
}

void
WeftPump::SetHorizon(int64_t ps)
{
    NS_LOG_FUNCTION(this << ps);
    m_horizonPs = ps;
    Touch();
}

void
WeftPump::Retire()
{
    NS_LOG_FUNCTION(this);
    if (m_attached)
    {
        Follow();
    }
    if (m_running)
    {
        weft_engine_stop(m_engine);
    }
    Disarm();
    m_dead = true;
}

void
WeftPump::SyncClock()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_dead, "a weft fabric was used after Simulator::Destroy or Dispose");
    if (!m_running)
    {
        weft_engine_set_now(m_engine, WeftPs(Simulator::Now()));
    }
}

void
WeftPump::Follow()
{
    NS_LOG_FUNCTION(this);
    if (!m_running && !m_dead && !m_failed && m_engine)
    {
        weft_engine_follow(m_engine, WeftPs(Simulator::Now()));
    }
}

void
WeftPump::Touch()
{
    NS_LOG_FUNCTION(this);
    if (m_running || m_dead || m_failed || m_shared || !m_engine)
    {
        return; // a running engine is armed again when it returns
    }
    int64_t next = weft_engine_soonest(m_engine);
    if (next == WEFT_NEVER || next > m_horizonPs)
    {
        Disarm();
        return;
    }
    if (m_armed && m_armedPs == next)
    {
        return;
    }
    Attach();
    Disarm();
    m_armed = true;
    m_armedPs = next;
    if (m_impl)
    {
        m_impl->ArmPump(this);
    }
    else
    {
        m_event = Simulator::Schedule(WeftTime(next) - Simulator::Now(), &WeftPump::Fire, this);
    }
    NS_LOG_LOGIC("armed at " << next << " ps");
}

uint64_t
WeftPump::GetEventCount() const
{
    NS_LOG_FUNCTION(this);
    if (!m_engine || m_shared)
    {
        return 0;
    }
    struct weft_totals totals;
    ::weft_engine_totals(m_engine, &totals);
    return totals.events;
}

void
WeftPump::Attach()
{
    if (m_attached)
    {
        return;
    }
    m_attached = true;
    m_impl = dynamic_cast<WeftSimulatorImpl*>(PeekPointer(Simulator::GetImplementation()));
    if (m_impl)
    {
        m_impl->AddPump(this);
    }
    else
    {
        weft_engine_expect_steps(m_engine);
    }
    m_destroyEvent = Simulator::ScheduleDestroy(&WeftPump::HandleDestroy, this);
}

void
WeftPump::HandleDestroy()
{
    m_attached = false;
    m_dead = true;
    m_armed = false;
    m_impl = nullptr;
    m_event = EventId();
}

void
WeftPump::Disarm()
{
    if (!m_armed)
    {
        return;
    }
    m_armed = false;
    if (!m_impl)
    {
        Simulator::Remove(m_event);
    }
}

void
WeftPump::Fire()
{
    RunEngine(m_armedPs + 1, m_armedPs + 1);
    FinishRun();
}

void
WeftPump::RunEngine(int64_t limitPs, int64_t quietPs)
{
    /* A callback may throw (std::bad_alloc) through the engine, which is broken then. */
    struct Running
    {
        explicit Running(WeftPump& pump)
            : p(pump)
        {
            p.m_armed = false;
            p.m_running = true;
            p.m_failed = true;
        }

        ~Running()
        {
            p.m_running = false;
        }

        WeftPump& p;
    } running(*this);

    weft_engine_quiet_until(m_engine, quietPs);
    m_failed = weft_engine_run(m_engine, limitPs) != 0;
}

void
WeftPump::FinishRun()
{
    if (m_failed)
    {
        // It is not armed again: a broken engine does not go on.
        const weft_err* err = weft_engine_error(m_engine);
        NS_ABORT_MSG_IF(m_onError.IsNull(), "weft engine: " << err->msg);
        m_onError(*err);
        return;
    }
    if (m_interrupted && *m_interrupted)
    {
        Simulator::Stop();
    }
    Touch();
}

} // namespace ns3
