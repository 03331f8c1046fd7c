/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-order: a simulation in which ns-3 events and engine events meet at the same picosecond
 * over and over gives, line for line, the same log under WeftSimulatorImpl and under ns-3's default
 * implementation, with every Scheduler.
 *
 * The log shows engine state seen by ns-3 events (packets sent so far), and ns-3 state seen by
 * engine callbacks, so that any difference in the order of two events changes it.
 */
#include "base/rng.h"
#include "weft-test-util.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <set>
#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup weft-tests
 * One simulation with random but repeatable actions.
 */
class TangledRun
{
  public:
    /**
     * @param impl SimulatorImpl
     * @param scheduler Scheduler
     * @param seed what happens
     */
    TangledRun(const std::string& impl, const std::string& scheduler, uint64_t seed)
        : m_rng(weft_rng_stream(seed, "tangle", 0))
    {
        WeftTestRun run(impl, scheduler);
        for (int i = 0; i < 2; i++)
        {
            m_fabrics[i] = MakeFabric(seed);
            m_fabrics[i]->TraceConnect("MessageComplete",
                                       std::to_string(i),
                                       MakeCallback(&TangledRun::Complete, this));
            m_fabrics[i]->TraceConnect("MessageAcked",
                                       std::to_string(i),
                                       MakeCallback(&TangledRun::Acked, this));
        }
        // On one fabric, callbacks at nearly every engine event; the other one runs in bulk.
        m_fabrics[0]->TraceConnectWithoutContext("QueueBytes",
                                                 MakeCallback(&TangledRun::Queue, this));
        m_fabrics[0]->TraceConnectWithoutContext("PfcPause", MakeCallback(&TangledRun::Pfc, this));
        for (int i = 0; i < 20; i++)
        {
            Act("start");
        }
        // A comb of ns-3 events on the grid of packet times.
        for (int i = 1; i < 60; i++)
        {
            Simulator::Schedule(PicoSeconds(i * 334240), &TangledRun::Event, this, 1000 + i);
        }
        Simulator::Stop(MicroSeconds(300));
        do
        {
            m_stopped = Simulator::Now() < MicroSeconds(300);
            Simulator::Run();
            Line("stopped", 0);
            Act("again");
        } while (m_stopped);
        Simulator::Run();
        Line("end", 0);
        for (const Ptr<WeftFabric>& fabric : m_fabrics)
        {
            weft_err err = {};
            if (weft_engine_check(fabric->GetEngine(), &err) != 0)
            {
                log << err.msg;
            }
        }
    }

    std::ostringstream log; //!< What happened.
    uint32_t ties{0};       //!< ns-3 events at a picosecond at which an engine callback ran.
    uint32_t completed{0};  //!< Messages received.
    uint32_t pauses{0};     //!< PFC pauses.

  private:
    /**
     * @param seed seed of the engine
     * @return a small fabric with PFC and marking soon
     */
    static Ptr<WeftFabric> MakeFabric(uint64_t seed)
    {
        WeftFabricHelper helper;
        helper.SetTopology("dumbbell",
                           "Left",
                           UintegerValue(3),
                           "Right",
                           UintegerValue(3),
                           "HostRate",
                           DataRateValue(DataRate("100Gbps")),
                           "BottleneckRate",
                           DataRateValue(DataRate("100Gbps")));
        helper.SetCongestionControl("dcqcn");
        helper.SetAttribute("SwitchBuffer", UintegerValue(512 << 10));
        helper.SetAttribute("EcnKmin", UintegerValue(4000));
        helper.SetAttribute("EcnKmax", UintegerValue(40000));
        helper.SetAttribute("Seed", UintegerValue(seed + 1));
        return helper.Install();
    }

    /**
     * Writes one line.
     * @param what what happened
     * @param arg a number about it
     */
    void Line(const char* what, uint64_t arg)
    {
        log << Simulator::Now().GetPicoSeconds() << ' ' << what << ' ' << arg;
        for (const Ptr<WeftFabric>& fabric : m_fabrics)
        {
            if (weft_engine* engine = fabric->GetEngine())
            {
                struct weft_totals t;
                weft_engine_totals(engine, &t);
                log << ' ' << t.packet_hops << ' ' << t.msgs_received << ' ' << t.ecn_marks << ' '
                    << t.packets_in_flight;
            }
        }
        log << '\n';
    }

    /**
     * Does something random.
     * @param why for the log
     */
    void Act(const char* why)
    {
        if (++m_actions > 4000)
        {
            return;
        }
        const uint64_t dice = weft_rng_below(&m_rng, 100);
        // Delays on the grid of events: nothing, an ACK, a full packet, a link, a link and a
        // packet.
        static const int64_t delays[] = {0, 6880, 334240, 1000000, 1334240, 2668480, 17};
        const int64_t delay = delays[weft_rng_below(&m_rng, 7)];
        log << "  " << why << ' ' << dice << '\n';
        if (dice < 35)
        {
            const uint32_t src = weft_rng_below(&m_rng, 6);
            const uint32_t dst = (src + 1 + weft_rng_below(&m_rng, 5)) % 6;
            const uint64_t bytes = 4096 * weft_rng_below(&m_rng, 12);
            m_fabrics[weft_rng_below(&m_rng, 2)]->Send(src, dst, bytes, m_actions);
        }
        else if (dice < 75)
        {
            m_pending.push_back(
                Simulator::Schedule(PicoSeconds(delay), &TangledRun::Event, this, m_actions));
        }
        else if (dice < 80)
        {
            Simulator::ScheduleWithContext(weft_rng_below(&m_rng, 4),
                                           PicoSeconds(delay),
                                           &TangledRun::Event,
                                           this,
                                           m_actions);
        }
        else if (dice < 92)
        {
            weft_err err = {};
            m_fabrics[weft_rng_below(&m_rng, 2)]->TryTimer(delay,
                                                           &TangledRun::Timer,
                                                           this,
                                                           m_actions,
                                                           &err);
        }
        else if (dice < 93)
        {
            Simulator::Stop();
            m_stopped = true;
        }
        else if (!m_pending.empty())
        {
            EventId& id = m_pending[weft_rng_below(&m_rng, m_pending.size())];
            log << "  left " << Simulator::GetDelayLeft(id).GetPicoSeconds() << ' '
                << Simulator::IsExpired(id) << '\n';
            if (dice % 2)
            {
                Simulator::Cancel(id);
            }
            else
            {
                Simulator::Remove(id);
            }
        }
    }

