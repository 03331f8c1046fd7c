/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * EnablePcap and EnableAscii: what the files of two hosts hold, read back with ns-3's own reader.
 */
#include "weft-tcp-test-util.h"

#include "ns3/double.h"
#include "ns3/global-value.h"
#include "ns3/ipv4-header.h"
#include "ns3/mac48-address.h"
#include "ns3/pcap-file.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-net-device.h"

#include <fstream>
#include <sstream>
#include <vector>

namespace
{

using namespace ns3;

/**
 * @ingroup weft-tests
 * One record of a capture file.
 */
struct Captured
{
    uint64_t ns;                //!< Its time.
    std::vector<uint8_t> bytes; //!< The frame.
};

/**
 * @param path a capture file with nanoseconds
 * @return its records
 */
std::vector<Captured>
ReadCapture(const std::string& path)
{
    PcapFile file;
    file.Open(path, std::ios::in);
    std::vector<Captured> all;
    NS_ABORT_MSG_IF(file.Fail() || !file.IsNanoSecMode() || file.GetDataLinkType() != 1,
                    path << " is no capture file with nanoseconds");
    for (;;)
    {
        std::vector<uint8_t> buffer(65536);
        uint32_t sec;
        uint32_t nsec;
        uint32_t kept;
        uint32_t length;
        uint32_t read;
        file.Read(buffer.data(), buffer.size(), sec, nsec, kept, length, read);
        if (file.Eof())
        {
            return all;
        }
        NS_ABORT_MSG_IF(kept != length, "a frame is cut");
        buffer.resize(read);
        all.push_back({sec * UINT64_C(1000000000) + nsec, buffer});
    }
}

/**
 * @ingroup weft-tests
 * One message between two hosts on a switch: the files of the two devices say when each packet left
 * and arrived.
 */
class PcapTestCase : public TestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit PcapTestCase(const std::string& impl)
        : TestCase("EnablePcap and EnableAscii, " + impl),
          m_impl(impl)
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run(m_impl);
        WeftFabricHelper helper;
        helper.SetTopology("single-switch",
                           "Hosts",
                           UintegerValue(2),
                           "Rate",
                           StringValue("100Gbps"),
                           "Delay",
                           StringValue("1us"));
        helper.SetCongestionControl("none");
        Ptr<WeftFabric> fabric = helper.Install();
        NodeContainer hosts = helper.GetHosts();
        const std::string prefix = CreateTempDirFilename("weft");
        helper.EnablePcap(prefix, hosts);
        helper.EnablePcap(prefix + "-switch.pcap", helper.GetDevices().Get(2), false, true);
        helper.EnableAsciiAll(prefix);
        std::ostringstream lines;
        helper.EnableAscii(Create<OutputStreamWrapper>(&lines), hosts.Get(0)->GetDevice(0));
        helper.SendMessage(MicroSeconds(3), 0, 1, 5000);
        Simulator::Run();
        weft_err err = {};
        NS_TEST_ASSERT_MSG_EQ(fabric->TryFlushCaptures(&err), 0, err.msg);

