/* SPDX-License-Identifier: GPL-2.0-only */
/* Several networks in one process, in several threads, and several threads behind one. */
#include "net.h"

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace
{

/* Delivery times of an exchange among all hosts, with a stop at each completion or none. */
std::vector<int64_t> exchange(Net &net, bool stops)
{
    std::vector<int64_t> at;
    const uint32_t n = weft_sim_hosts(net.sim);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 1; k < n; k++)
            net.Send(i, (i + k) % n, 20000, 0, k);
    at.resize(n * (n - 1));
    while (net.Run(WEFT_NEVER_PS, stops ? WEFT_DELIVERED : 0) == WEFT_STOP_EVENT) {
    }
    for (const weft_event &e : net.Take())
        if (e.kind == WEFT_DELIVERED)
            at[e.id] = e.time_ps;
    return at;
}

TEST(LibThreads, AHundredNetsAtOnce)
{
    std::vector<std::unique_ptr<Net>> nets;
    Net alone;
    const std::vector<int64_t> expected = exchange(alone, false);
    for (int i = 0; i < 100; i++)
        nets.push_back(std::make_unique<Net>());
    std::atomic<int> next{0}, wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back([&] {
            for (int i; (i = next++) < 100;)
                wrong += exchange(*nets[static_cast<size_t>(i)], i % 2) != expected;
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(wrong, 0);
}

/* Opening and closing at once, from a scenario file as well. */
TEST(LibThreads, NetsComeAndGoInThreads)
{
    const std::string file =
        std::string(getenv("WEFT_SOURCE_DIR")) + "/scenarios/allreduce-clos16/scenario.xml";
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 6; i++) {
                Net net({}, {}, t % 2 ? file.c_str() : nullptr);
                Net bad({"topology.type=nothing"});
                wrong += !net.sim || bad.sim;
                if (net.sim && net.Send(0, 1, 1000) == 0)
                    wrong += net.Run() != WEFT_STOP_IDLE;
            }
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(wrong, 0);
}

TEST(LibThreads, ThreadsAndReplayChangeNothing)
{
    Net alone({"run.threads=1", "run.replay=off"});
    const std::vector<int64_t> expected = exchange(alone, false);
    for (const char *settings : {"run.threads=3", "run.replay=exact"})
        for (bool stops : {false, true}) {
            Net net({settings, "run.thread-shuffle=5"});
            if (!net.sim) /* a build without them */
                GTEST_SKIP() << net.error.text;
            EXPECT_EQ(exchange(net, stops), expected) << settings << " " << stops;
        }
}

/* Threads are there from the first run on: before it a process may fork, and both may run. */
TEST(LibThreads, AProcessMayForkBeforeTheFirstRun)
{
    Net alone({"run.threads=1", "run.replay=off"});
    const std::vector<int64_t> expected = exchange(alone, false);
    Net net({"run.threads=3", "run.thread-shuffle=5"});
    if (!net.sim)
        GTEST_SKIP() << net.error.text;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(exchange(net, false) != expected);
    int status = -1;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(exchange(net, false), expected);
}

TEST(LibThreads, RunsWithAndWithoutStopsMayFollowEachOther)
{
    Net alone({"run.threads=1", "run.replay=off"});
    const std::vector<int64_t> expected = exchange(alone, false);
    for (const char *threads : {"run.threads=1", "run.threads=3"}) {
        Net net({threads});
        if (!net.sim)
            GTEST_SKIP() << net.error.text;
        const uint32_t n = weft_sim_hosts(net.sim);
        std::vector<int64_t> at(n * (n - 1));
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 1; k < n; k++)
                net.Send(i, (i + k) % n, 20000, 0, k);
        for (int turn = 0;; turn++) {
            const int why = turn % 3 == 0 ? net.Run(WEFT_NEVER_PS, WEFT_DELIVERED)
                            : turn % 3 == 1
                                ? net.Run(weft_sim_now(net.sim) + 1000000)
                                : net.Run(weft_sim_now(net.sim) + 900000, WEFT_ACKNOWLEDGED);
            ASSERT_GE(why, 0) << weft_sim_error(net.sim);
            if (why == WEFT_STOP_IDLE || weft_sim_next(net.sim) == WEFT_NEVER_PS)
                break;
        }
        for (const weft_event &e : net.Take())
            if (e.kind == WEFT_DELIVERED)
                at[e.id] = e.time_ps;
        EXPECT_EQ(at, expected) << threads;
    }
}

TEST(LibThreads, OfNetsInsideNs3ThereIsOne)
{
    Net first({"transport.type=tcp"});
    if (!first.sim && std::string(first.error.text).find("ns-3") != std::string::npos)
        GTEST_SKIP() << first.error.text;
    ASSERT_TRUE(first.sim) << first.error.text;
    Net plain; /* beside it */
    EXPECT_TRUE(plain.sim);
    Net second({"transport.type=tcp"});
    EXPECT_EQ(second.sim, nullptr);
    EXPECT_EQ(second.error.code, WEFT_ERROR_LIMIT);
    EXPECT_NE(std::string(second.error.text).find("one per process"), std::string::npos);
    const int64_t id = first.Send(0, 5, 100000);
    EXPECT_EQ(first.Run(), WEFT_STOP_IDLE);
    EXPECT_GT(Net::TimeOf(first.Take(), WEFT_DELIVERED, id), 0);
}

} // namespace