    /**
     * An ns-3 event.
     * @param number which
     */
    void Event(uint64_t number)
    {
        if (m_engineTimes.count(Simulator::Now().GetPicoSeconds()))
        {
            ties++;
        }
        log << Simulator::GetContext() << ' ';
        Line("event", number);
        Act("event");
    }

    /**
     * An engine timer.
     * @param ctx the run
     * @param number which
     */
    static void Timer(void* ctx, uint64_t number)
    {
        auto self = static_cast<TangledRun*>(ctx);
        self->EngineCallback("timer", number);
        self->Act("timer");
    }

    /**
     * Any engine callback.
     * @param what for the log
     * @param arg for the log
     */
    void EngineCallback(const char* what, uint64_t arg)
    {
        m_engineTimes.insert(Simulator::Now().GetPicoSeconds());
        Line(what, arg);
    }

    /**
     * Sink of MessageComplete.
     * @param context number of the fabric
     * @param done the message
     */
    void Complete(std::string context, const weft_completion& done)
    {
        completed++;
        log << context << ' ' << (Simulator::Now().GetPicoSeconds() == done.received_ps) << ' ';
        EngineCallback("complete", done.msg.tag);
        Act("complete");
        Act("complete");
    }

    /**
     * Sink of MessageAcked.
     * @param context number of the fabric
     * @param done the message
     */
    void Acked(std::string context, const weft_completion& done)
    {
        log << context << ' ';
        EngineCallback("acked", done.msg.tag);
    }

    /**
     * Sink of QueueBytes.
     * @param time when
     * @param port where
     * @param prio priority
     * @param bytes queued
     */
    void Queue(Time time, uint32_t port, uint32_t prio, uint64_t bytes)
    {
        EngineCallback("queue", bytes * 100 + port * 10 + prio);
        if (time == Simulator::Now() && weft_rng_below(&m_rng, 16) == 0)
        {
            Act("queue");
        }
    }

    /**
     * Sink of PfcPause.
     * @param port where
     * @param prio priority
     */
    void Pfc(Time /* time */, uint32_t port, uint32_t prio)
    {
        pauses++;
        EngineCallback("pause", port * 10 + prio);
        Act("pause");
    }

    weft_rng m_rng;                  //!< What happens next.
    Ptr<WeftFabric> m_fabrics[2];    //!< Two fabrics.
    std::vector<EventId> m_pending;  //!< Events that may be cancelled.
    std::set<int64_t> m_engineTimes; //!< When engine callbacks ran.
    uint32_t m_actions{0};           //!< How many actions so far.
    bool m_stopped{false};           //!< Run returns before everything is done.
};

/**
 * @ingroup weft-tests
 * Compares one seed under all implementations.
 */
class OrderTestCase : public TestCase
{
  public:
    /**
     * @param seed what happens
     */
    explicit OrderTestCase(uint64_t seed)
        : TestCase("tangled simulation " + std::to_string(seed)),
          m_seed(seed)
    {
    }

  private:
    void DoRun() override
    {
        const TangledRun reference("ns3::DefaultSimulatorImpl", "ns3::MapScheduler", m_seed);
        NS_TEST_ASSERT_MSG_GT(reference.completed, 100, "messages are completed");
        NS_TEST_ASSERT_MSG_GT(reference.ties, 20, "events of both kinds meet");
        const std::string expect = reference.log.str();
        NS_TEST_ASSERT_MSG_EQ(expect.find("internal"), std::string::npos, "invariants hold");
        for (const char* scheduler :
             {"ns3::MapScheduler", "ns3::HeapScheduler", "ns3::PriorityQueueScheduler"})
        {
            const TangledRun run("ns3::WeftSimulatorImpl", scheduler, m_seed);
            const std::string got = run.log.str();
            std::size_t i = 0;
            while (i < got.size() && i < expect.size() && got[i] == expect[i])
            {
                i++;
            }
            const std::size_t from = expect.rfind('\n', i) + 1;
            const bool same = got == expect;
            NS_TEST_EXPECT_MSG_EQ(same,
                                  true,
                                  scheduler << ": first difference after '"
                                            << expect.substr(from, 60) << "' vs '"
                                            << got.substr(from, 60) << "'");
        }
    }

    uint64_t m_seed; //!< What happens.
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftOrderTestSuite : public TestSuite
{
  public:
    WeftOrderTestSuite()
        : TestSuite("weft-order", TestSuite::Type::SYSTEM)
    {
        for (uint64_t seed = 1; seed <= 6; seed++)
        {
            AddTestCase(new OrderTestCase(seed));
        }
    }
} g_weftOrderTestSuite; //!< Registers itself.

} // namespace
