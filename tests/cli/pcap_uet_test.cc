// SPDX-License-Identifier: GPL-2.0-only
// Captures of Ultra Ethernet: every header read back from its layout, against run.json and itself,
// and by tshark.
#include "program.h"

#include "tests/engine/dissect.h"

#include <map>
#include <set>

namespace
{

/* PDS and SES as the head of wire_uet.c describes them. */
struct Pds {
    unsigned type, next, flags;
    uint32_t psn;
    size_t at;  /* behind it */
    size_t end; /* of the UDP payload */
};

Pds read_pds(const Bytes &b)
{
    const size_t ip = 18, udp = ip + 20;
    const unsigned first = unsigned(be(b, udp + 8, 2));
    Pds p = {first >> 11,  first >> 7 & 15,
             first & 0x7f, uint32_t(be(b, udp + 12, 4)),
             udp + 20,     udp + size_t(be(b, udp + 4, 2))};
    if (p.type == 13 || p.type == 14)
        p.at += 4;
    return p;
}

class PcapUet : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (!has_packet())
            GTEST_SKIP() << "built without ns-3: no packets to capture";
    }

    /* Eight hosts send 256 KiB to the ninth; returns run.json. */
    std::string run(std::vector<std::string> more = {})
    {
        const Said s = weft(with_sets({"run", "--pcap", "all", "--out", "o"},
                                      {"topology.type=single-switch", "single-switch.hosts=9",
                                       "single-switch.rate=100Gbps", "single-switch.delay=1us",
                                       "workload.type=generate", "generate.kind=gather",
                                       "generate.size=256KiB", "transport.type=uet"},
                                      more),
                            dir / "");
        EXPECT_EQ(s.code, 0) << s.out << s.err;
        return slurp(dir / "o/run.json");
    }

    Capture capture(uint32_t host)
    {
        return read_capture(dir / ("o/pcap/h" + std::to_string(host) + "-s9.pcap"));
    }

    TempDir dir;
};

} // namespace

/* On the receiver's link: what comes, what is trimmed, and what is said of it. */
TEST_F(PcapUet, EveryFieldAgreesWithWhatCame)
{
    const std::string json = run();
    std::map<unsigned, std::set<uint32_t>> came, cut; /* by QP: PSNs */
    std::map<unsigned, uint64_t> bytes;
    std::set<unsigned> ports;
    uint64_t data = 0, acks = 0, nacks = 0, trims = 0, maps = 0, marked = 0;
    for (const Record &r : capture(0).records) {
        const Frame f = dissect(r.bytes);
        ASSERT_EQ(f.ip_checksum_sum, 0xffffu);
        ASSERT_EQ(f.dport, 4793u);
        ASSERT_EQ(f.ip_length, 20 + f.udp_length);
        ASSERT_EQ(r.length, std::max<size_t>(60, 18 + f.ip_length)); /* a tag, and no FCS */
        const Pds p = read_pds(r.bytes);
        const bool down = f.daddr == 0x0a000001;
        if (p.type == 2) {
            const unsigned qp = unsigned(be(r.bytes, p.at - 4, 2));
            ASSERT_TRUE(down);
            ASSERT_EQ(p.next, 3u); /* SES, standard */
            ASSERT_EQ(p.flags & 4, p.psn == 0 ? 4u : 0u);
            ports.insert(f.sport);
            marked += f.ecn == 3;
            if (f.pcp == 5) {
                trims++;
                ASSERT_EQ(r.length, 66u); /* 66 with FCS, without the tag */
                cut[qp].insert(p.psn);
                continue;
            }
            data++;
            ASSERT_EQ(f.pcp, 3u);
            came[qp].insert(p.psn);
            const size_t ses = p.at, payload = p.end - p.at - 44;
            ASSERT_EQ(r.bytes.at(ses), 1u); /* write */
            ASSERT_EQ(r.bytes.at(ses + 1), (p.psn == 0 ? 1u : 0u) | (p.psn == 63 ? 2u : 0u));
            ASSERT_EQ(be(r.bytes, ses + 40, 4), 262144u);
            if (p.psn) { /* length and offset of the payload */
                ASSERT_EQ(be(r.bytes, ses + 32, 4), payload);
                ASSERT_EQ(be(r.bytes, ses + 36, 4), uint64_t(p.psn) * 4096);
            }
            bytes[qp] += payload;
        } else if (p.type == 8) { /* ACK_CC */
            const unsigned qp = unsigned(be(r.bytes, p.at - 2, 2));
            const uint32_t base = p.psn + uint32_t(be(r.bytes, p.at + 2, 2));
            const uint64_t map = be(r.bytes, p.at + 4, 8);
            acks++;
            ASSERT_FALSE(down);
            ASSERT_EQ(f.pcp, 6u);
            ASSERT_EQ(p.end - p.at, 20u);
            for (uint32_t psn = 0; psn < p.psn; psn++)
                ASSERT_TRUE(came[qp].count(psn)) << psn;
            for (uint32_t i = 0; i < 64; i++)
                if (map >> i & 1) {
                    maps++;
                    ASSERT_GT(base + i, p.psn);
                    ASSERT_TRUE(came[qp].count(base + i));
                }
        } else {
            const unsigned qp = unsigned(be(r.bytes, p.at - 2, 2));
            ASSERT_EQ(p.type, 10u); /* NACK */
            nacks++;
            ASSERT_EQ(r.bytes.at(p.at - 10), 2u); /* trimmed at the last hop: there is one switch */
            ASSERT_TRUE(cut[qp].count(p.psn));
            ASSERT_EQ(p.end - p.at, 4u);
        }
    }
    EXPECT_EQ(data + trims, json_number(json, "data_packets"));
    EXPECT_EQ(acks, json_number(json, "acks"));
    EXPECT_EQ(nacks, json_number(json, "nacks"));
    EXPECT_EQ(trims, nacks);
    EXPECT_GT(trims, 0u);
    EXPECT_GT(maps, 0u);
    EXPECT_GT(marked, 0u);
    EXPECT_EQ(bytes.size(), 8u);
    for (auto &[qp, n] : bytes)
        EXPECT_EQ(n, 262144u) << qp;
    EXPECT_GT(ports.size(), 100u); /* entropy values */
}

