// SPDX-License-Identifier: GPL-2.0-only
// The CSVs of a few runs, as hashes in tests/fingerprints.csv. Every build (Release, Debug,
// sanitizers) must reproduce them, without ns-3 and under both of its simulator implementations,
// with any number of threads and by several processes. A change of results shows here and is named
// in CHANGES.md; the failing test prints the new rows.
#include "base/hash.h"
#include "tests/cli/processes.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

namespace
{

struct Recorded {
    const char *name;
    std::vector<std::string> args;
    std::vector<std::string> more = {}; // files beside those that every run has
    bool ns3_tcp = false; // ns-3's TCP makes the packets, and gets better from release to release
};

std::vector<Recorded> runs()
{
    const std::vector<std::string> clos = {"topology.type=leaf-spine",
                                           "leaf-spine.leaves=4",
                                           "leaf-spine.hosts-per-leaf=4",
                                           "leaf-spine.spines=2",
                                           "leaf-spine.uplink-rate=200Gbps",
                                           "switch.buffer=2MiB",
                                           "workload.type=generate",
                                           "generate.kind=all-to-all",
                                           "generate.size=8MiB",
                                           "system.all-to-all=direct"};
    const auto sets = [](const std::vector<std::string> &base,
                         const std::vector<std::string> &more) {
        return with_sets({}, base, more);
    };
    return {
        {"allreduce-clos16", {source_dir() + "/scenarios/allreduce-clos16"}},
        {"all-to-all-none", sets(clos, {"congestion-control.name=none"})},
        {"all-to-all-dcqcn",
         sets(clos, {"congestion-control.name=dcqcn", "ecn.kmin=20KB", "ecn.kmax=80KB"})},
        {"tcp-incast32", {source_dir() + "/scenarios/tcp-incast32"}, {"tcp_connections.csv"}, true},
        {"all-to-all-lossy",
         sets(clos, {"congestion-control.name=none", "pfc.enabled=off", "transport.rto=500us"})},
        {"training-in-nodes", /* several components are alike, one of them is simulated */
         sets({"topology.type=preset", "preset.name=hgx-rail-optimised", "workload.type=training",
               "training.model=gpt3-13b", "training.tp=8", "training.ranks=16", "training.layers=1",
               "training.hidden=512", "training.heads=8", "training.vocab=1024",
               "training.sequence=128"},
              {})},
        {"traffic",
         {source_dir() + "/tests/fingerprint/traffic.xml"},
         {"jobs.csv", "classes.csv", "requests.csv"}},
    };
}

std::map<std::string, std::string> expected()
{
    std::map<std::string, std::string> rows;
    std::istringstream in(slurp(source_dir() + "/tests/fingerprints.csv"));
    std::string line;
    while (std::getline(in, line)) {
        auto comma = line.rfind(',');
        if (comma != std::string::npos)
            rows[line.substr(0, comma)] = line.substr(comma + 1);
    }
    return rows;
}

// "ns-3.37": what the program says that it was built with.
std::string ns3_release()
{
    const std::string said = weft({"--version"}).out, before = "\nns-3 ";
    const size_t at = said.find(before);
    EXPECT_NE(at, std::string::npos) << said;
    const size_t from = at + before.size();
    return "ns-" + said.substr(from, said.find('\n', from) - from);
}

// The hash of each file of a run, by this program (or by several processes) with more settings.
std::map<std::string, std::string> hashes(const Recorded &r, const std::vector<std::string> &more,
                                          unsigned processes = 1)
{
    TempDir dir;
    std::map<std::string, std::string> all;
    std::string command = program() + "run";
    for (const std::string &a : r.args)
        command += " " + a;
    for (const std::string &a : more)
        command += " --set " + a;
    command += " --out " + (dir / "o");
    const Said s = shell(processes > 1 ? by_processes(command, processes) : command, dir);
    EXPECT_EQ(s.code, 0) << command << "\n" << s.out << s.err;
    std::vector<std::string> files = {"flows.csv", "ops.csv", "links.csv", "pfc.csv"};
    files.insert(files.end(), r.more.begin(), r.more.end());
    for (const std::string &file : files) {
        const std::string text = slurp(dir / "o/" + file);
        char hash[20];
        snprintf(hash, sizeof hash, "%016llx",
                 static_cast<unsigned long long>(weft_hash64(text.data(), text.size())));
        all[file] = hash;
    }
    return all;
}

// Those that this program can play.
std::vector<Recorded> playable()
{
    std::vector<Recorded> all = runs();
    if (!has_ns3())
        all.erase(
            std::remove_if(all.begin(), all.end(), [](const Recorded &r) { return r.ns3_tcp; }),
            all.end());
    return all;
}

// @p other gives what there is to compare with where a release has no rows.
void expect_recorded(const Recorded &r, const std::map<std::string, std::string> &got,
                     const std::vector<std::string> &other)
{
    static const auto want = expected();
    ASSERT_FALSE(want.empty());
    const std::string run = r.ns3_tcp ? r.name + ("@" + ns3_release()) : r.name;
    if (r.ns3_tcp && !want.count(run + ",flows.csv")) {
        EXPECT_EQ(got, hashes(r, other)) << run;
        return;
    }
    for (const auto &[file, hash] : got) {
        const std::string key = run + "," + file;
        const auto row = want.find(key);
        EXPECT_EQ(row == want.end() ? "absent" : row->second, hash)
            << "row: " << key << "," << hash;
    }
}

class Fingerprint : public testing::TestWithParam<const char *>
{
};

TEST_P(Fingerprint, OfEveryCsvIsTheRecordedOne)
{
    const std::string impl = "ns3.simulator-impl=", name = GetParam();
    if (name != "auto" && !has_ns3())
        GTEST_SKIP() << "needs ns-3";
    for (const Recorded &r : playable())
        expect_recorded(r, hashes(r, {impl + name}),
                        {impl + (name == "weft" ? "default" : "weft")});
}

// Every window is shared, however little there is in it, by owners that change.
TEST(FingerprintBy, AnyNumberOfThreadsIsTheRecordedOne)
{
    for (const Recorded &r : playable())
        for (const char *n : {"2", "3", "8"}) {
            SCOPED_TRACE(std::string(r.name) + ", threads: " + n);
            const std::string number = n;
            expect_recorded(r, hashes(r, {"run.threads=" + number, "run.thread-shuffle=" + number}),
                            {});
        }
}

// What can't be shared out one process does alone.
TEST(FingerprintBy, TwoProcessesIsTheRecordedOne)
{
    NEEDS_MPIRUN();
    for (const Recorded &r : playable()) {
        SCOPED_TRACE(r.name);
        expect_recorded(r, hashes(r, {}, 2), {});
    }
}

// The program of -DWEFT_NS3=OFF, which this build has beside its own.
TEST(FingerprintBy, AProgramWithoutNs3IsTheRecordedOne)
{
    const std::string build = env_or_die("WEFT_BINARY_DIR"), without = build + "/without-ns3";
    if (!std::filesystem::exists(without))
        GTEST_SKIP() << "this build is without ns-3 itself";
    setenv("WEFT_BINARY_DIR", without.c_str(), 1);
    EXPECT_FALSE(has_ns3());
    for (const Recorded &r : playable())
        expect_recorded(r, hashes(r, {}), {});
    const Said tcp = weft({"check", source_dir() + "/scenarios/tcp-incast32"});
    EXPECT_EQ(tcp.code, 3);
    EXPECT_NE(tcp.err.find("transport.type=tcp needs ns-3, and this weft is built without it"),
              std::string::npos)
        << tcp.err;
    setenv("WEFT_BINARY_DIR", build.c_str(), 1);
}

// The program of -DWEFT_REPLAY=OFF: no other room of the engine needs the room replay.
TEST(FingerprintBy, AProgramWithoutReplayIsTheRecordedOne)
{
    const std::string build = env_or_die("WEFT_BINARY_DIR"), without = build + "/without-replay";
    if (!std::filesystem::exists(without))
        GTEST_SKIP() << "this build is without replay itself";
    setenv("WEFT_BINARY_DIR", without.c_str(), 1);
    for (const Recorded &r : playable())
        expect_recorded(r, hashes(r, {}), {});
    const Said exact =
        weft({"run", source_dir() + "/scenarios/allreduce-clos16", "--set", "run.replay=exact"});
    EXPECT_EQ(exact.code, 3);
    EXPECT_NE(exact.err.find("built without replay"), std::string::npos) << exact.err;
    setenv("WEFT_BINARY_DIR", build.c_str(), 1);
}

// The program of -DWEFT_PARALLEL=OFF: no other room of the engine needs the room parallel.
TEST(FingerprintBy, AProgramWithoutThreadsIsTheRecordedOne)
{
    const std::string build = env_or_die("WEFT_BINARY_DIR"), without = build + "/without-parallel";
    if (!std::filesystem::exists(without))
        GTEST_SKIP() << "this build is without threads itself";
    setenv("WEFT_BINARY_DIR", without.c_str(), 1);
    for (const Recorded &r : playable())
        expect_recorded(r, hashes(r, {}), {});
    const Said two =
        weft({"run", source_dir() + "/scenarios/allreduce-clos16", "--set", "run.threads=2"});
    EXPECT_EQ(two.code, 3);
    EXPECT_NE(two.err.find("built without threads"), std::string::npos) << two.err;
    setenv("WEFT_BINARY_DIR", build.c_str(), 1);
}

INSTANTIATE_TEST_SUITE_P(Under, Fingerprint, testing::Values("auto", "weft", "default"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
