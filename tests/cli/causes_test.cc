// SPDX-License-Identifier: GPL-2.0-only
// Why communication was exposed: runs in which one cause alone can be, and random ones whose causes
// add up to the picosecond in every file that has them.
#include "program.h"

#include "base/rng.h"
#include "tests/engine/tables.h"

#include <algorithm>
#include <map>

namespace
{

using Set = std::vector<std::string>;

const Set kCauses = {"own_nic_ns", "congestion_control_ns", "loss_recovery_ns", "pfc_pause_ns",
                     "fabric_queueing_ns"};
const Set kExposed = {"network_ns",       "own_nic_ns",   "congestion_control_ns",
                      "loss_recovery_ns", "pfc_pause_ns", "fabric_queueing_ns",
                      "reduce_ns",        "endpoint_ns",  "peer_ns",
                      "dependency_ns"};

/* "1.234" ns as 1234 ps. */
int64_t Ps(const std::string &ns)
{
    std::string digits = ns;
    digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
    return std::stoll(digits);
}

/* A CSV file by column names. */
class Table
{
  public:
    explicit Table(const std::string &file) : rows_(cells(file))
    {
        for (size_t i = 0; !rows_.empty() && i < rows_[0].size(); i++)
            at_[rows_[0][i]] = i;
    }
    size_t Rows() const
    {
        return rows_.empty() ? 0 : rows_.size() - 1;
    }
    const std::string &Text(size_t row, const std::string &column) const
    {
        return rows_.at(row + 1).at(at_.at(column));
    }
    int64_t Time(size_t row, const std::string &column) const
    {
        return Ps(Text(row, column));
    }
    int64_t Sum(size_t row, const Set &columns) const
    {
        int64_t sum = 0;
        for (const std::string &c : columns)
            sum += Time(row, c);
        return sum;
    }
    /* The columns among @p of that have any time in any row. */
    Set Used(const Set &of) const
    {
        Set used;
        for (const std::string &c : of)
            for (size_t i = 0; i < Rows(); i++)
                if (Time(i, c) > 0) {
                    used.push_back(c);
                    break;
                }
        return used;
    }

  private:
    std::vector<std::vector<std::string>> rows_;
    std::map<std::string, size_t> at_;
};

Said Play(const TempDir &dir, const Set &sets)
{
    return weft(with_sets({"run", "--out", dir / "o", "-q"}, sets));
}

void ExpectSums(const TempDir &dir, const std::string &what)
{
    const Table flows(dir / "o/flows.csv"), ops(dir / "o/ops.csv"), ranks(dir / "o/ranks.csv"),
        path(dir / "o/critical_path.csv");
    ASSERT_GT(ranks.Rows(), 0u) << what;
    ASSERT_GT(flows.Rows(), 0u) << what;
    for (size_t i = 0; i < flows.Rows(); i++)
        EXPECT_EQ(flows.Time(i, "fct_ns") - flows.Time(i, "ideal_fct_ns"), flows.Sum(i, kCauses))
            << what << " flow " << i;
    std::map<std::string, std::map<std::string, int64_t>> by_rank;
    for (size_t i = 0; i < ops.Rows(); i++) {
        EXPECT_EQ(ops.Time(i, "exposed_ns"), ops.Sum(i, kExposed)) << what << " op " << i;
        for (const std::string &c : kExposed)
            by_rank[ops.Text(i, "rank")][c] += ops.Time(i, c);
    }
    for (size_t i = 0; i < ranks.Rows(); i++) {
        EXPECT_EQ(ranks.Time(i, "open_ns"), 0) << what;
        EXPECT_EQ(ranks.Time(i, "exposed_ns"), ranks.Sum(i, kExposed)) << what << " rank " << i;
        for (const std::string &c : kExposed)
            EXPECT_EQ(by_rank[ranks.Text(i, "rank")][c], ranks.Time(i, c)) << what << " " << c;
    }
    Set on_path = kCauses;
    for (const char *c :
         {"compute_ns", "cpu_ns", "memory_ns", "network_ns", "reduce_ns", "endpoint_ns"})
        on_path.push_back(c);
    for (size_t i = 0; i < path.Rows(); i++)
        EXPECT_EQ(path.Time(i, "duration_ns"), path.Sum(i, on_path)) << what << " step " << i;
}

/* One collective of 4 MB on a switch; what its messages are delayed by. */
Set Causes(const Set &more)
{
    TempDir dir;
    Set all = {"topology.type=single-switch", "single-switch.hosts=5", "workload.type=generate",
               "generate.size=4MB", "congestion-control.name=none"};
    all.insert(all.end(), more.begin(), more.end());
    Said s = Play(dir, all);
    EXPECT_EQ(s.code, 0) << s.err;
    if (s.code)
        return {};
    ExpectSums(dir, more.front());
    return Table(dir / "o/ranks.csv").Used(kCauses);
}

TEST(Causes, OneAtATime)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    /* The root's messages share its NIC, and each goes to an idle host. */
    EXPECT_EQ(Causes({"generate.kind=scatter", "system.scatter=direct"}), Set({"own_nic_ns"}));
    /* All send to the root at once, into a buffer that holds it all. */
    EXPECT_EQ(Causes({"generate.kind=gather", "system.gather=direct", "generate.size=1MB",
                      "switch.buffer=64MiB"}),
              Set({"fabric_queueing_ns"}));
    /* Two hosts, one message each way: their ACKs wait behind data, so does data behind ACKs. */
    EXPECT_EQ(Causes({"generate.kind=broadcast", "single-switch.hosts=2",
                      "congestion-control.name=static-window", "static-window.window=64KiB"}),
              Set({"congestion_control_ns"}));
    /* Packets are lost on the way to one host, and nothing else is about. */
    EXPECT_EQ(Causes({"generate.kind=broadcast", "single-switch.hosts=2",
                      "fault.events=bit-errors link=h0-s2 ber=1e-7", "transport.rto=100us"}),
              Set({"loss_recovery_ns"}));
    /* Nothing. */
    EXPECT_EQ(Causes({"generate.kind=broadcast", "single-switch.hosts=2"}), Set());
    /* The root computes for 60 us, the other rank for 10 us: it waits for the root, exactly 50 us,
     * and then for the message as long as that takes alone. */
    TempDir dir;
    ASSERT_EQ(
        Play(dir, {"topology.type=single-switch", "single-switch.hosts=2", "workload.type=generate",
                   "generate.kind=broadcast", "generate.size=4MB", "generate.compute-time=10us",
                   "system.stragglers=0:6", "congestion-control.name=none"})
            .code,
        0);
    const Table ranks(dir / "o/ranks.csv");
    EXPECT_EQ(ranks.Used(kExposed), Set({"network_ns", "peer_ns"}));
    EXPECT_EQ(ranks.Time(1, "peer_ns"), 50000000);
    const Table flows(dir / "o/flows.csv");
    EXPECT_EQ(ranks.Time(1, "network_ns"), flows.Time(0, "ideal_fct_ns"));
}

