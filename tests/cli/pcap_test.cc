// SPDX-License-Identifier: GPL-2.0-only
// weft run --pcap: what the files hold agrees with flows.csv and run.json, read back here and by
// tshark.
#include "program.h"

#include "tests/engine/dissect.h"

#include <filesystem>
#include <map>
#include <set>
#include <sstream>

namespace fs = std::filesystem;

namespace
{

const uint32_t HOSTS = 9, SWITCH = 9;

/* 9 hosts on a switch, one link lossy and one slow; in HPCC's format, where node 9 is the switch.
 */
std::string lossy_switch()
{
    std::string text = "10 1 9\n9\n";
    for (uint32_t h = 0; h < HOSTS; h++)
        text += "9 " + std::to_string(h) + (h == 8 ? " 10Gbps" : " 100Gbps") + " 1000ns " +
                (h == 4 ? "0.004" : "0") + "\n";
    return text;
}

/* A run in which everything happens: data, ACKs, NACKs, CNPs, PFC frames. */
std::vector<std::string> all_kinds(const std::string &topology, std::vector<std::string> more = {})
{
    std::vector<std::string> a =
        with_sets({"run"}, {"topology.type=hpcc", "hpcc.file=" + topology, "workload.type=generate",
                            "generate.kind=all-to-all", "generate.size=2MiB",
                            "congestion-control.name=dcqcn", "ecn.kmin=20KB", "ecn.kmax=80KB",
                            "switch.buffer=2500KiB", "transport.rto=500us"});
    a.insert(a.end(), more.begin(), more.end());
    return a;
}

/* The rows of a CSV file, by the names of its columns. */
std::vector<std::map<std::string, std::string>> rows_of(const std::string &path)
{
    std::istringstream in(slurp(path));
    std::string line, cell;
    std::vector<std::string> names;
    std::vector<std::map<std::string, std::string>> rows;
    while (std::getline(in, line)) {
        std::istringstream cells(line);
        std::vector<std::string> row;
        while (std::getline(cells, cell, ','))
            row.push_back(cell);
        if (names.empty()) {
            names = row;
            continue;
        }
        std::map<std::string, std::string> named;
        for (size_t i = 0; i < row.size(); i++)
            named[names[i]] = row[i];
        rows.push_back(named);
    }
    return rows;
}

std::string file_of(uint32_t host)
{
    return "o/pcap/s" + std::to_string(SWITCH) + "-h" + std::to_string(host) + ".pcap";
}

uint32_t address(uint32_t host)
{
    return 0x0a000001 + host;
}

class Pcap : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (!has_packet())
            GTEST_SKIP() << "built without ns-3: no packets to capture";
        write_file(dir / "t.txt", lossy_switch());
    }

    void run(std::vector<std::string> more = {"--pcap", "all"})
    {
        more.insert(more.end(), {"--out", "o"});
        const Said s = weft(all_kinds("t.txt", more), dir / "");
        ASSERT_EQ(s.code, 0) << s.out << s.err;
    }

    TempDir dir;
};

} // namespace

