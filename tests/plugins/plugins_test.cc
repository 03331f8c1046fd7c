/* SPDX-License-Identifier: GPL-2.0-only */
/* Plug-ins in files of their own: weft's own members, compiled as such, are what they are. */
#include "tests/cli/program.h"
#include "tests/lib/net.h"
#include "tests/lib/served.h"

namespace
{

namespace fs = std::filesystem;

std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

/* Compiles a plug-in; false: it is no C. */
bool compiled(const std::string &file, const std::string &text)
{
    write_file(file + ".c", text);
    const std::string root = SOURCE_DIR;
    const std::string command = std::string(CC) +
                                " -O2 -ffp-contract=off -shared -fPIC " SANITIZE " -I" + root +
                                " -I" + root + "/frontend -o " + file + ".so " + file + ".c";
    return system(command.c_str()) == 0;
}

/* A member of the program under the name my-NAME. */
std::string renamed(const std::string &path, const std::string &symbol, const std::string &name,
                    const std::string &family)
{
    std::string text = slurp(SOURCE_DIR "/" + path);
    text = replaced(text, symbol, "weft_mine");
    text = replaced(text, ".name = \"" + name + "\"", ".name = \"my-" + name + "\"");
    return text + "\n#include \"base/plugin.h\"\nWEFT_PLUGINS(WEFT_PLUGIN_" + family +
           "(weft_mine));\n";
}

std::string example()
{
    const std::string page = slurp(SOURCE_DIR "/docs/tutorial/own-congestion-control.md");
    const size_t from = page.find("<<'END'\n") + 8;
    return page.substr(from, page.find("\nEND\n", from) + 1 - from);
}

/* The tables of two runs are the same but for the name. */
void expect_same_tables(const std::string &a, const std::string &b, const std::string &name_of)
{
    size_t n = 0;
    for (const auto &f : fs::directory_iterator(a)) {
        const std::string name = f.path().filename();
        if (f.path().extension() != ".csv" || name == "jobs.csv")
            continue;
        n++;
        EXPECT_EQ(slurp(a + "/" + name), replaced(slurp(b + "/" + name), "my-" + name_of, name_of))
            << name;
    }
    EXPECT_GE(n, 5u);
}

struct Own {
    const char *path, *symbol, *name, *family, *key;
    std::vector<std::string> settings; /* of NAME. */
};

void PrintTo(const Own &own, std::ostream *os)
{
    *os << own.name;
}

class Plugins : public testing::TestWithParam<Own>
{
};

TEST_P(Plugins, OneOfWeftsOwnGivesTheSameBytes)
{
    const Own &own = GetParam();
    TempDir dir;
    ASSERT_TRUE(compiled(dir / "mine", renamed(own.path, own.symbol, own.name, own.family)));
    std::vector<std::string> sets = {"topology.type=leaf-spine", "workload.type=generate",
                                     "generate.kind=all-gather", "generate.size=1MiB"};
    if (own.key == std::string("workload.type"))
        sets.resize(1);
    for (const char *prefix : {"", "my-"}) {
        std::vector<std::string> a =
            with_sets({"run", "--quiet", "--plugin", dir / "mine.so"}, sets);
        const std::string name = prefix + std::string(own.name);
        a.insert(a.end(), {"--out", dir / name, "--set", own.key + std::string("=") + name});
        for (const std::string &s : own.settings)
            a.insert(a.end(), {"--set", name + "." + s});
        const Said said = weft(a);
        ASSERT_EQ(said.code, 0) << said.err;
    }
    expect_same_tables(dir / own.name, dir / ("my-" + std::string(own.name)), own.name);
    std::vector<std::string> try_it = {"test-plugin", dir / "mine.so"};
    const Said tried = weft(try_it);
    EXPECT_EQ(tried.code, 0) << tried.out << tried.err;
    EXPECT_CONTAINS(tried.out, "  ok\n");
}

INSTANTIATE_TEST_SUITE_P(
    Each, Plugins,
    testing::Values(
        Own{"congestion/dcqcn.c",
            "weft_cc_dcqcn",
            "dcqcn",
            "CC",
            "congestion-control.name",
            {"rate-ai=40Mbps"}},
        Own{"congestion/swift.c", "weft_cc_swift", "swift", "CC", "congestion-control.name", {}},
        Own{"topologies/leaf_spine.c",
            "weft_topology_leaf_spine",
            "leaf-spine",
            "TOPOLOGY",
            "topology.type",
            {"leaves=2", "hosts-per-leaf=4"}},
        Own{"frontend/collective/bruck.c",
            "weft_coll_bruck",
            "bruck",
            "COLLECTIVE",
            "system.all-gather",
            {}},
        Own{"frontend/workload/traffic/incast.c",
            "weft_workload_incast",
            "incast",
            "WORKLOAD",
            "workload.type",
            {"degree=8", "duration=200us"}}),
    [](const auto &i) { return replaced(i.param.name, "-", "_"); });

TEST(PluginsExample, TheControlOfThePageWorks)
{
    TempDir dir;
    ASSERT_TRUE(compiled(dir / "my_cc", example()));
    const Said tried = weft({"test-plugin", "my_cc.so"}, dir / ".");
    EXPECT_EQ(tried.code, 0) << tried.out << tried.err;
    EXPECT_CONTAINS(weft({"show", "cc", "my-aimd", "--plugin=./my_cc.so"}, dir / ".").out,
                    "my-aimd.cut");
    const Said ran = weft({"run", "allreduce-clos16", "--no-out", "--plugin", "./my_cc.so", "--set",
                           "congestion-control.name=my-aimd", "--set", "my-aimd.cut=0.3"},
                          dir / ".");
    EXPECT_EQ(ran.code, 0) << ran.err;
    setenv("WEFT_PLUGIN_PATH", (dir / ".").c_str(), 1);
    EXPECT_CONTAINS(weft({"list", "cc"}).out, "my-aimd");
    unsetenv("WEFT_PLUGIN_PATH");
    EXPECT_LACKS(weft({"list", "cc"}).out, "my-aimd");
}

TEST(PluginsExample, DiagnoseOfAFolderNamesThePluginToGive)
{
    TempDir dir;
    ASSERT_TRUE(compiled(dir / "my_cc", example()));
    const Said ran = weft({"run", "allreduce-clos16", "--quiet", "--out", "o", "--plugin",
                           "./my_cc.so", "--set", "congestion-control.name=my-aimd"},
                          dir / ".");
    ASSERT_EQ(ran.code, 0) << ran.err;
    const std::string so = fs::canonical(dir / "my_cc.so");
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"plugins\": [\n    \"" + so + "\"\n  ]");
    const Said none = weft({"diagnose", "o", "--budget", "0us"}, dir / ".");
    EXPECT_EQ(none.code, 3);
    EXPECT_CONTAINS(none.err, "o was made with --plugin " + so + ", which has to be given again: ");
    EXPECT_CONTAINS(none.err, "unknown congestion control 'my-aimd'");
    const Said given = weft({"diagnose", "o", "--budget", "0us", "--plugin", so}, dir / ".");
    EXPECT_EQ(given.code, 5) << given.err; /* the budget is for no change */
}

