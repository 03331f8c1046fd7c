/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-applications: each application posts what its attributes say, when they say so. Times
 * are worked out by hand, as in suite weft-fabric: at 100 Gb/s a full packet (4096 B of payload)
 * lasts 334,240 ps and an ACK 6,880 ps, and each link adds 1 us.
 */
#include "weft-test-util.h"

#include "ns3/application-container.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-application-helper.h"
#include "ns3/weft-application.h"

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

const int64_t FULL = 4178 * 80; //!< A full packet: ps.
const int64_t ACK = 86 * 80;    //!< An ACK: ps.
const int64_t DELAY = 1000000;  //!< Propagation of each link: ps.
const uint64_t PACKET = 4096;   //!< Payload of a full packet.

/**
 * @ingroup weft-tests
 * Hosts around one switch, without congestion control, and what their applications report.
 */
class Star
{
  public:
    /**
     * @param n number of hosts
     */
    explicit Star(uint32_t n)
    {
        NodeContainer nodes(n);
        NodeContainer hub(1);
        helper.AddHosts(nodes);
        helper.AddSwitches(hub);
        for (uint32_t i = 0; i < n; i++)
        {
            helper.AddLink(nodes.Get(i), hub.Get(0), DataRate("100Gbps"), PicoSeconds(DELAY));
        }
        helper.SetCongestionControl("none");
        fabric = helper.Install();
        hosts = helper.GetHosts();
    }

    /**
     * @param apps applications to listen to
     */
    void Watch(const ApplicationContainer& apps)
    {
        for (uint32_t i = 0; i < apps.GetN(); i++)
        {
            Ptr<Application> app = apps.Get(i);
            app->TraceConnectWithoutContext("MessagePosted", MakeCallback(&Star::Posted, this));
            app->TraceConnectWithoutContext("MessageReceived", MakeCallback(&Star::Received, this));
            app->TraceConnectWithoutContext("RoundComplete", MakeCallback(&Star::Round, this));
        }
    }

    /**
     * @param m a message
     */
    void Posted(const weft_completion& m)
    {
        posted.push_back(m);
    }

    /**
     * @param m a message
     */
    void Received(const weft_completion& m)
    {
        received.push_back(m);
    }

    /**
     * @param number of the round
     * @param duration of it
     */
    void Round(uint32_t number, Time duration)
    {
        rounds.emplace_back(number, duration.GetPicoSeconds());
    }

    WeftFabricHelper helper;                          //!< The fabric's.
    Ptr<WeftFabric> fabric;                           //!< The fabric.
    NodeContainer hosts;                              //!< Its hosts.
    std::vector<weft_completion> posted;              //!< All messages posted.
    std::vector<weft_completion> received;            //!< All messages received.
    std::vector<std::pair<uint32_t, int64_t>> rounds; //!< All rounds completed.
};

/**
 * @ingroup weft-tests
 * Messages one after the other, and one per interval.
 */
class SenderTestCase : public TestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit SenderTestCase(const std::string& impl)
        : TestCase("message sender, " + impl),
          m_impl(impl)
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run(m_impl);
        Star star(3);
        WeftMessageSenderHelper chain(star.hosts.Get(1), PACKET);
        chain.SetAttribute("Count", UintegerValue(3));
        chain.SetAttribute("Tag", UintegerValue(7));
        ApplicationContainer first = chain.Install(star.hosts.Get(0));
        first.Start(PicoSeconds(500));
        WeftMessageSenderHelper clock(star.hosts.Get(0), 0);
        clock.SetAttribute("Count", UintegerValue(0));
        clock.SetAttribute("Interval", TimeValue(MicroSeconds(10)));
        clock.SetAttribute("Priority", UintegerValue(5));
        ApplicationContainer second = clock.Install(star.hosts.Get(2));
        second.Start(Seconds(0));
        second.Stop(MicroSeconds(35));
        star.Watch(first);
        Simulator::Run();

        const int64_t one = 2 * (FULL + DELAY);       // posted to received
        const int64_t trip = one + 2 * (ACK + DELAY); // posted to acknowledged
        NS_TEST_ASSERT_MSG_EQ(star.posted.size(), 3, "Count");
        NS_TEST_ASSERT_MSG_EQ(star.received.size(), 3, "all arrive");
        for (int i = 0; i < 3; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(star.posted[i].post_ps, 500 + i * trip, "message " << i);
            NS_TEST_EXPECT_MSG_EQ(star.received[i].received_ps, 500 + i * trip + one, i);
            NS_TEST_EXPECT_MSG_EQ(star.posted[i].id, star.received[i].id, "id of message " << i);
            NS_TEST_EXPECT_MSG_EQ(star.received[i].msg.tag, 7, "tag of message " << i);
        }
        Ptr<WeftApplication> sender = DynamicCast<WeftApplication>(first.Get(0));
        NS_TEST_EXPECT_MSG_EQ(sender->GetPosted(), 3, "posted");
        NS_TEST_EXPECT_MSG_EQ(sender->GetReceived(), 3, "received");
        NS_TEST_EXPECT_MSG_EQ(sender->GetReceivedBytes(), 3 * PACKET, "bytes");
        Ptr<WeftApplication> ticks = DynamicCast<WeftApplication>(second.Get(0));
        NS_TEST_EXPECT_MSG_EQ(ticks->GetPosted(), 4, "at 0, 10, 20 and 30 us");
        NS_TEST_EXPECT_MSG_EQ(ticks->GetReceived(), 4, "all arrive");
    }

    std::string m_impl; //!< SimulatorImpl.
};