TEST_F(Pcap, TellsTheSameStoryAsFlowsCsv)
{
    run();
    const std::string json = slurp(dir / "o/run.json");
    /* by kind: what hosts sent (each packet crosses two links) and PFC frames */
    uint64_t data = 0, acks = 0, nacks = 0, cnps = 0, pauses = 0, resumes = 0, ce = 0;
    std::map<uint32_t, std::map<uint32_t, uint64_t>> payload; /* QP, PSN: payload bytes */
    std::map<uint32_t, uint64_t> again;                       /* QP: payload sent again */
    uint64_t retransmissions = 0;
    for (uint32_t h = 0; h < HOSTS; h++) {
        const Capture c = read_capture(dir / file_of(h));
        ASSERT_EQ(c.magic, 0xa1b23c4du);
        ASSERT_EQ(c.linktype, 1u);
        ASSERT_EQ(c.snaplen, 65535u);
        int64_t before = 0;
        for (const Record &r : c.records) {
            ASSERT_EQ(r.bytes.size(), r.length);
            ASSERT_GE(r.t_ns, before);
            before = r.t_ns;
            const Frame f = dissect(r.bytes);
            if (f.pfc) {
                (f.quanta[3] ? pauses : resumes)++;
                ASSERT_EQ(f.classes, 8u);
                continue;
            }
            ASSERT_TRUE(f.roce);
            ASSERT_EQ(f.icrc, f.icrc_expected);
            ASSERT_EQ(f.ip_checksum_sum, 0xffffu);
            ASSERT_EQ(r.length, std::max<size_t>(60, 18 + f.ip_length));
            ce += f.ecn == 3;
            if (f.saddr != address(h))
                continue; /* counted on the link of its sender */
            ASSERT_EQ(f.ttl, 64u);
            data += f.opcode < 0x11;
            acks += f.opcode == 0x11 && f.syndrome == 0x1f;
            nacks += f.opcode == 0x11 && f.syndrome == 0x60;
            cnps += f.opcode == 0x81;
            if (f.opcode >= 0x11)
                continue;
            auto [it, first] = payload[f.dest_qp].emplace(f.psn, f.rest.size());
            ASSERT_EQ(it->second, f.rest.size());
            if (!first) {
                again[f.dest_qp] += f.rest.size();
                retransmissions++;
            }
        }
    }
    EXPECT_EQ(data, json_number(json, "data_packets"));
    EXPECT_EQ(acks, json_number(json, "acks"));
    EXPECT_EQ(nacks, json_number(json, "nacks"));
    EXPECT_EQ(cnps, json_number(json, "cnps"));
    EXPECT_EQ(pauses, json_number(json, "pfc_pauses"));
    EXPECT_EQ(resumes, json_number(json, "pfc_resumes"));
    EXPECT_EQ(ce, json_number(json, "ecn_marks"));
    EXPECT_EQ(retransmissions, json_number(json, "retransmissions"));
    for (uint64_t n : {data, acks, nacks, cnps, pauses, ce, retransmissions})
        EXPECT_GT(n, 0u);

    std::map<uint32_t, uint64_t> bytes, retx;
    for (const auto &row : rows_of(dir / "o/flows.csv")) {
        bytes[uint32_t(std::stoul(row.at("qpn")))] += std::stoull(row.at("size_bytes"));
        retx[uint32_t(std::stoul(row.at("qpn")))] += std::stoull(row.at("retx_bytes"));
    }
    EXPECT_EQ(bytes.size(), HOSTS * (HOSTS - 1));
    ASSERT_EQ(payload.size(), bytes.size());
    for (const auto &[qp, packets] : payload) {
        uint64_t sum = 0;
        for (const auto &p : packets)
            sum += p.second;
        EXPECT_EQ(sum, bytes.at(qp)) << "QP " << qp;
        EXPECT_EQ(again[qp], retx.at(qp)) << "QP " << qp;
        EXPECT_EQ(packets.rbegin()->first + 1, packets.size()) << "no number is left out";
    }
}

TEST_F(Pcap, ChangesNothingAndIsTheSameEveryTime)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    run();
    fs::rename(dir / "o", dir / "first");
    run({"--pcap", "h0,h1-s9,4", "--set", "ns3.simulator-impl=default"});
    for (const char *f : {"flows.csv", "ops.csv", "links.csv", "pfc.csv"})
        EXPECT_EQ(slurp(dir / (std::string("o/") + f)), slurp(dir / (std::string("first/") + f)))
            << f;
    std::set<std::string> files;
    for (const auto &e : fs::directory_iterator(dir / "o/pcap")) {
        files.insert(e.path().filename());
        EXPECT_EQ(slurp(e.path()), slurp(dir / ("first/pcap/" + e.path().filename().string())));
    }
    EXPECT_EQ(files, (std::set<std::string>{"s9-h0.pcap", "s9-h1.pcap", "s9-h4.pcap"}));
    fs::remove_all(dir / "o");
    run({});
    EXPECT_FALSE(fs::exists(dir / "o/pcap"));
    EXPECT_EQ(slurp(dir / "o/flows.csv"), slurp(dir / "first/flows.csv"));
}

TEST_F(Pcap, SnaplenCutsAndKeepsTheLength)
{
    run({"--pcap", "h0"});
    const Capture whole = read_capture(dir / file_of(0));
    run({"--pcap", "h0", "--set", "capture.snaplen=64B"});
    const Capture cut = read_capture(dir / file_of(0));
    EXPECT_EQ(cut.snaplen, 64u);
    ASSERT_EQ(cut.records.size(), whole.records.size());
    for (size_t i = 0; i < cut.records.size(); i++) {
        Bytes want = whole.records[i].bytes;
        want.resize(std::min<size_t>(64, want.size()));
        ASSERT_EQ(cut.records[i].length, whole.records[i].length);
        ASSERT_EQ(cut.records[i].t_ns, whole.records[i].t_ns);
        if (whole.records[i].length > 68) {
            ASSERT_EQ(cut.records[i].bytes, want);
        }
    }
}