/* When messages of an incast, with marks and losses of rate, arrive. */
std::vector<int64_t> arrivals(const std::string &control)
{
    Net net({"congestion-control.name=" + control});
    EXPECT_TRUE(net.sim) << net.error.text;
    std::vector<int64_t> times;
    if (!net.sim)
        return times;
    for (uint32_t host = 1; host < 8; host++)
        net.Send(host, 0, 1 << 20);
    EXPECT_EQ(net.Run(), WEFT_STOP_IDLE);
    for (const weft_event &e : net.Take())
        times.push_back(e.time_ps);
    return times;
}

/* The same by weft serve. */
std::string served_arrivals(const std::string &so, const std::string &control)
{
    Served s({"--plugin", so, "--set", "topology.type=leaf-spine", "--set",
              "congestion-control.name=" + control});
    EXPECT_CONTAINS(s.Ask(R"({"verb":"open"})"), "\"ok\":true");
    std::string posts;
    for (int host = 1; host < 8; host++)
        posts += (host > 1 ? "," : "") + ("{\"src\":" + std::to_string(host)) +
                 ",\"dst\":0,\"bytes\":1048576}";
    EXPECT_CONTAINS(s.Ask(R"({"verb":"post","messages":[)" + posts + "]}"), "\"count\":7");
    return s.Ask(R"({"verb":"run"})");
}