TEST_F(PcapUet, CreditAndOrderedDelivery)
{
    run({"congestion-control.name=rccc"});
    std::map<unsigned, uint64_t> types;
    uint32_t granted = 0;
    for (const Record &r : capture(0).records) {
        const Pds p = read_pds(r.bytes);
        types[p.type]++;
        if (p.type == 11 && p.next == 7)
            granted = std::max(granted, uint32_t(be(r.bytes, p.at, 4)));
    }
    EXPECT_GT(types[13], 8u * 64u); /* RUD with CC state */
    EXPECT_EQ(types[2], 0u);
    EXPECT_GT(types[11], 8u); /* credit */
    EXPECT_GT(granted, 0u);
    run({"transport.recovery=rod", "switch.egress-limit=40KB"});
    types.clear();
    std::map<unsigned, std::set<unsigned>> ports;
    for (const Record &r : capture(0).records) {
        const Pds p = read_pds(r.bytes);
        types[p.type]++;
        if (p.type == 3)
            ports[unsigned(be(r.bytes, p.at - 4, 2))].insert(dissect(r.bytes).sport);
        if (p.type == 10) {
            EXPECT_EQ(r.bytes.at(p.at - 10), 0x0du); /* out of order */
        }
    }
    EXPECT_GE(types[3], 8u * 64u);
    EXPECT_GT(types[10], 0u);
    for (auto &[qp, sports] : ports)
        EXPECT_EQ(sports.size(), 1u) << "one path per QP: " << qp;
}

TEST_F(PcapUet, TsharkFindsNothingWrong)
{
    if (system("tshark --version >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "tshark is not installed";
    run();
    const std::string out = dir / "seen";
    const std::string cmd = "tshark -r " + (dir / "o/pcap/h0-s9.pcap") +
                            " -o ip.check_checksum:TRUE -T fields -e udp.dstport "
                            "-e ip.checksum.status -e _ws.malformed -e _ws.expert >" +
                            out + " 2>/dev/null";
    ASSERT_EQ(system(cmd.c_str()), 0);
    std::istringstream lines(slurp(out));
    size_t n = 0;
    for (std::string line; std::getline(lines, line); n++)
        ASSERT_EQ(line, "4793\t1\t\t");
    EXPECT_EQ(n, capture(0).records.size());
}
