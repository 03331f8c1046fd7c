// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every message that docs/how-to/troubleshooting.md quotes is printed in these words: by a command,
 * or, where that takes a broken machine or a long run, by the file that has the text.
 */
#include "program.h"

#include <regex>

namespace
{

struct Message {
    std::string text; /* as on the page; "..." stands for anything */
    std::vector<std::string> args;
    std::string file; /* where there are no args */
};

const std::string main_scenario = "allreduce-clos16";

const std::vector<Message> messages = {
    {"weft can't be built without:", {}, "cmake/WeftNeeds.cmake"},
    {"this system has no apt-get. Please install what was not found, then run this again:",
     {},
     "quickstart"},
    {"please install these as root: apt-get install ...", {}, "quickstart"},
    {"weft needs a target of 64 bits", {}, "cmake/WeftNeeds.cmake"},
    {"there is no ns-3 3.37 or newer, or WEFT_NS3=OFF: building weft without it", {}, "quickstart"},
    {"ns-3's time resolution is not one picosecond", {}, "ns3-module/model/weft-time.h"},
    {"no scenario given, and nothing --set", {"run"}, ""},
    {"no file and no scenario '...'", {"run", "no-such-thing"}, ""},
    {"no topology: add <topology type=\"...\"/> to the scenario",
     {"run", "--set", "workload.type=incast"},
     ""},
    {"no workload: add <workload type=\"...\"/> to the scenario",
     {"run", "--set", "topology.type=leaf-spine"},
     ""},
    {"an override is SECTION.PARAMETER=VALUE", {"run", "--set", "a=b"}, ""},
    {"unknown parameter '...'; did you mean '...'?",
     {"run", main_scenario, "--set", "switch.bufer=4MiB"},
     ""},
    {"unknown element '...' in <...>", {"run", "element.xml"}, ""},
    {"not well-formed XML:", {"run", "broken.xml"}, ""},
    {"has no unit; write for example ...", {"run", main_scenario, "--set", "switch.buffer=4"}, ""},
    {"unknown unit '...' in '...'", {"run", main_scenario, "--set", "switch.buffer=4MMB"}, ""},
    {"has no effect: ...",
     {"check", main_scenario, "--set", "congestion-control.name=none", "--set", "ecn.kmin=1KB"},
     ""},
    {"has no effect: the congestion control is '...'; to change it, --set ...",
     {"check", main_scenario, "--set", "hpcc.target-util=0.9"},
     ""},
    {"no setting is called '...'", {"explain", "web.load"}, ""},
    {"is not checked: overrides change the scenario",
     {"run", main_scenario, "--no-out", "--set", "run.seed=2"},
     ""},
    {"ranks have at most ... senders for one receiver",
     {"run", "--set", "topology.type=single-switch", "--set", "single-switch.hosts=4", "--set",
      "workload.type=incast", "--set", "incast.degree=16", "--set", "incast.duration=1us"},
     ""},
    {"leaves nothing of the ... buffer to share",
     {"run", main_scenario, "--no-out", "--set", "switch.buffer=100KB"},
     ""},
    {"follows the switches of one path, but switch.balance=...",
     {"check", main_scenario, "--set", "switch.balance=spray", "--set",
      "congestion-control.name=hpcc", "--set", "transport.recovery=out-of-order"},
     ""},
    {"nothing to vary: --vary KEY=VALUE|VALUE", {"sweep", main_scenario}, ""},
    {"unknown metric '...'",
     {"sweep", main_scenario, "--vary", "run.seed=1|2", "-m", "no-such-metric"},
     ""},
    {"is no folder of a run: it has no run.json", {"plot", "/", "gantt"}, ""},
    {"cannot run gnuplot, which draws the figures:", {}, "frontend/plot/gnuplot.c"},
    {"links carried more than twice their rate", {}, "frontend/sweep/point.c"},
    {"expectation missed:", {}, "frontend/cli/cmd_run.c"},
    {"not finished", {}, "frontend/report/text.c"},
    {"deadlock at priority ...", {}, "ns3-module/engine/observe/diagnose.c"},
    {"routes can deadlock under lossless flow control:",
     {"run", "pfc-deadlock", "--set", "fault.events=", "--set", "pfc.allow-deadlock=false"},
     ""},
    {"no progress after ... retransmission timeouts", {}, "ns3-module/engine/transport/rc.c"},
    {"and it is in use by ...: wait, or choose another", {}, "frontend/base/lock.c"},
    {"the rows of an earlier sweep are removed", {}, "frontend/cli/cmd_sweep.c"},
    {"begun again", {}, "frontend/report/text.c"},
};

/* The messages that the tables of the page quote: words of code in the first cells. */
std::vector<std::string> quoted()
{
    static const std::regex code("`([^`]+)`");
    std::istringstream page(slurp(source_dir() + "/docs/how-to/troubleshooting.md"));
    std::vector<std::string> all;
    for (std::string line; std::getline(page, line);) {
        if (line.rfind("| ", 0) != 0)
            continue;
        std::string cell = line.substr(2, line.find(" | ", 2) - 2);
        for (std::sregex_iterator i(cell.begin(), cell.end(), code), end; i != end; ++i) {
            std::string text = (*i)[1];
            for (size_t at; (at = text.find("\\|")) != std::string::npos;)
                text.erase(at, 1);
            if (text != "Killed") /* the kernel's */
                all.push_back(text);
        }
    }
    return all;
}

/* Whether the parts of @p message between "..." stand in @p text, in their order. */
bool says(const std::string &text, const std::string &message)
{
    size_t at = 0;
    for (size_t from = 0; from <= message.size();) {
        const size_t to = std::min(message.find("...", from), message.size());
        const std::string part = message.substr(from, to - from);
        if ((at = text.find(part, at)) == std::string::npos)
            return false;
        at += part.size();
        from = to + 3;
    }
    return true;
}

/* The text of a file with literals that follow each other joined. */
std::string joined(const std::string &file)
{
    static const std::regex between("\"\\s*(PRI[a-zA-Z0-9]+)?\\s*\"");
    return std::regex_replace(slurp(source_dir() + "/" + file), between, "");
}

TEST(Troubleshooting, EveryMessageIsPrintedInTheseWords)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_file(dir / "broken.xml", "<scenario>");
    write_file(dir / "element.xml", "<scenario name=\"a\"><elment/></scenario>");
    for (const Message &m : messages) {
        if (m.args.empty()) {
            EXPECT_TRUE(says(joined(m.file), m.text)) << m.file << " has no: " << m.text;
            continue;
        }
        const Said s = weft(m.args, dir / "");
        EXPECT_TRUE(says(s.err, m.text)) << m.text << "\nbut\n" << s.err;
    }
}

TEST(Troubleshooting, EveryQuotedMessageIsTried)
{
    size_t n = 0;
    for (const std::string &text : quoted()) {
        n++;
        EXPECT_TRUE(std::any_of(messages.begin(), messages.end(), [&](const Message &m) {
            return m.text == text;
        })) << text;
    }
    EXPECT_GT(n, 30u);
}

} // namespace