TEST(PluginsLibrary, AControlGivesTheTimesOfWeftsOwn)
{
    TempDir dir;
    weft_error error = {};
    const std::string so = dir / "mine.so";
    ASSERT_TRUE(
        compiled(dir / "mine", renamed("congestion/dcqcn.c", "weft_cc_dcqcn", "dcqcn", "CC")));
    EXPECT_EQ(weft_sim_load_plugin(so.c_str(), &error), 0) << error.text;
    const std::vector<int64_t> own = arrivals("dcqcn");
    EXPECT_EQ(own.size(), 14u);
    EXPECT_EQ(own, arrivals("my-dcqcn"));
    EXPECT_NE(own, arrivals("none"));
    EXPECT_EQ(weft_sim_load_plugin(so.c_str(), &error), WEFT_ERROR_INPUT);
    EXPECT_CONTAINS(error.text, "there is a congestion control 'my-dcqcn' already");
    EXPECT_EQ(weft_sim_load_plugin((dir / "none.so").c_str(), nullptr), WEFT_ERROR_IO);
    const std::string served = served_arrivals(so, "dcqcn");
    EXPECT_CONTAINS(served, "\"kind\":\"delivered\"");
    EXPECT_EQ(served, served_arrivals(so, "my-dcqcn"));
}

/* As a simulator in Python does: the functions of a library that it opens are for itself alone. */
TEST(PluginsLibrary, AProgramThatOpensTheLibraryItselfLoadsThem)
{
    TempDir dir;
    ASSERT_TRUE(
        compiled(dir / "mine", renamed("congestion/dcqcn.c", "weft_cc_dcqcn", "dcqcn", "CC")));
    write_file(dir / "opens.c", R"(#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 2], RTLD_NOW | RTLD_LOCAL);
    int (*load)(const char *, void *) = library ? (int (*)(const char *, void *))dlsym(library, "weft_sim_load_plugin") : 0;
    return load ? -load(argv[argc - 1], 0) : 100;
}
)");
    ASSERT_EQ(system((std::string(CC " " SANITIZE " -o ") + (dir / "opens") + " " +
                      (dir / "opens.c") + " -ldl")
                         .c_str()),
              0);
    EXPECT_EQ(system(((dir / "opens") + " " LIBRARY " " + (dir / "mine.so")).c_str()), 0);
}

/* weft's balancers spray and adaptive by the interface of plug-ins. */
std::string balancer(const std::string &name, const std::string &pick)
{
    return R"(#include "base/plugin.h"
#include "topologies/balancer.h"
static uint32_t mine_pick(const struct weft_balancer_view *v, void *node, const void *params)
{
    uint32_t *turns = (uint32_t *)node, best = v->usual;
    (void)params, (void)turns;
    )" + pick +
           R"(
}
static const struct weft_balancer_ops mine = {.name = ")" +
           name + R"(", .title = "one", .node_size = sizeof(uint32_t), .reorders = true,
                                              .pick = mine_pick};
WEFT_PLUGINS(WEFT_PLUGIN_BALANCER(mine));
)";
}

const std::vector<std::string> kBalanced = {"run",   "--quiet",
                                            "--set", "topology.type=leaf-spine",
                                            "--set", "workload.type=generate",
                                            "--set", "generate.kind=all-to-all",
                                            "--set", "generate.size=1MiB",
                                            "--set", "transport.recovery=out-of-order"};

