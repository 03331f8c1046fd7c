/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-simulator: WeftSimulatorImpl does with ns-3's own events what
 * ns3::DefaultSimulatorImpl does. Each case runs under both.
 */
#include "weft-test-util.h"

#include "ns3/map-scheduler.h"
#include "ns3/test.h"

#include <atomic>
#include <thread>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup weft-tests
 * A case that runs under both implementations.
 */
class BothTestCase : public TestCase
{
  protected:
    /**
     * @param impl SimulatorImpl
     * @param name name of the case
     */
    BothTestCase(const std::string& impl, const std::string& name)
        : TestCase(name + ", " + impl),
          m_impl(impl)
    {
    }

    /** The case. */
    virtual void Check() = 0;

    /**
     * An event.
     * @param number which
     */
    void Note(int number)
    {
        m_order.push_back(number);
        m_contexts.push_back(Simulator::GetContext());
    }

    std::vector<int> m_order;         //!< Events executed.
    std::vector<uint32_t> m_contexts; //!< Their contexts.

  private:
    void DoRun() override
    {
        WeftTestRun run(m_impl);
        Check();
    }

    std::string m_impl; //!< SimulatorImpl.
};

/**
 * @ingroup weft-tests
 * Order of events and what becomes of their ids.
 */
class EventsTestCase : public BothTestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit EventsTestCase(const std::string& impl)
        : BothTestCase(impl, "events, cancel, remove, expiry")
    {
    }

  private:
    void Check() override
    {
        using T = EventsTestCase;
        NS_TEST_EXPECT_MSG_EQ(Simulator::IsFinished(), true, "nothing to do yet");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetSystemId(), 0, "system");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetMaximumSimulationTime().GetTimeStep(),
                              INT64_MAX,
                              "the end of time");
        EventId a = Simulator::Schedule(PicoSeconds(10), &T::Note, this, 1);
        EventId b = Simulator::Schedule(PicoSeconds(5), &T::Note, this, 2);
        EventId c = Simulator::Schedule(PicoSeconds(10), &T::Note, this, 3);
        EventId d = Simulator::Schedule(PicoSeconds(20), &T::Note, this, 4);
        EventId e = Simulator::Schedule(PicoSeconds(30), &T::Note, this, 5);
        Simulator::ScheduleWithContext(42, PicoSeconds(10), &T::Note, this, 6);
        Simulator::Schedule(PicoSeconds(10), &T::Later, this);
        NS_TEST_EXPECT_MSG_EQ(Simulator::IsFinished(), false, "there is something to do");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetDelayLeft(d), PicoSeconds(20), "delay left");
        Simulator::Cancel(d);
        Simulator::Remove(e);
        Simulator::Remove(e);
        Simulator::Cancel(EventId());
        NS_TEST_EXPECT_MSG_EQ(d.IsExpired() && e.IsExpired(), true, "both will not run");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetDelayLeft(d), PicoSeconds(0), "nothing left");
        NS_TEST_EXPECT_MSG_EQ(a.IsExpired() || b.IsExpired() || c.IsExpired(), false, "pending");

        Simulator::Run();
        const std::vector<int> expect = {2, 1, 3, 6, 7, 8};
        NS_TEST_ASSERT_MSG_EQ(m_order.size(), expect.size(), "events executed");
        for (std::size_t i = 0; i < expect.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(m_order[i], expect[i], "event " << i);
            const uint32_t context = expect[i] == 6 ? 42u : uint32_t(Simulator::NO_CONTEXT);
            NS_TEST_EXPECT_MSG_EQ(m_contexts[i], context, "context of event " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(a.IsExpired() && b.IsExpired() && c.IsExpired(), true, "done");
        // The cancelled event of 20 ps still took its time, the removed one of 30 ps did not.
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), PicoSeconds(20), "time of the last event");
        NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount(), 8, "events, the cancelled one included");
        NS_TEST_EXPECT_MSG_EQ(Simulator::IsFinished(), true, "all done");
    }

    /** Events of now, from within an event. */
    void Later()
    {
        EventId now = Simulator::ScheduleNow(&EventsTestCase::Note, this, 7);
        NS_TEST_EXPECT_MSG_EQ(now.IsExpired(), false, "it is still to come");
        Simulator::Schedule(PicoSeconds(0), &EventsTestCase::Note, this, 8);
        NS_TEST_EXPECT_MSG_EQ(m_order.back(), 6, "not called at once");
    }
};

