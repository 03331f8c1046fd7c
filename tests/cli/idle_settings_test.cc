// SPDX-License-Identifier: GPL-2.0-only
// Each command is given each setting: it uses it, or says that it does not.
#include "program.h"

#include <jansson.h>

#include <set>

namespace
{

struct Key {
    std::string group, name, value; /* a value that it may have */
    std::string text() const
    {
        return group + "." + name;
    }
};

json_t *show(const std::vector<std::string> &args)
{
    json_error_t e;
    json_t *j = json_loads(weft(args).out.c_str(), 0, &e);
    EXPECT_NE(j, nullptr) << e.text;
    return j;
}

std::vector<std::string> names(const std::string &family)
{
    std::vector<std::string> all;
    std::istringstream in(weft({"list", family}).out);
    for (std::string line, word; std::getline(in, line);)
        if (std::istringstream(line) >> word)
            all.push_back(word);
    EXPECT_FALSE(all.empty()) << family;
    return all;
}

/* All settings of the sections, and at least the first of every topology, workload and congestion
 * control: all of those in @p whole. */
std::vector<Key> keys(const std::set<std::string> &whole)
{
    static const char *const families[][2] = {{"section", "sections"},
                                              {"topology", "topologies"},
                                              {"workload", "workloads"},
                                              {"cc", "cc"}};
    std::vector<Key> all;
    for (const auto &f : families)
        for (const std::string &n : names(f[1])) {
            json_t *j = show({"show", f[0], n, "--json"}), *p;
            size_t i;
            json_array_foreach(json_object_get(j, "parameters"), i, p)
            {
                const char *d = json_string_value(json_object_get(p, "default"));
                const char *text = json_string_value(json_object_get(p, "type"));
                if (f[0] == std::string("topology") && n == "switch")
                    continue; /* its keys are taken for those of the section */
                if (f[0] == std::string("section") && n == "library")
                    continue; /* warned of wherever system.library is ideal */
                if (i == 0 || f[0] == std::string("section") || whole.count(n))
                    all.push_back({n, json_string_value(json_object_get(p, "name")),
                                   d                             ? d
                                   : std::string(text) == "text" ? "x"
                                                                 : "1"});
            }
            json_decref(j);
        }
    EXPECT_GT(all.size(), 250u);
    return all;
}

/* How a command takes each key: what it uses are the @p used, groups ("pfc") or keys. */
void expect_use(const std::vector<std::string> &command, const std::vector<Key> &all,
                const std::set<std::string> &used, const std::set<std::string> &unused,
                const std::string &dir)
{
    std::set<std::string> taken;
    for (const Key &k : all) {
        std::vector<std::string> args = command;
        args.insert(args.end(), {"--set", k.text() + "=" + k.value});
        const Said s = weft(args, dir);
        const bool uses = (used.count(k.group) || used.count(k.text())) && !unused.count(k.text());
        if (s.code == 0) {
            EXPECT_TRUE(uses) << command[0] << " takes " << k.text() << " and has no use for it";
            taken.insert(k.group);
            continue;
        }
        EXPECT_TRUE(s.code == 3 || s.code == 4) << command[0] << " " << k.text() << s.err;
        if (k.value != "x") {
            EXPECT_FALSE(uses) << s.err;
            EXPECT_NE(s.err.find("--set " + k.text()), std::string::npos) << s.err;
        }
    }
    for (const std::string &g : used)
        EXPECT_TRUE(taken.count(g.substr(0, g.find('.')))) << command[0] << " " << g;
}

const std::set<std::string> kNetwork = {"transport", "switch", "pfc",     "ecn",
                                        "credit",    "uet",    "tcp",     "ns3",
                                        "run",       "sample", "capture", "output"};

std::set<std::string> with(std::set<std::string> a, const std::set<std::string> &b)
{
    a.insert(b.begin(), b.end());
    return a;
}

class IdleSettings : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        if (!has_packet())
            GTEST_SKIP() << "needs the backend packet";
    }
    TempDir dir;
};