/**
 * @ingroup weft-tests
 * Rounds of an incast.
 */
class IncastTestCase : public TestCase
{
  public:
    IncastTestCase()
        : TestCase("incast")
    {
    }

  private:
    /**
     * @param stream stream of the draws
     * @return the senders of 40 rounds of 2 out of 5
     */
    std::vector<std::set<uint32_t>> Draws(int64_t stream)
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Star star(6);
        WeftIncastHelper incast(100);
        incast.SetAttribute("FanIn", UintegerValue(2));
        incast.SetAttribute("Rounds", UintegerValue(40));
        ApplicationContainer apps = incast.Install(star.hosts.Get(0));
        NS_TEST_EXPECT_MSG_EQ(WeftApplicationHelper::AssignStreams(apps, stream), 1, "one stream");
        star.Watch(apps);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(star.rounds.size(), 40, "rounds");
        std::vector<std::set<uint32_t>> senders(40);
        for (const weft_completion& m : star.received)
        {
            NS_TEST_EXPECT_MSG_EQ(m.msg.dst, 0, "the receiver");
            senders.at(m.msg.tag).insert(m.msg.src);
        }
        return senders;
    }

    void DoRun() override
    {
        {
            WeftTestRun run("ns3::WeftSimulatorImpl");
            Star star(4);
            WeftIncastHelper incast(PACKET);
            incast.SetAttribute("Rounds", UintegerValue(3));
            star.Watch(incast.Install(star.hosts.Get(3)));
            Simulator::Run();
            // Three packets reach the switch together and leave it one after the other.
            NS_TEST_ASSERT_MSG_EQ(star.rounds.size(), 3, "rounds");
            for (uint32_t i = 0; i < 3; i++)
            {
                NS_TEST_EXPECT_MSG_EQ(star.rounds[i].first, i, "number");
                NS_TEST_EXPECT_MSG_EQ(star.rounds[i].second, 4 * FULL + 2 * DELAY, "duration");
                NS_TEST_EXPECT_MSG_EQ(star.posted[3 * i].post_ps,
                                      i * (4 * FULL + 2 * DELAY),
                                      "the next round starts when one has arrived");
            }
        }
        {
            // A period shorter than a round: rounds overlap, and each is told when it is complete.
            WeftTestRun run("ns3::WeftSimulatorImpl");
            Star star(4);
            WeftIncastHelper incast(PACKET);
            incast.SetAttribute("Rounds", UintegerValue(2));
            incast.SetAttribute("Interval", TimeValue(PicoSeconds(FULL)));
            incast.SetPeers(NodeContainer(star.hosts.Get(0), star.hosts.Get(1)));
            star.Watch(incast.Install(star.hosts.Get(3)));
            Simulator::Run();
            // Four packets at the switch by 2 FULL + DELAY, which leave it in 4 FULL from
            // FULL + DELAY on; the second round started at FULL.
            NS_TEST_ASSERT_MSG_EQ(star.rounds.size(), 2, "rounds");
            NS_TEST_EXPECT_MSG_EQ(star.rounds[0].second, 3 * FULL + 2 * DELAY, "first");
            NS_TEST_EXPECT_MSG_EQ(star.rounds[1].second, 4 * FULL + 2 * DELAY, "second");
        }
        const std::vector<std::set<uint32_t>> draws = Draws(3);
        std::map<uint32_t, int> times;
        for (const std::set<uint32_t>& senders : draws)
        {
            NS_TEST_EXPECT_MSG_EQ(senders.size(), 2, "drawn without replacement");
            for (uint32_t s : senders)
            {
                times[s]++;
            }
        }
        // 80 draws over 5 hosts: 16 each, standard deviation of 3.1.
        NS_TEST_EXPECT_MSG_EQ(times.size(), 5, "every host is drawn");
        for (const auto& t : times)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(t.second, 16, 12, "host " << t.first);
        }
        NS_TEST_EXPECT_MSG_EQ((Draws(3) == draws), true, "the same stream draws the same");
        NS_TEST_EXPECT_MSG_EQ((Draws(4) == draws), false, "another stream draws otherwise");
    }
};

