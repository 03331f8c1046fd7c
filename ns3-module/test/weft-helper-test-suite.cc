/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-helper: WeftHelper's messages, TCP and UDP, and its callbacks.
 */
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-helper.h"

#include <map>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup weft-tests
 * Each send is told of once, with its source, destination, bytes and duration; messages last as
 * long as the fabric's trace source says.
 */
class HelperCallbacksTestCase : public TestCase
{
  public:
    HelperCallbacksTestCase()
        : TestCase("callbacks of messages, TCP and UDP")
    {
    }

  private:
    void DoRun() override
    {
        WeftHelper net("leaf-spine", "Leaves", UintegerValue(2), "HostsPerLeaf", UintegerValue(4));
        net.GetFabric()->TraceConnectWithoutContext(
            "MessageComplete",
            Callback<void, const weft_completion&>([this](const weft_completion& done) {
                m_traced[done.msg.src] = PicoSeconds(done.received_ps - done.post_ps);
            }));
        const auto done = MakeCallback(&HelperCallbacksTestCase::Done, this);
        net.Incast(MicroSeconds(1), 0, 3, 100000, done);
        net.Send(MicroSeconds(1), 7, 5, 1000); // nobody is told
        net.Tcp(MicroSeconds(2), 4, 0, 300000, done);
        net.Udp(MicroSeconds(3), 6, 0, 1472 * 10 + 1, DataRate("10Gbps"), done);
        NS_TEST_EXPECT_MSG_EQ(net.GetAddress(6), Ipv4Address("10.0.0.7"), "by host number");
        net.Run();

        NS_TEST_EXPECT_MSG_EQ(m_done.size(), 5u, "each that has a callback, once");
        for (uint32_t src : {1, 2, 3})
        {
            NS_TEST_EXPECT_MSG_EQ(m_done[src].bytes, 100000u, "of a message");
            NS_TEST_EXPECT_MSG_EQ(m_done[src].duration, m_traced[src], "as the trace says");
        }
        NS_TEST_EXPECT_MSG_EQ(m_traced.count(7), 1u, "a message without a callback arrives");
        NS_TEST_EXPECT_MSG_EQ(m_done[4].bytes, 300000u, "of TCP");
        // 300,000 bytes at 400 Gb/s and one round trip for the handshake, at least.
        NS_TEST_EXPECT_MSG_GT(m_done[4].duration, MicroSeconds(10), "of TCP");
        NS_TEST_EXPECT_MSG_EQ(m_done[6].bytes, 14721u, "of UDP");
        // The last packet is sent 10 packets of 1,472 bytes at 10 Gb/s after the first.
        const Time sending = DataRate("10Gbps").CalculateBytesTxTime(14720);
        NS_TEST_EXPECT_MSG_GT(m_done[6].duration, sending, "of UDP");
        NS_TEST_EXPECT_MSG_LT(m_done[6].duration, sending + MicroSeconds(10), "of UDP");
    }

    /** What a callback was given. */
    struct Given
    {
        uint64_t bytes; //!< Payload.
        Time duration;  //!< From the send.
    };

    /**
     * @param src sender
     * @param dst receiver
     * @param bytes payload
     * @param duration from the send
     */
    void Done(uint32_t src, uint32_t dst, uint64_t bytes, Time duration)
    {
        NS_TEST_EXPECT_MSG_EQ(dst, 0u, "all send to host 0");
        NS_TEST_EXPECT_MSG_EQ(m_done.count(src), 0u, "told once");
        m_done[src] = {bytes, duration};
    }

    std::map<uint32_t, Given> m_done;  //!< By source.
    std::map<uint32_t, Time> m_traced; //!< By source.
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftHelperTestSuite : public TestSuite
{
  public:
    WeftHelperTestSuite()
        : TestSuite("weft-helper", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new HelperCallbacksTestCase);
    }
};

WeftHelperTestSuite g_weftHelperTestSuite; //!< Registers the suite.

} // namespace