/* A broadcast of one message, held by a window: the rank that receives waits for it alone, in
 * closed form. */
TEST(Causes, AWindowHoldsForTheRestOfEachRoundTrip)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    Said s = Play(dir, {"topology.type=single-switch", "single-switch.hosts=2",
                        "single-switch.delay=500ns", "workload.type=generate",
                        "generate.kind=broadcast", "generate.size=40960B",
                        "congestion-control.name=static-window", "static-window.window=4096B"});
    ASSERT_EQ(s.code, 0) << s.err;
    /* 4,178 B of a packet take 83.56 ns at 400 Gbps, the 86 B of its ACK 1.72 ns, a link 500 ns: a
     * round trip of two links each way is 2 x 83.56 + 2 x 1.72 + 2000 = 2170.56 ns, in 83.56 of
     * which the host sends. Nine of them pass before the tenth packet. */
    const Table ranks(dir / "o/ranks.csv");
    EXPECT_EQ(ranks.Time(1, "congestion_control_ns"), 9 * (2170560 - 83560));
    EXPECT_EQ(ranks.Time(1, "exposed_ns") - ranks.Time(1, "network_ns"),
              ranks.Time(1, "congestion_control_ns"));
}

TEST(Causes, AddUpWhateverTheRun)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    const Set controls = {"none", "dcqcn", "hpcc", "timely", "swift", "dctcp"};
    const Set kinds = {"all-reduce", "all-to-all", "all-gather", "reduce-scatter"};
    const Set recoveries(std::begin(kRecoveries), std::end(kRecoveries));
    const char *tcp = has_ns3() ? "tcp" : "packet";
    for (uint64_t seed = 0; seed < 24; seed++) {
        weft_rng rng = weft_rng_stream(seed, "causes", 0);
        auto pick = [&](const Set &of) { return of[weft_rng_below(&rng, (uint32_t)of.size())]; };
        Set s = {"topology.type=leaf-spine",
                 "leaf-spine.leaves=2",
                 "leaf-spine.hosts-per-leaf=3",
                 "leaf-spine.spines=2",
                 "leaf-spine.uplink-rate=200Gbps",
                 "workload.type=generate",
                 "generate.size=600KB",
                 "system.endpoint-delay=1us",
                 "generate.count=2"};
        s.push_back("generate.kind=" + pick(kinds));
        s.push_back("system.chunks=" + pick({"1", "3"}));
        const std::string backend = pick({"packet", "packet", "packet", "ideal", tcp});
        const std::string control = pick(controls);
        const std::string recovery = pick(recoveries);
        if (backend == "ideal") {
            s.push_back("network.backend=ideal");
            s.push_back("ideal.contention=" + pick({"none", "source"}));
        } else if (backend == "tcp") {
            s.push_back("transport.type=tcp");
            s.push_back("switch.buffer=1MiB");
            s.push_back("pfc.enabled=off");
        } else {
            s.push_back("congestion-control.name=" + control);
            s.push_back("transport.recovery=" + recovery);
            s.push_back("switch.buffer=1MiB");
            s.push_back("transport.rto=300us");
            if (recovery == "out-of-order" && control != "hpcc")
                s.push_back("switch.balance=" + pick({"spray", "adaptive", "flowlet"}));
            if (pick({"0", "1"}) == "1") {
                s.push_back("pfc.enabled=off");
                s.push_back("fault.events=bit-errors link=h0-s6 ber=1e-7; bit-errors link=h4-s7 "
                            "ber=2e-8");
            }
        }
        TempDir dir;
        Said said = Play(dir, s);
        std::string what = "seed " + std::to_string(seed);
        for (const std::string &x : s)
            what += " " + x;
        ASSERT_EQ(said.code, 0) << what << "\n" << said.err;
        ExpectSums(dir, what);
    }
}

} // namespace
