// SPDX-License-Identifier: GPL-2.0-only
// A run whose event does not end: the program does, and names it.
#include "base/err.h"
#include "run/interrupt.h"
#include "run/watchdog.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace
{

/// A net that says what it is told to.
struct Net {
    weft_net base = {};
    weft_net_ops ops = {};
    weft_event_now is = {1, 20013000, "grant of credit by port", 3, 7, 2};
    Net()
    {
        base.ops = &ops;
        ops.event_now = [](const weft_net *n, weft_event_now *out) {
            *out = reinterpret_cast<const Net *>(n)->is;
        };
    }
};

double CpuSeconds()
{
    return double(std::clock()) / CLOCKS_PER_SEC;
}

[[noreturn]] void LoopsForEver(
    Net &net, const std::function<void()> &first = [] {})
{
    weft_watchdog_begin(&net.base, WEFT_WATCHDOG_LEAST_NS);
    weft_interrupt_set(WEFT_INTERRUPT_DEFER);
    first();
    for (volatile uint64_t n = 0;; n = n + 1) {
    }
}

} // namespace

TEST(Watchdog, EndsTheProgramWithinAnEventAndNamesIt)
{
    Net net;
    EXPECT_EXIT(
        LoopsForEver(net), testing::ExitedWithCode(weft_exit_code(WEFT_E_INTERNAL)),
        "weft: error: one event has taken 100 ms of CPU time .--watchdog., a fault of weft: "
        "grant of credit by port 3 of h2, at 20013000 ps");
    net.is.what = "arrivals and transmissions of a switch";
    net.is.number = UINT64_MAX;
    net.is.host = UINT32_MAX;
    EXPECT_EXIT(LoopsForEver(net), testing::ExitedWithCode(70),
                "arrivals and transmissions of a switch of s7, at 20013000 ps");
    net.is.node = UINT32_MAX;
    EXPECT_EXIT(LoopsForEver(net), testing::ExitedWithCode(70), "of a switch, at 20013000 ps");
}

// Signals that came before have set a flag that nobody looks at within an event.
TEST(Watchdog, EndsAProgramThatASignalWaitsFor)
{
    Net net;
    EXPECT_EXIT(LoopsForEver(net,
                             [] {
                                 weft_interrupt_install();
                                 weft_interrupt_set(WEFT_INTERRUPT_DEFER);
                                 raise(SIGTERM);
                             }),
                testing::ExitedWithCode(70), "one event has taken");
}

TEST(Watchdog, LeavesTheFilesThatASignalWould)
{
    const auto dir = std::filesystem::path(testing::TempDir()) / "watchdog";
    std::filesystem::create_directories(dir);
    const std::string path = dir / "run.json", temporary = dir / "run.json.new", text = "{}\n";
    const weft_signal_file file = {path.c_str(), temporary.c_str(), text.c_str(), text.size()};
    std::filesystem::remove(path);
    Net net;
    EXPECT_EXIT(LoopsForEver(net, [&] { weft_interrupt_add_file(&file); }),
                testing::ExitedWithCode(70), "one event");
    std::ifstream f(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(f), {}), text);
}

// What gets on may take as long as it likes, and what is not watched.
TEST(Watchdog, LetsTheOthersRun)
{
    Net net;
    weft_watchdog_begin(&net.base, WEFT_WATCHDOG_LEAST_NS);
    for (const double until = CpuSeconds() + 0.5; CpuSeconds() < until;)
        net.is.steps++;
    weft_watchdog_end();
    weft_watchdog_begin(&net.base, -1);
    for (const double until = CpuSeconds() + 0.3; CpuSeconds() < until;) {
    }
    weft_watchdog_end();
    net.ops.event_now = nullptr;
    weft_watchdog_begin(&net.base, WEFT_WATCHDOG_LEAST_NS);
    for (const double until = CpuSeconds() + 0.3; CpuSeconds() < until;) {
    }
    weft_watchdog_end();
}