/**
 * @ingroup weft-tests
 * An all-to-all.
 */
class AllToAllTestCase : public TestCase
{
  public:
    AllToAllTestCase()
        : TestCase("all-to-all")
    {
    }

  private:
    /**
     * @param window attribute Window
     * @param expectPs duration of each round
     */
    void Check(uint32_t window, int64_t expectPs)
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Star star(4);
        WeftAllToAllHelper all(PACKET);
        all.SetAttribute("Rounds", UintegerValue(2));
        all.SetAttribute("Window", UintegerValue(window));
        star.Watch(all.Install(star.hosts));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(star.rounds.size(), 8, "4 members, 2 rounds");
        for (const auto& round : star.rounds)
        {
            NS_TEST_EXPECT_MSG_EQ(round.second, expectPs, "window " << window);
        }
        std::map<std::pair<uint32_t, uint32_t>, int> pairs;
        for (const weft_completion& m : star.received)
        {
            pairs[{m.msg.src, m.msg.dst}]++;
        }
        NS_TEST_EXPECT_MSG_EQ(pairs.size(), 12, "every ordered pair");
        for (const auto& p : pairs)
        {
            NS_TEST_EXPECT_MSG_EQ(p.second, 2, "once a round");
        }
    }

    void DoRun() override
    {
        const int64_t ack = 2 * (ACK + DELAY);
        // Each step is a permutation: nobody waits for another. Three packets from the NIC, the
        // last of which is stored and forwarded once, and its ACK.
        Check(0, 4 * FULL + 2 * DELAY + ack);
        // One at a time: three round trips.
        Check(1, 3 * (2 * (FULL + DELAY) + ack));
    }
};

/**
 * @ingroup weft-tests
 * Traffic from a distribution.
 */
class CdfTestCase : public TestCase
{
  public:
    CdfTestCase()
        : TestCase("traffic from a distribution")
    {
    }

  private:
    /**
     * @param file the distribution
     * @param stream first stream
     * @return all messages posted
     */
    std::vector<weft_completion> Messages(const std::string& file, int64_t stream)
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Star star(3);
        WeftCdfTrafficHelper traffic(file, 0.25);
        traffic.SetAttribute("Count", UintegerValue(4000));
        ApplicationContainer apps = traffic.Install(star.hosts);
        NS_TEST_EXPECT_MSG_EQ(WeftApplicationHelper::AssignStreams(apps, stream), 9, "streams");
        star.Watch(apps);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(star.received.size(), 12000, "all arrive");
        return star.posted;
    }

    void DoRun() override
    {
        const std::string file = CreateTempDirFilename("sizes.txt");
        std::ofstream(file) << "1000 0\n3000 100\n";
        const std::vector<weft_completion> all = Messages(file, 10);
        NS_TEST_ASSERT_MSG_EQ(all.size(), 12000, "Count each");
        // Sizes are uniform from 1000 to 3000: mean 2000, standard deviation 577. Gaps are
        // exponential with mean 2000 x 8 / (0.25 x 100 Gb/s) = 640 ns.
        double bytes = 0;
        double last[3] = {};
        std::map<std::pair<uint32_t, uint32_t>, int> pairs;
        for (const weft_completion& m : all)
        {
            NS_TEST_EXPECT_MSG_EQ((m.msg.bytes >= 1000 && m.msg.bytes < 3000), true, "size");
            bytes += m.msg.bytes;
            last[m.msg.src] = m.post_ps;
            pairs[{m.msg.src, m.msg.dst}]++;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(bytes / 12000, 2000, 5 * 577 / std::sqrt(12000), "mean size");
        for (double t : last)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(t / 4000, 640e3, 5 * 640e3 / std::sqrt(4000), "mean gap");
        }
        NS_TEST_EXPECT_MSG_EQ(pairs.size(), 6, "every ordered pair");
        for (const auto& p : pairs)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(p.second, 2000, 5 * std::sqrt(1000), "half of 4000");
        }
        const std::vector<weft_completion> again = Messages(file, 10);
        const std::vector<weft_completion> other = Messages(file, 100);
        NS_TEST_EXPECT_MSG_EQ(again.back().post_ps, all.back().post_ps, "the same streams");
        NS_TEST_EXPECT_MSG_NE(other.back().post_ps, all.back().post_ps, "other streams");
    }
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftApplicationsTestSuite : public TestSuite
{
  public:
    WeftApplicationsTestSuite()
        : TestSuite("weft-applications", TestSuite::Type::UNIT)
    {
        for (const char* impl : g_weftTestImpls)
        {
            AddTestCase(new SenderTestCase(impl));
        }
        AddTestCase(new IncastTestCase());
        AddTestCase(new AllToAllTestCase());
        AddTestCase(new CdfTestCase());
    }
} g_weftApplicationsTestSuite; //!< Registers itself.

} // namespace