/**
 * @ingroup weft-tests
 * Stop, and going on.
 */
class StopTestCase : public BothTestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit StopTestCase(const std::string& impl)
        : BothTestCase(impl, "stop")
    {
    }

  private:
    void Check() override
    {
        Simulator::Schedule(PicoSeconds(1), &StopTestCase::Note, this, 1);
        Simulator::Schedule(PicoSeconds(2), &StopTestCase::Halt, this);
        Simulator::Schedule(PicoSeconds(2), &StopTestCase::Note, this, 2);
        Simulator::Schedule(PicoSeconds(9), &StopTestCase::Note, this, 3);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_order.size(), 1, "stopped by an event");
        Simulator::Stop(PicoSeconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_order.size(), 2, "stopped after a time");
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), PicoSeconds(5), "that time");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_order.size(), 3, "went on");
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), PicoSeconds(9), "to the end");
    }

    /** An event that stops the simulation. */
    void Halt()
    {
        Simulator::Stop();
    }
};

/**
 * @ingroup weft-tests
 * Events of Simulator::Destroy.
 */
class DestroyTestCase : public TestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit DestroyTestCase(const std::string& impl)
        : TestCase("destroy, " + impl),
          m_impl(impl)
    {
    }

  private:
    void DoRun() override
    {
        {
            WeftTestRun run(m_impl);
            Simulator::Schedule(PicoSeconds(7), &DestroyTestCase::Note, this, 0);
            Simulator::ScheduleDestroy(&DestroyTestCase::Note, this, 1);
            EventId removed = Simulator::ScheduleDestroy(&DestroyTestCase::Note, this, 2);
            EventId cancelled = Simulator::ScheduleDestroy(&DestroyTestCase::Note, this, 3);
            Simulator::ScheduleDestroy(&DestroyTestCase::Note, this, 4);
            NS_TEST_EXPECT_MSG_EQ(removed.IsExpired(), false, "pending");
            Simulator::Remove(removed);
            Simulator::Cancel(cancelled);
            NS_TEST_EXPECT_MSG_EQ(removed.IsExpired(), true, "removed");
            NS_TEST_EXPECT_MSG_EQ(cancelled.IsExpired(), true, "cancelled");
            Simulator::Stop(PicoSeconds(3));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(m_order.size(), 0, "nothing yet");
        }
        // The pending event of 7 ps is freed, not run.
        NS_TEST_ASSERT_MSG_EQ(m_order.size(), 2, "run by Destroy");
        NS_TEST_EXPECT_MSG_EQ(m_order[0], 1, "in the order scheduled");
        NS_TEST_EXPECT_MSG_EQ(m_order[1], 4, "in the order scheduled");
        WeftTestRun again(m_impl);
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), PicoSeconds(0), "a new simulation starts at 0");
    }

    /**
     * An event.
     * @param number which
     */
    void Note(int number)
    {
        m_order.push_back(number);
    }

    std::string m_impl;       //!< SimulatorImpl.
    std::vector<int> m_order; //!< Events executed.
};

/**
 * @ingroup weft-tests
 * Another Scheduler in the middle.
 */
class SchedulerTestCase : public BothTestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit SchedulerTestCase(const std::string& impl)
        : BothTestCase(impl, "SetScheduler")
    {
    }

  private:
    void Check() override
    {
        for (int i = 9; i >= 0; i--)
        {
            Simulator::Schedule(PicoSeconds(i), &SchedulerTestCase::Note, this, i);
        }
        Simulator::Stop(PicoSeconds(4));
        Simulator::Run();
        ObjectFactory factory;
        factory.SetTypeId("ns3::HeapScheduler");
        Simulator::SetScheduler(factory);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_order.size(), 10, "none is lost");
        for (int i = 0; i < 10; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(m_order[i], i, "in order");
        }
    }
};

/**
 * @ingroup weft-tests
 * Events that another thread schedules while an engine runs.
 */