TEST_F(Pcap, WhatCannotBeCapturedIsAnError)
{
    const struct {
        std::vector<std::string> args;
        const char *says;
    } cases[] = {
        {{"--pcap", "h9", "--out", "o"},
         "capture.links: 'h9' is none of all, hosts, a node (h0 to h8"},
        {{"--pcap", "h0-h1", "--out", "o"}, "capture.links: no link 'h0-h1' in this fabric"},
        {{"--pcap", "9", "--out", "o"}, "or a link (0 to 8)"},
        {{"--pcap", "h0,", "--out", "o"}, "ends in a comma"},
        {{"--pcap", "h0,,h1", "--out", "o"}, "has an empty item"},
        {{"--pcap", "h0", "--no-out"}, "capture.links needs a run folder"},
    };
    for (const auto &c : cases) {
        const Said s = weft(all_kinds("t.txt", c.args), dir / "");
        EXPECT_EQ(s.code, 3) << c.args[1] << s.err;
        EXPECT_CONTAINS(s.err, c.says);
    }
    const Said ideal = weft(small({"--pcap", "h0", "--out", "o"}), dir / "");
    EXPECT_EQ(ideal.code, 3);
    EXPECT_CONTAINS(ideal.err, "capture");
    const Said s = weft(all_kinds("t.txt", {"--set", "capture.snaplen=64B", "--no-out"}), dir / "");
    EXPECT_EQ(s.code, 0);
    EXPECT_CONTAINS(s.err, "capture.snaplen: has no effect: capture.links is empty");
}

/* Messages over TCP: tshark finds handshakes, every byte of every message in order, and marks. */
TEST_F(Pcap, TsharkFollowsTcp)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    if (system("tshark --version >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "tshark is not installed";
    std::vector<std::string> a = with_sets(
        {"run", "--pcap", "h0", "--out", "o"},
        {"topology.type=single-switch", "single-switch.hosts=3", "workload.type=generate",
         "generate.kind=gather", "generate.size=3MB", "transport.type=tcp",
         "transport.variant=dctcp", "ecn.kmin=30KB", "ecn.kmax=30KB", "ecn.scale-rate=0"});
    const Said s = weft(a, dir / "");
    ASSERT_EQ(s.code, 0) << s.out << s.err;
    const std::string cmd =
        "tshark -r " + (dir / "o/pcap/h0-s3.pcap") +
        " -T fields -E separator=, -e _ws.malformed -e tcp.analysis.ack_lost_segment"
        " -e tcp.flags.syn -e ip.src -e ip.dst -e ip.dsfield.ecn -e tcp.len -e tcp.seq"
        " >" +
        (dir / "fields") + " 2>" + (dir / "said");
    ASSERT_EQ(system(cmd.c_str()), 0) << slurp(dir / "said");
    std::istringstream in(slurp(dir / "fields"));
    std::string line;
    uint64_t syns = 0, marked = 0;
    /* The last byte of each stream, by source and destination. */
    std::map<std::string, uint64_t> last;
    while (std::getline(in, line)) {
        std::vector<std::string> f;
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');)
            f.push_back(cell);
        ASSERT_EQ(f.size(), 8u) << line;
        ASSERT_EQ(f[0] + f[1], "") << line;
        syns += f[2] == "1" || f[2] == "True";
        marked += f[5] == "3";
        const uint64_t bytes = std::stoull(f[6]);
        uint64_t &end = last[f[3] + ">" + f[4]];
        end = bytes ? std::max<uint64_t>(end, std::stoull(f[7]) + bytes - 1) : end;
    }
    /* 2 senders, a SYN and a SYN-ACK each; the part of a message has 16 bytes before its 3 MB. */
    EXPECT_EQ(syns, 4u);
    EXPECT_GT(marked, 0u) << "two senders into one port";
    EXPECT_EQ(last["10.0.0.2>10.0.0.1"], 3000016u);
    EXPECT_EQ(last["10.0.0.3>10.0.0.1"], 3000016u);
}

/* tshark agrees with the reader above on every frame, and finds none malformed. */
// What TCP's segments carry is framing of 16 bytes and zeros, never what memory happens to hold.
TEST_F(Pcap, TcpPayloadsAreTheSameEveryTime)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    std::map<std::string, std::string> first;
    for (int time = 0; time < 3; time++) {
        std::vector<std::string> a =
            with_sets({"run", "--pcap", "all", "--out", "o"},
                      {"topology.type=single-switch", "single-switch.hosts=4",
                       "workload.type=generate", "generate.kind=all-reduce", "generate.size=1KB",
                       "generate.count=3", "transport.type=tcp"});
        const Said s = weft(a, dir / "");
        ASSERT_EQ(s.code, 0) << s.out << s.err;
        for (uint32_t h = 0; h < 4; h++) {
            const std::string name = "o/pcap/h" + std::to_string(h) + "-s4.pcap";
            const std::string bytes = slurp(dir / name);
            ASSERT_GT(bytes.size(), 1000u) << name;
            EXPECT_EQ(first.emplace(name, bytes).first->second, bytes) << name;
        }
        fs::remove_all(dir / "o");
    }
}