        // 4096 B and 904 B: 4178 and 986 B on the wire, 334,240 and 78,880 ps, store and forward.
        // Each ACK takes 86 B, 6,880 ps per link.
        const std::vector<uint64_t> left = {3000000, 3334240};
        const std::vector<uint64_t> came = {3000000 + 2 * 1334240, 3000000 + 2 * 1334240 + 78880};
        const uint32_t node[] = {hosts.Get(0)->GetId(), hosts.Get(1)->GetId()};
        std::vector<Captured> file[2];
        for (int h = 0; h < 2; h++)
        {
            file[h] = ReadCapture(prefix + "-" + std::to_string(node[h]) + "-0.pcap");
            NS_TEST_ASSERT_MSG_EQ(file[h].size(), 4, "two data packets and two ACKs");
        }
        for (int i = 0; i < 2; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(file[0][i].ns, left[i] / 1000, "begins to be sent");
            NS_TEST_EXPECT_MSG_EQ(int(file[0][i].bytes[46]),
                                  (i == 0 ? 0x06 : 0x08),
                                  "WRITE first, last");
        }
        // At the receiver: data, its ACK at once, data, its ACK.
        for (int i = 0; i < 2; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(file[1][2 * i].ns, came[i] / 1000, "received completely");
            NS_TEST_EXPECT_MSG_EQ(file[1][2 * i + 1].ns, came[i] / 1000, "and answered");
            NS_TEST_EXPECT_MSG_EQ(int(file[1][2 * i + 1].bytes[46]), 0x11, "ACKNOWLEDGE");
            NS_TEST_EXPECT_MSG_EQ(file[0][2 + i].ns,
                                  (came[i] + 2 * 1006880) / 1000,
                                  "the ACK has come back");
        }
        uint8_t mac[6];
        Mac48Address::ConvertFrom(hosts.Get(0)->GetDevice(0)->GetAddress()).CopyTo(mac);
        const std::vector<uint8_t>& first = file[0][0].bytes;
        NS_TEST_EXPECT_MSG_EQ(std::equal(mac, mac + 6, first.begin() + 6),
                              true,
                              "the address of the device");
        NS_TEST_EXPECT_MSG_EQ(ReadCapture(prefix + "-switch.pcap").size(), 4, "explicit file name");

        const std::string file0 = prefix + "-" + std::to_string(node[0]) + "-0.tr";
        NS_TEST_EXPECT_MSG_EQ(std::ifstream(file0).good(), true, "a file per device");
        std::istringstream ascii(lines.str());
        const std::string path = " /NodeList/" + std::to_string(node[0]) + "/DeviceList/0 ";
        const std::string expected[] = {
            "- 0.000003000000" + path + "data prio 3 bytes 4158 h0 > h1 qp 2 psn 0 payload 4096",
            "- 0.000003334240" + path + "data prio 3 bytes 966 h0 > h1 qp 2 psn 1 payload 904",
            "r 0.000007682240" + path + "ack prio 3 bytes 66 h1 > h0 qp 2 psn 1",
            "r 0.000007761120" + path + "ack prio 3 bytes 66 h1 > h0 qp 2 psn 2"};
        for (const std::string& want : expected)
        {
            std::string line;
            std::getline(ascii, line);
            NS_TEST_EXPECT_MSG_EQ(line, want, "line of the ASCII trace");
        }
    }

    std::string m_impl; //!< SimulatorImpl.
};

/**
 * @ingroup weft-tests
 * TCP and RoCE between two hosts: the capture files have the frames of both, and the trace sources
 * Sniffer and PromiscSniffer give the same bytes.
 */
class SnifferTestCase : public TestCase
{
  public:
    SnifferTestCase()
        : TestCase("TCP in captures, Sniffer")
    {
    }

  private:
    /** What the sniffers of a device gave. */
    struct Sniffed
    {
        std::vector<Captured> frames; //!< Of Sniffer.
        uint64_t promiscuous{0};      //!< Frames of PromiscSniffer.
    };

    /**
     * A sink of Sniffer.
     * @param to where it goes
     * @param frame the frame
     */
    static void Sniff(Sniffed* to, Ptr<const Packet> frame)
    {
        std::vector<uint8_t> bytes(frame->GetSize());
        frame->CopyData(bytes.data(), bytes.size());
        to->frames.push_back({uint64_t(Simulator::Now().GetNanoSeconds()), bytes});
    }

    /**
     * A sink of PromiscSniffer.
     * @param to where it is counted
     */
    static void Count(Sniffed* to, Ptr<const Packet> /* frame */)
    {
        to->promiscuous++;
    }