TEST(PluginsBalancer, GivesTheBytesOfWeftsOwn)
{
    TempDir dir;
    const std::pair<const char *, const char *> each[] = {
        {"spray", "return best = (*turns)++ % v->n;"},
        {"adaptive",
         "for (uint32_t i = 0; i < v->n; i++) if (v->queued(v, i) < v->queued(v, best)) "
         "best = i; return best;"}};
    for (const auto &[name, pick] : each) {
        const std::string so = dir / (std::string(name) + ".so");
        ASSERT_TRUE(compiled(dir / name, balancer("my-" + std::string(name), pick)));
        for (const char *prefix : {"", "my-"})
            for (const char *threads : {"1", "3"}) {
                std::vector<std::string> a = kBalanced;
                const std::string word = prefix + std::string(name);
                a.insert(a.end(),
                         {"--plugin", so, "--set", "switch.balance=" + word, "--set",
                          "run.threads=" + std::string(threads), "--out", dir / (word + threads)});
                const Said said = weft(a);
                ASSERT_EQ(said.code, 0) << said.err;
            }
        expect_same_tables(dir / (name + std::string("1")), dir / ("my-" + std::string(name) + "1"),
                           name);
        expect_same_tables(dir / (name + std::string("1")), dir / ("my-" + std::string(name) + "3"),
                           name);
    }
}

TEST(PluginsBalancer, WrongOnesAreRefused)
{
    TempDir dir;
    const auto said = [&](const std::string &pick, const std::vector<std::string> &more) {
        EXPECT_TRUE(compiled(dir / "mine", balancer("my-own", pick)));
        std::vector<std::string> a = kBalanced;
        a.insert(a.end(),
                 {"--no-out", "--plugin", dir / "mine.so", "--set", "switch.balance=my-own"});
        a.insert(a.end(), more.begin(), more.end());
        return weft(a);
    };
    const Said beyond = said("return best = v->n;", {});
    EXPECT_EQ(beyond.code, 70);
    EXPECT_CONTAINS(beyond.err, "the balancer 'my-own' picks port 4 of 4");
    const Said tried = weft({"test-plugin", dir / "mine.so"});
    EXPECT_EQ(tried.code, 1);
    EXPECT_CONTAINS(tried.out, "picks port");
    // Without the declaration go-back-N takes packets that overtake each other for losses.
    std::string sprays = balancer("my-own", "return (best + (*turns)++) % v->n;");
    EXPECT_TRUE(compiled(dir / "mine", replaced(sprays, ".reorders = true", ".reorders = false")));
    const Said undeclared = weft({"test-plugin", dir / "mine.so"});
    EXPECT_EQ(undeclared.code, 1);
    EXPECT_CONTAINS(undeclared.out, "declares by 'reorders'");
    const Said orders = said("return best;", {"--set", "transport.recovery=go-back-n"});
    EXPECT_EQ(orders.code, 3);
    EXPECT_CONTAINS(orders.err, "switch.balance=my-own reorders packets");
    const Said unknown = said("return best;", {"--set", "switch.balancer=gap=1"});
    EXPECT_EQ(unknown.code, 3);
    EXPECT_CONTAINS(unknown.err, "gap");
    std::vector<std::string> own = kBalanced;
    own.insert(own.end(), {"--no-out", "--set", "switch.balancer=gap=1"});
    const Said none = weft(own);
    EXPECT_EQ(none.code, 3);
    EXPECT_CONTAINS(none.err, "switch.balance names none of them");
}

TEST(PluginsErrors, WhatIsNoneIsRefused)
{
    TempDir dir;
    const struct {
        std::string text;
        const char *says;
        int code;
    } cases[] = {
        {"int weft;\n", "it lacks WEFT_PLUGINS", 3},
        {"#include \"base/plugin.h\"\n#undef WEFT_PLUGIN_ABI\n#define WEFT_PLUGIN_ABI 99\n" +
             replaced(example(), "#include \"base/plugin.h\"\n", ""),
         "of version 99 of the interfaces", 3},
        {replaced(example(), "my-aimd", "dcqcn"), "there is a congestion control 'dcqcn' already",
         3},
        {replaced(example(), "\"my-aimd\"", "\"My aimd\""), "is small letters, digits and '-'", 3},
        {replaced(example(), "WEFT_PLUGIN_CC(mine)", "{WEFT_PLUGIN_FAMILY_CC, 8, &mine}"),
         "other sizes", 3},
    };
    for (const auto &c : cases) {
        ASSERT_TRUE(compiled(dir / "bad", c.text)) << c.says;
        const Said said = weft({"list", "cc", "--plugin", dir / "bad.so"});
        EXPECT_EQ(said.code, c.code) << said.err;
        EXPECT_CONTAINS(said.err, c.says);
    }
    EXPECT_EQ(weft({"list", "cc", "--plugin", "absent.so"}).code, 4);
    EXPECT_EQ(weft({"list", "cc", "--plugin"}).code, 2);
}