class ThreadTestCase : public BothTestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit ThreadTestCase(const std::string& impl)
        : BothTestCase(impl, "events from another thread")
    {
    }

  private:
    void Check() override
    {
        // Two hosts that exchange messages until the other thread's event has been executed.
        WeftFabricHelper helper;
        helper.SetTopology("dumbbell");
        helper.SetCongestionControl("none");
        m_fabric = helper.Install();
        m_fabric->TraceConnectWithoutContext("MessageComplete",
                                             MakeCallback(&ThreadTestCase::Complete, this));
        m_fabric->Send(0, 1, 1 << 20);
        std::thread other;
        Simulator::Schedule(PicoSeconds(1), &ThreadTestCase::StartThread, this, &other);
        Simulator::Run();
        other.join();
        m_fabric = nullptr;
        NS_TEST_ASSERT_MSG_EQ(m_order.size(), 100, "all were executed");
        NS_TEST_EXPECT_MSG_EQ(m_contexts[0], 3, "in the context asked for");
        for (int i = 0; i < 100; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(m_order[i], i, "in order");
        }
    }

    /**
     * Starts the other thread while the simulation runs.
     * @param other the thread
     */
    void StartThread(std::thread* other)
    {
        *other = std::thread([this] {
            for (int i = 0; i < 100; i++)
            {
                Simulator::ScheduleWithContext(3,
                                               PicoSeconds(0),
                                               &ThreadTestCase::FromThread,
                                               this,
                                               i);
            }
        });
    }

    /**
     * The other thread's event.
     * @param number which
     */
    void FromThread(int number)
    {
        Note(number);
    }

    /** Sink of MessageComplete. */
    void Complete(const weft_completion& done)
    {
        if (m_order.size() < 100)
        {
            m_fabric->Send(done.msg.dst, done.msg.src, 1 << 20);
        }
    }

    Ptr<WeftFabric> m_fabric; //!< The fabric.
};

/**
 * @ingroup weft-tests
 * What an engine callback learns of ns-3 events.
 */
class SameTimeTestCase : public BothTestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit SameTimeTestCase(const std::string& impl)
        : BothTestCase(impl, "events seen from an engine callback")
    {
    }

  private:
    void Check() override
    {
        WeftFabricHelper helper;
        helper.SetTopology("dumbbell");
        helper.SetCongestionControl("none");
        Ptr<WeftFabric> fabric = helper.Install();
        weft_err err = {};
        NS_TEST_ASSERT_MSG_EQ(fabric->TryTimer(10, &SameTimeTestCase::Timer, this, 0, &err),
                              0,
                              err.msg);
        m_after = Simulator::Schedule(PicoSeconds(10), &SameTimeTestCase::Note, this, 3);
        // The last event before the timer has the largest uid of all.
        m_before = Simulator::Schedule(PicoSeconds(9), &SameTimeTestCase::Note, this, 1);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_order.size(), 3, "all were executed");
        for (int i = 0; i < 3; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(m_order[i], i + 1, "in the order of their uids");
        }
    }

    /**
     * An engine timer.
     * @param ctx the case
     */
    static void Timer(void* ctx, uint64_t)
    {
        auto self = static_cast<SameTimeTestCase*>(ctx);
        self->Note(2);
        self->Verify();
    }

    /** Looks at the two events. */
    void Verify()
    {
        NS_TEST_EXPECT_MSG_EQ(m_before.IsExpired(), true, "it was executed before");
        NS_TEST_EXPECT_MSG_EQ(m_after.IsExpired(), false, "it is still to come");
    }

    EventId m_before; //!< Of an earlier time.
    EventId m_after;  //!< Of the timer's time.
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftSimulatorTestSuite : public TestSuite
{
  public:
    WeftSimulatorTestSuite()
        : TestSuite("weft-simulator", TestSuite::Type::UNIT)
    {
        for (const char* impl : g_weftTestImpls)
        {
            AddTestCase(new EventsTestCase(impl));
            AddTestCase(new StopTestCase(impl));
            AddTestCase(new DestroyTestCase(impl));
            AddTestCase(new SchedulerTestCase(impl));
            AddTestCase(new SameTimeTestCase(impl));
            AddTestCase(new ThreadTestCase(impl));
        }
    }
} g_weftSimulatorTestSuite; //!< Registers itself.

} // namespace