    void DoRun() override
    {
        const uint64_t BYTES = 300000;
        WeftTestRun run("ns3::WeftSimulatorImpl");
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        WeftTestSetTcp("TcpDctcp");
        WeftFabricHelper helper;
        helper.SetTopology("single-switch",
                           "Hosts",
                           UintegerValue(3),
                           "Rate",
                           StringValue("10Gbps"));
        helper.SetCongestionControl("none");
        helper.SetAttribute("CaptureTag", BooleanValue(false));
        helper.SetAttribute("EcnKmin", UintegerValue(20000));
        helper.SetAttribute("EcnKmax", UintegerValue(20000));
        Ptr<WeftFabric> fabric = helper.Install();
        const auto addresses = WeftTestInstallStack(helper);
        NodeContainer hosts = helper.GetHosts();
        const std::string prefix = CreateTempDirFilename("weft-tcp");
        Sniffed sniffed[2];
        for (int h = 0; h < 2; h++)
        {
            Ptr<NetDevice> device = hosts.Get(h)->GetDevice(0);
            helper.EnablePcap(prefix + std::to_string(h) + ".pcap", device, false, true);
            device->TraceConnectWithoutContext("Sniffer", MakeBoundCallback(&Sniff, &sniffed[h]));
            device->TraceConnectWithoutContext("PromiscSniffer",
                                               MakeBoundCallback(&Count, &sniffed[h]));
        }
        WeftTestBulk tcp(hosts.Get(0), hosts.Get(1), addresses[1], 80, MicroSeconds(1), BYTES);
        WeftTestBulk other(hosts.Get(2), hosts.Get(1), addresses[1], 81, MicroSeconds(1), BYTES);
        helper.SendMessage(MicroSeconds(50), 0, 1, 5000);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        weft_err err = {};
        NS_TEST_ASSERT_MSG_EQ(fabric->TryFlushCaptures(&err), 0, err.msg);
        NS_TEST_ASSERT_MSG_EQ(tcp.received, BYTES, "all of TCP");

        uint64_t roce = 0;
        uint64_t marked = 0;
        uint64_t payload = 0;
        for (int h = 0; h < 2; h++)
        {
            const auto file = ReadCapture(prefix + std::to_string(h) + ".pcap");
            NS_TEST_ASSERT_MSG_EQ(file.size(), sniffed[h].frames.size(), "frames");
            NS_TEST_EXPECT_MSG_EQ(file.size(), sniffed[h].promiscuous, "frames of PromiscSniffer");
            for (std::size_t i = 0; i < file.size(); i++)
            {
                NS_TEST_ASSERT_MSG_EQ(file[i].ns, sniffed[h].frames[i].ns, "time of frame " << i);
                NS_TEST_ASSERT_MSG_EQ((file[i].bytes == sniffed[h].frames[i].bytes),
                                      true,
                                      "bytes of frame " << i);
                const std::vector<uint8_t>& b = file[i].bytes;
                NS_TEST_ASSERT_MSG_EQ((b[12] << 8 | b[13]), 0x0800, "IPv4");
                roce += b[23] == 17;
                if (b[23] != 6)
                {
                    continue;
                }
                // A packet of TCP that ns-3 can read, checksum of a marked one included.
                Ptr<Packet> packet = Create<Packet>(&b[14], (b[16] << 8) + b[17]);
                Ipv4Header ip;
                ip.EnableChecksum();
                packet->RemoveHeader(ip);
                NS_TEST_ASSERT_MSG_EQ(ip.IsChecksumOk(), true, "checksum of frame " << i);
                TcpHeader header;
                packet->RemoveHeader(header);
                marked += ip.GetEcn() == Ipv4Header::ECN_CE;
                payload += h == 1 && ip.GetSource() == addresses[0] ? packet->GetSize() : 0;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(roce, 8, "two data packets and two ACKs at two devices");
        NS_TEST_EXPECT_MSG_GT(marked, 0, "two senders into one port");
        NS_TEST_EXPECT_MSG_EQ(payload, BYTES + tcp.retx * 1448, "every byte of TCP");
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
        Config::Reset();
    }
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftPcapTestSuite : public TestSuite
{
  public:
    WeftPcapTestSuite()
        : TestSuite("weft-pcap", TestSuite::Type::SYSTEM)
    {
        for (const char* impl : g_weftTestImpls)
        {
            AddTestCase(new PcapTestCase(impl));
        }
        AddTestCase(new SnifferTestCase);
    }
} g_weftPcapTestSuite; //!< Registers itself.

} // namespace
