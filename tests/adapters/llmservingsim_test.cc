/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of LLMServingSim's controller, and the arguments of its program, of the adapter. */
#include "astra_sim/arguments.hh"
#include "llmservingsim/pipe.hh"

#include "handlers.hh"

#include <fstream>
#include <sstream>

namespace
{

using namespace WeftAdapters;

constexpr int64_t kIdlePs = 1000000;

/* An instance whose workloads are sizes of messages to host 4 further on. */
struct Sender : Server {
    Sender(Fabric &fabric, uint32_t host, std::ostream &says)
        : fabric(fabric), host(host), says(says)
    {
    }
    bool Ended() const override
    {
        return ended;
    }
    void Report() override
    {
        says << host << '@' << fabric.NowPs() << ' ';
    }
    void Begin(const std::string &workload) override
    {
        ended = false;
        fabric.Send({host, host + 4, std::stoull(workload), 0},
                    [this](Kind kind) { ended = kind == Acknowledged; });
    }
    Fabric &fabric;
    uint32_t host;
    std::ostream &says;
    bool ended = true;
};

struct Told {
    PipeEnd end;
    std::vector<std::pair<int, int64_t>> reports; /* (host, time) */
};

Told told(const std::string &answers, std::vector<std::string> first = {"1000", "1000000"})
{
    Fabric fabric({"", kEightHosts, Delivered | Acknowledged | Timer});
    std::ostringstream says;
    Sender a(fabric, 0, says), b(fabric, 1, says);
    if (first.size() > 0)
        a.Begin(first[0]);
    if (first.size() > 1)
        b.Begin(first[1]);
    std::istringstream lines(answers);
    Told t{RunPipe(fabric, {&a, &b}, lines, kIdlePs), {}};
    std::istringstream words(says.str());
    char at;
    for (std::pair<int, int64_t> r; words >> r.first >> at >> r.second;)
        t.reports.push_back(r);
    return t;
}

TEST(LlmServingSimAdapter, TheOneThatEndsFirstGetsTheNext)
{
    const Told t = told("50000\nexit\n");
    EXPECT_EQ(t.end, PipeEnd::Exit);
    ASSERT_EQ(t.reports.size(), 2u);
    EXPECT_EQ(t.reports[0].first, 0);
    EXPECT_EQ(t.reports[1].first, 0); /* 50 kB end before 1 MB */
    EXPECT_LT(t.reports[0].second, t.reports[1].second);
}

TEST(LlmServingSimAdapter, WhoPassesIsAskedAgainAtTheNextInstant)
{
    const Told t = told("pass\npass\nexit\n");
    ASSERT_EQ(t.reports.size(), 3u);
    EXPECT_LT(t.reports[0].second, t.reports[1].second); /* delivery of the other's message */
}

TEST(LlmServingSimAdapter, TheClockGoesOnWhereAllAreIdle)
{
    const Told t = told("pass\npass\n2000\ndone\nexit\n", {});
    EXPECT_EQ(t.end, PipeEnd::Exit);
    ASSERT_EQ(t.reports.size(), 5u);
    const int64_t times[] = {kIdlePs, kIdlePs, 2 * kIdlePs, 2 * kIdlePs};
    for (size_t i = 0; i < 4; i++) {
        EXPECT_EQ(t.reports[i].first, static_cast<int>(i % 2));
        EXPECT_EQ(t.reports[i].second, times[i]);
    }
    EXPECT_EQ(t.reports[4].first, 0); /* 1 is done */
}

TEST(LlmServingSimAdapter, OtherEnds)
{
    EXPECT_EQ(told("pass\n").end, PipeEnd::Closed);
    EXPECT_EQ(told("done\ndone\n").end, PipeEnd::Stalled);
}

Arguments parsed(std::vector<const char *> words)
{
    words.insert(words.begin(), "program");
    return ParseArguments(static_cast<int>(words.size()), words.data(), {{"more", "1"}});
}

TEST(AstraSimArguments, DimensionsOfFiles)
{
    const std::string dir = testing::TempDir();
    std::ofstream(dir + "/ring.yml") << "topology: [ Ring, Switch ]\nnpus_count: [ 2, 4 ]  # NPUs\n"
                                        "bandwidth: [ 50.0, 25.0 ]\n";
    std::ofstream(dir + "/logical.json") << "{\"logical-dims\": [\"4\"]}";
    const std::string network = "--network-configuration=" + dir + "/ring.yml";
    const std::string logical = dir + "/logical.json";
    using Dims = std::vector<int>;
    EXPECT_EQ(Dimensions(parsed({}), 8), Dims{8});
    EXPECT_EQ(Dimensions(parsed({network.c_str()}), 8), (Dims{2, 4}));
    const char *topology = "--logical-topology-configuration";
    EXPECT_EQ(Dimensions(parsed({network.c_str(), topology, logical.c_str()}), 8), Dims{4});
    EXPECT_EQ(Dimensions(parsed({topology, logical.c_str(), "--logical-dims=2x3"}), 8),
              (Dims{2, 3}));
    EXPECT_THROW(Dimensions(parsed({"--logical-dims=3x3"}), 8), std::runtime_error);
    EXPECT_THROW(Dimensions(parsed({"--logical-dims=0x3"}), 8), std::runtime_error);
}

TEST(AstraSimArguments, Options)
{
    const Arguments o = parsed({"--weft-set", "a=b", "--more=2", "--weft-set=c=d"});
    EXPECT_EQ(o["more"], "2");
    EXPECT_EQ(o["sent"], "acknowledged");
    EXPECT_EQ(o.settings, (std::vector<std::string>{"a=b", "c=d"}));
    EXPECT_THROW(parsed({"--less"}), std::runtime_error);
    EXPECT_THROW(parsed({"more"}), std::runtime_error);
}

} // namespace