TEST_F(Pcap, TsharkDissectsEveryFrame)
{
    if (system("tshark --version >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "tshark is not installed";
    run();
    const char *fields[] = {"_ws.malformed",
                            "ip.checksum.status",
                            "vlan.priority",
                            "ip.dsfield.ecn",
                            "infiniband.bth.opcode",
                            "infiniband.bth.destqp",
                            "infiniband.bth.psn",
                            "infiniband.bth.a",
                            "infiniband.reth.dmalen",
                            "infiniband.aeth.syndrome",
                            "infiniband.aeth.msn",
                            "infiniband.invariant.crc",
                            "data.len",
                            "macc.opcode",
                            "macc.cbfc.enbv",
                            "macc.cbfc.pause_time.c3"};
    std::string select;
    for (const char *f : fields)
        select += std::string(" -e ") + f;
    std::map<unsigned, uint64_t> opcodes;
    uint64_t pfc = 0;
    for (uint32_t h : {4u, 8u}) {
        const std::string cmd = "tshark -r " + (dir / file_of(h)) +
                                " -o ip.check_checksum:TRUE -T fields -E separator=," + select +
                                " >" + (dir / "fields") + " 2>" + (dir / "said");
        ASSERT_EQ(system(cmd.c_str()), 0) << slurp(dir / "said");
        const Capture c = read_capture(dir / file_of(h));
        std::istringstream in(slurp(dir / "fields"));
        std::string line;
        size_t i = 0;
        for (; std::getline(in, line); i++) {
            ASSERT_LT(i, c.records.size());
            const Frame f = dissect(c.records[i].bytes);
            std::map<std::string, std::string> got;
            std::istringstream cells(line + ",");
            for (const char *name : fields)
                std::getline(cells, got[name], ',');
            auto number = [&](const char *name) { return std::stoull(got[name], nullptr, 0); };
            ASSERT_EQ(got["_ws.malformed"], "") << line;
            if (f.pfc) {
                pfc++;
                ASSERT_EQ(number("macc.opcode"), 0x0101u);
                ASSERT_EQ(number("macc.cbfc.enbv"), f.classes);
                ASSERT_EQ(number("macc.cbfc.pause_time.c3"), f.quanta[3]);
                continue;
            }
            ASSERT_EQ(number("ip.checksum.status"), 1u) << "good";
            ASSERT_EQ(number("vlan.priority"), f.pcp);
            ASSERT_EQ(number("ip.dsfield.ecn"), f.ecn);
            ASSERT_EQ(number("infiniband.bth.opcode"), f.opcode) << line;
            ASSERT_EQ(number("infiniband.bth.destqp"), f.dest_qp);
            ASSERT_EQ(number("infiniband.bth.psn"), f.psn);
            ASSERT_EQ(number("infiniband.bth.a"), f.ack_request ? 1u : 0u);
            opcodes[f.opcode]++;
            if (f.opcode == 0x81)
                continue; /* its reserved bytes are not taken apart */
            char crc[16];
            snprintf(crc, sizeof crc, "0x%08x", __builtin_bswap32(f.icrc));
            ASSERT_EQ(got["infiniband.invariant.crc"], crc);
            if (f.has_reth) {
                ASSERT_EQ(number("infiniband.reth.dmalen"), f.dma_length);
            }
            if (f.has_aeth) {
                ASSERT_EQ(number("infiniband.aeth.syndrome"), f.syndrome);
                ASSERT_EQ(number("infiniband.aeth.msn"), f.msn);
            } else {
                ASSERT_EQ(got["data.len"].empty() ? 0 : number("data.len"), f.rest.size() + f.pad);
            }
        }
        ASSERT_EQ(i, c.records.size());
    }
    for (unsigned opcode : {0x06, 0x07, 0x08, 0x11, 0x81})
        EXPECT_GT(opcodes[opcode], 0u) << opcode;
    EXPECT_GT(pfc, 0u);
}