TEST_F(IdleSettings, OfConfigurations)
{
    write_file(dir / "t.txt", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
    write_file(dir / "f.txt", "1\n0 1 3 100 1000 2\n");
    write_file(dir / "c.txt",
               "TOPOLOGY_FILE t.txt\nFLOW_FILE f.txt\nCC_MODE 1\nKMAX_MAP 1 100000000000 400\n"
               "KMIN_MAP 1 100000000000 100\nPMAX_MAP 1 100000000000 0.2\nBUFFER_SIZE 32\n");
    const std::vector<std::string> hpcc = {"hpcc", "c.txt", "--show-settings"};
    ASSERT_EQ(weft(hpcc, dir / "").code, 0) << weft(hpcc, dir / "").err;
    expect_use(hpcc, keys({"hpcc", "generate", "dcqcn"}),
               with(kNetwork, {"dcqcn", "hpcc.hosts-forward"}), {"run.warm-up", "run.measure"},
               dir / "");
    Said s = weft({"hpcc", "c.txt", "--no-out", "--set", "in-network.aggregation-bandwidth=1Tbps"},
                  dir / "");
    EXPECT_CONTAINS(s.err, "flows have no operations in switches");
}

TEST_F(IdleSettings, OfFabrics)
{
    const std::vector<Key> all = keys({"ring"});
    const std::vector<std::string> sets = {"--set", "topology.type=ring"};
    const std::set<std::string> buffers = {"ring", "transport", "switch", "pfc", "credit", "uet"};
    auto command = [&](std::vector<std::string> c) {
        c.insert(c.end(), sets.begin(), sets.end());
        return c;
    };
    expect_use(command({"topology", "show"}), all, buffers, {}, dir / "");
    expect_use(command({"topology", "check"}), all, with(buffers, {"ecn", "capture", "tcp"}), {},
               dir / "");
    expect_use(command({"topology", "convert"}), all, {"ring"}, {}, dir / "");
    expect_use(command({"show", "fabric", "--set", "workload.type=generate"}), all,
               {"ring", "generate"}, {}, dir / "");
    for (const std::vector<std::string> &c : {std::vector<std::string>{"show", "cc", "dcqcn"},
                                              {"show", "output"},
                                              {"show", "schema"}}) {
        std::vector<std::string> args = c;
        args.insert(args.end(), {"--set", "run.seed=2"});
        EXPECT_EQ(weft(args).code, 2) << c[1];
    }
    Said s = weft({"topology", "show", "--set", "topology.type=ring", "--seed", "4"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err,
                    "--set run.seed: weft topology show does not use it; it uses settings of "
                    "topology, network, transport, switch, pfc, credit, uet");
}

/* What a scenario does not use is refused, or warned about where another value of another key
 * would make use of it. */
TEST_F(IdleSettings, OfRuns)
{
    const std::vector<Key> all = keys({"ring", "fat-tree", "chakra"});
    const std::set<std::string> mine =
        with(kNetwork, {"single-switch", "generate", "dcqcn", "topology", "workload", "system",
                        "network", "dimension", "congestion-control", "trouble", "fault",
                        "in-network", "workload", "output", "figures"});
    const std::vector<std::string> scenario = {
        "--set", "topology.type=single-switch", "--set", "single-switch.hosts=2",
        "--set", "workload.type=generate",      "--set", "generate.size=1KB"};
    size_t refused = 0;
    for (const Key &k : all) {
        std::vector<std::string> args = {"check"};
        args.insert(args.end(), scenario.begin(), scenario.end());
        args.insert(args.end(), {"--set", k.text() + "=" + k.value});
        const Said s = weft(args, dir / "");
        if (mine.count(k.group))
            continue;
        refused++;
        EXPECT_EQ(s.code, 3) << k.text() << s.err;
        EXPECT_NE(s.err.find("--set " + k.text()), std::string::npos) << k.text() << s.err;
    }
    EXPECT_GT(refused, 40u);
}

/* The commands that play a scenario take and refuse the same: each key that can be of use to them
 * ends without an error or with one that names it, and all others are refused by name. */
TEST_F(IdleSettings, OfSweepsAndBenches)
{
    write_file(dir / "s.xml", "<scenario name='s'><topology type='single-switch' hosts='2'/>"
                              "<workload type='generate' size='1KB'/></scenario>");
    const std::vector<std::vector<std::string>> commands = {
        {"run", "s.xml", "--no-out"},
        {"sweep", "s.xml", "--vary", "run.seed=1"},
        {"bench", "permutation-k8", "--quick", "--controls", "none", "--in-process"}};
    const std::set<std::string> used =
        with(kNetwork, {"system", "generate", "dcqcn", "trouble", "fault", "network", "topology",
                        "dimension", "in-network", "ideal"});
    std::set<std::string>
        seen; /* of what is played: all keys by run, one of each group by others */
    for (const Key &k : keys({"fat-tree", "single-switch", "generate", "dcqcn"})) {
        const bool first = seen.insert(k.group).second;
        for (const auto &c : commands) {
            const bool uses =
                used.count(k.group) || k.group == (c[0] == "bench" ? "fat-tree" : "single-switch");
            if (uses && !first && c[0] != "run")
                continue;
            std::vector<std::string> args = c;
            args.insert(args.end(), {"--set", k.text() + "=" + k.value});
            const Said s = weft(args, dir / "");
            const bool named = (s.err + s.out).find(k.text()) != std::string::npos;
            if (uses)
                EXPECT_TRUE(s.code == 0 || named || k.value == "x")
                    << c[0] << " " << k.text() << s.err;
            else
                EXPECT_TRUE(s.code != 0 && named) << c[0] << " " << k.text() << s.err;
        }
    }
}

/* What switches that add up are told is of use where an operation is played by them. */
TEST_F(IdleSettings, OfSwitchesThatAddUp)
{
    const std::vector<std::string> run = {
        "--set", "topology.type=single-switch", "--set", "single-switch.hosts=4",
        "--set", "workload.type=generate",      "--set", "generate.size=1KB",
        "--set", "in-network.slots=64"};
    for (const char *command : {"run", "check"})
        for (const char *algorithm : {"ring", "in-network"}) {
            std::vector<std::string> args = {command};
            if (args[0] == "run")
                args.push_back("--no-out");
            args.insert(args.end(), run.begin(), run.end());
            args.insert(args.end(), {"--set", std::string("system.all-reduce=") + algorithm});
            const Said s = weft(args, dir / "");
            EXPECT_EQ(s.code, 0) << s.err;
            EXPECT_EQ((s.err + s.out)
                              .find("in-network.slots: has no effect: no operation is "
                                    "played in switches") != std::string::npos,
                      algorithm == std::string("ring"))
                << s.err << s.out;
        }
}

TEST_F(IdleSettings, OfTraces)
{
    const std::vector<std::vector<std::string>> options = {
        {"--set", "layers=2"}, {"--groups", "g.json"}, {"--ranks", "2"}, {"--json"}, {"--mend"}};
    const struct {
        const char *action;
        int arguments;
        std::string uses; /* of the options */
    } actions[] = {{"generate", 1, "s"},     {"info", 1, "grj"},      {"check", 1, "grj"},
                   {"dump", 1, "j"},         {"diff", 2, "j"},        {"transform", 2, "gj"},
                   {"synthesize", 2, "sgj"}, {"convert", 2, "sgrjm"}, {"compare", 2, "sgj"}};
    for (const auto &a : actions)
        for (const auto &o : options) {
            std::vector<std::string> args = {"trace", a.action, "none"};
            if (a.arguments == 2)
                args.push_back("other");
            args.insert(args.end(), o.begin(), o.end());
            const Said s = weft(args, dir / "");
            const bool used = a.uses.find(o[0][2]) != std::string::npos;
            EXPECT_EQ(s.err.find("does not use " + o[0] + "; it belongs to trace ") ==
                          std::string::npos,
                      used)
                << a.action << o[0] << s.err;
            EXPECT_TRUE(used || s.code == 2) << s.code;
        }
}

/* Each form of a conversion says which options it has no use for. */
TEST_F(IdleSettings, OfConversions)
{
    ASSERT_EQ(weft({"trace", "generate", "t", "--set", "ranks=2"}, dir / "").code, 0);
    ASSERT_EQ(weft({"trace", "convert", "t", "s.goal"}, dir / "").code, 0);
    write_file(dir / "layers", "MICRO\n1\nl -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 65536 1\n");
    write_file(dir / "g.json", "{}");
    const std::vector<std::vector<std::string>> options = {
        {"--set", "ranks=2"}, {"--groups", "g.json"}, {"--ranks", "2"}, {"--json"}, {"--mend"}};
    const struct {
        const char *from, *to, *form;
        std::string uses; /* of the options */
    } forms[] = {{"layers", "l", "a list of layers", "s"},
                 {"t", "u", "traces to traces", "jm"},
                 {"t.0.et", "u.json", "a file to a file", "m"},
                 {"t", "u.goal", "traces to a schedule", "sgr"},
                 {"s.goal", "v", "a schedule to traces", "s"},
                 {"s.goal", "v.bin", "a schedule to a schedule", ""}};
    for (const auto &f : forms) {
        if (f.from != std::string("layers")) { /* which needs ranks */
            EXPECT_EQ(weft({"trace", "convert", f.from, f.to}, dir / "").code, 0) << f.form;
        }
        for (const auto &o : options) {
            std::vector<std::string> args = {"trace", "convert", f.from, f.to};
            args.insert(args.end(), o.begin(), o.end());
            const Said s = weft(args, dir / "");
            const bool used = f.uses.find(o[0][2]) != std::string::npos;
            EXPECT_EQ(s.err.find("trace convert of " + std::string(f.form) + " does not use " +
                                 o[0]) == std::string::npos,
                      used)
                << f.form << o[0] << s.err;
            EXPECT_TRUE(used || s.code == 2) << s.code;
        }
    }
}

/* Experiments of other tools are runs: all that their backend, topology and workload have. */
TEST_F(IdleSettings, OfExperiments)
{
    ASSERT_EQ(weft({"trace", "generate", "t", "--set", "ranks=2"}, dir / "").code, 0);
    write_file(dir / "net.yml",
               "topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n");
    write_file(dir / "sys.json", "{\"scheduling-policy\": \"LIFO\"}");
    write_file(dir / "m.cm", "Nodes 16\nConnections 1\n0->9 start 0 size 100000\n");
    expect_use({"astra-sim", "--workload-configuration=t", "--system-configuration=sys.json",
                "--network-configuration=net.yml", "--show-settings"},
               keys({"astra-network", "chakra"}),
               {"astra-network", "chakra", "system", "run", "sample", "ideal", "fault", "output"},
               {}, dir / "");
    const Said s = weft(
        {"htsim", "-tm", "m.cm", "-nodes", "16", "--no-out", "--set", "system.chunks=2"}, dir / "");
    EXPECT_CONTAINS(s.err, "--set system.chunks: has no effect: no workload has operations of "
                           "ranks, only flows");
}

/* Hosts of TOPOLOGY_FILE that forward: two switches, which the host in the middle joins. */
TEST_F(IdleSettings, HostsForward)
{
    write_file(dir / "t.txt", "5 2 4\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n"
                              "1 4 100Gbps 1us 0\n2 4 100Gbps 1us 0\n");
    write_file(dir / "f.txt", "1\n0 2 3 100 100000 2\n");
    write_file(dir / "c.txt",
               "TOPOLOGY_FILE t.txt\nFLOW_FILE f.txt\nCC_MODE 1\nKMAX_MAP 1 100000000000 400\n"
               "KMIN_MAP 1 100000000000 100\nPMAX_MAP 1 100000000000 0.2\nBUFFER_SIZE 32\n"
               "ACK_HIGH_PRIO 1\nERROR_RATE_PER_LINK 0.000001\n");
    Said s = weft({"hpcc", "--compat", "c.txt", "--no-out"}, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "host 0 (node 0) cannot reach host 2 (node 2)");
    EXPECT_CONTAINS(s.err, "with hpcc.hosts-forward=true they do");
    for (const char *key : {"hpcc.hosts-forward=on", "topology.hosts-forward=true"}) {
        s = weft(
            {"hpcc", "--compat", "c.txt", "--no-out", "--set", key, "--set", "pfc.enabled=false"},
            dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_CONTAINS(s.out, "1 delivered");
        EXPECT_CONTAINS(s.err, "ACK_HIGH_PRIO: ACKs wait behind pauses");
    }
}

/* The same of SimAI's: GPUs in a row, of which the one in the middle forwards. */
TEST_F(IdleSettings, GpusForward)
{
    write_file(dir / "layers", "MICRO\n1\nl -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 65536 1\n");
    write_file(dir / "topo", "3 1 0 0 2 A100\n0 1 100Gbps 0.001ms 0\n1 2 100Gbps 0.001ms 0\n");
    const std::vector<std::string> simai = {"simai", "-w",       "layers", "-n",
                                            "topo",  "--no-out", "--set",  "pfc.enabled=false"};
    Said s = weft(simai, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "with simai.hosts-forward=true they do");
    for (const char *key : {"simai.hosts-forward=true", "topology.hosts-forward=true"}) {
        std::vector<std::string> args = simai;
        args.insert(args.end(), {"--set", key});
        s = weft(args, dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
    }
    std::vector<std::string> args = simai;
    args.insert(args.end(), {"--set", "simai.host-forwards=true"});
    EXPECT_CONTAINS(weft(args, dir / "").err, "did you mean 'hosts-forward'?");
    /* ASTRA-sim's ns-3 lets hosts of such topologies forward by itself */
}

} // namespace