TEST(PluginsTry, FaultsAreFound)
{
    TempDir dir;
    const struct {
        const char *what, *with, *says;
    } cases[] = {
        {".cwnd_bytes = most,", ".cwnd_bytes = 0,", "cwnd_bytes is less than a packet"},
        {".rate_bps = env->line_rate_bps,", ".rate_bps = 2 * env->line_rate_bps,",
         "rate_bps is not"},
        {"*s = (struct state){.mtu_bytes = env->mtu_bytes, .most_bytes = most, .cwnd_bytes = "
         "most};",
         "s->mtu_bytes = env->mtu_bytes, s->most_bytes = s->cwnd_bytes = most;",
         "init leaves some"},
        {"    (void)now_ps;\n",
         "    static int n;\n    (void)now_ps;\n    out->rate_bps -= n++ & 1;\n",
         "depends on more than the arguments"},
        {"    out->cwnd_bytes = s->cwnd_bytes;",
         "    out->cwnd_bytes = s->cwnd_bytes;\n    s[1].mtu_bytes = 0;",
         "writes behind the state"},
        {".needs = WEFT_CC_NEEDS_ECN |", ".needs = WEFT_CC_NEEDS_CNP | WEFT_CC_NEEDS_ECN |",
         "has no 'on_cnp'"},
        {"WEFT_CC_NEEDS_ECN_ECHO | ", "", "reads ecn_echo"},
        {"share of the window that a mark takes, once per round trip", "", "has no help"},
    };
    for (const auto &c : cases) {
        ASSERT_NE(example().find(c.what), std::string::npos) << c.what;
        ASSERT_TRUE(compiled(dir / "bad", replaced(example(), c.what, c.with))) << c.says;
        const Said said = weft({"test-plugin", dir / "bad.so"});
        EXPECT_NE(said.code, 0) << c.says;
        EXPECT_CONTAINS(said.out, "PROBLEM: ");
        EXPECT_CONTAINS(said.out, c.says);
    }
}

// A field that goes with packet numbers and is said to go with the clock.
TEST(PluginsTry, AWrongDeclarationForReplayIsFound)
{
    TempDir dir;
    for (const char *moves : {"WEFT_CC_MOVES_BYTES", "WEFT_CC_MOVES_TIME"}) {
        const bool right = moves == std::string("WEFT_CC_MOVES_BYTES");
        const std::string tables =
            std::string("static const struct weft_cc_moving moving[] = "
                        "{WEFT_CC_MOVING(cut_at_bytes, ") +
            moves +
            "), WEFT_CC_MOVING_END};\n"
            "static const struct weft_cc_replay replay = {.moving = moving};\n";
        std::string text = replaced(example(), "static const struct weft_cc_ops mine",
                                    tables + "static const struct weft_cc_ops mine");
        text = replaced(text, ".on_ack = mine_on_ack,",
                        ".on_ack = mine_on_ack,\n    .replay = &replay,");
        text = replaced(text, "#include \"congestion/cc.h\"\n",
                        "#include \"congestion/cc.h\"\n#include \"congestion/cc_replay.h\"\n");
        ASSERT_NE(text.find("replay = &replay"), std::string::npos);
        ASSERT_TRUE(compiled(dir / "said", text));
        const Said said = weft({"test-plugin", dir / "said.so"});
        EXPECT_EQ(said.code == 0, right) << said.out;
        EXPECT_CONTAINS(said.out, right ? "the state moves as it says" : "moves in another way");
    }
}

} // namespace
