// SPDX-License-Identifier: GPL-2.0-only
// Files in which a reader finds nothing of its kind: every reader refuses, none takes it for empty.
#include "program.h"

#include <algorithm>
#include <filesystem>

namespace
{

/* Names and contents of files that are nothing to any reader. */
const std::vector<std::pair<std::string, std::string>> &nothings()
{
    static const std::vector<std::pair<std::string, std::string>> list = {
        {"any.json", "{\"a\":1}"},
        {"braces.json", "{}"},
        {"list.json", "[1,2]"},
        {"null.json", "null"},
        {"pytorch.json", "{\"schema\":\"1.0.2-chakra.0.0.4\",\"pid\":7,\"nodes\":[{\"id\":1}]}"},
        {"kineto.json", "{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"X\"}]}"},
        {"none", ""},
        {"blank", "\n\n"},
        {"words", "hello world\n"},
        {"remark", "# a remark alone\n"},
        {"nul", std::string(1, '\0')},
        {"a.xml", "<a/>"},
        {"a.yml", "a: 1\n"},
    };
    return list;
}

class Nothing : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        for (const auto &[name, text] : nothings())
            write_file(dir / name, text);
        ASSERT_EQ(weft({"trace", "generate", "t", "--set", "ranks=2"}, dir / "").code, 0);
        write_file(dir / "net.yml",
                   "topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n");
        write_file(dir / "sys.json", "{\"scheduling-policy\": \"LIFO\"}");
        write_file(dir / "layers", "MICRO\n1\nl -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 65536 1\n");
        write_file(dir / "topo", "3 2 0 1 2 A100\n2\n0 2 2400Gbps 0.000025ms 0\n"
                                 "1 2 2400Gbps 0.000025ms 0\n");
    }
    /* The command refuses each of the files that stands for FILE, but for those left out. */
    void refuses(const std::vector<std::string> &args, const std::vector<std::string> &but = {})
    {
        for (const auto &[name, text] : nothings()) {
            if (std::find(but.begin(), but.end(), name) != but.end())
                continue;
            std::vector<std::string> with;
            std::string line;
            for (std::string a : args) {
                const size_t at = a.find("FILE");
                with.push_back(at == a.npos ? a : a.replace(at, 4, name));
                line += with.back() + " ";
            }
            const Said s = weft(with, dir / "");
            EXPECT_EQ(s.code, 3) << line << s.out << s.err;
            EXPECT_CONTAINS(s.err, name);
        }
    }
    static std::vector<std::string> run(std::vector<std::string> sets)
    {
        return with_sets({"run", "--no-out"}, sets);
    }
    static std::vector<std::string> job(const std::string &one, const std::string &more = "")
    {
        std::vector<std::string> sets = {"network.backend=ideal", "topology.type=single-switch",
                                         "single-switch.hosts=2", one};
        if (!more.empty())
            sets.push_back(more);
        return run(sets);
    }
    TempDir dir;
};

TEST_F(Nothing, OfTraces)
{
    refuses({"trace", "convert", "FILE", "x.0.et"});
    refuses({"trace", "convert", "FILE", "x.goal"});
    refuses({"trace", "dump", "FILE"});
    const Said any = weft({"trace", "convert", "any.json", "x.0.et"}, dir / "");
    EXPECT_CONTAINS(any.err, "any.json:1: this is no Chakra trace: it begins with metadata, which "
                             "has version and attr, or has a workload_graph; there is 'a'");
    const Said pytorch = weft({"trace", "convert", "pytorch.json", "x.0.et"}, dir / "");
    EXPECT_CONTAINS(pytorch.err, "chakra_trace_link");
    EXPECT_CONTAINS(pytorch.err, "chakra_converter");
    EXPECT_CONTAINS(weft({"trace", "convert", "kineto.json", "x.0.et"}, dir / "").err, "Kineto");
    /* as ranks of a job */
    for (const auto &[name, text] : nothings()) {
        write_file(dir / "x.0.et", text);
        write_file(dir / "x.1.et", text);
        EXPECT_EQ(weft(job("workload.type=chakra", "chakra.path=x"), dir / "").code, 3) << name;
        EXPECT_EQ(weft({"trace", "info", "x"}, dir / "").code, 3) << name;
    }
    /* a rank without work is a trace all the same */
    write_file(dir / "x.0.json", "{\"version\":\"0.0.4\"}");
    EXPECT_EQ(weft({"trace", "convert", "x.0.json", "y.0.et"}, dir / "").code, 0);
    EXPECT_EQ(weft({"trace", "dump", "y.0.et"}, dir / "").code, 0);
    write_file(dir / "x.0.json", "{\"workload_graph\":[]}");
    EXPECT_EQ(weft({"trace", "convert", "x.0.json", "y.0.et"}, dir / "").code, 0);
}

TEST_F(Nothing, OfWorkloads)
{
    for (const char *type : {"goal", "astra-text", "flows", "htsim-flows"})
        refuses(job(std::string("workload.type=") + type, std::string(type) + ".file=FILE"));
    refuses(job("workload.type=cdf", "cdf.sizes-file=FILE"));
    refuses(job("workload.type=generate", "system.all-reduce=msccl:file=FILE"));
    std::vector<std::string> traced = job("workload.type=chakra", "chakra.path=t");
    for (const char *set : {"system.remote-memory-file=FILE", "chakra.groups=FILE"}) {
        auto more = traced;
        more.insert(more.end(), {"--set", set});
        refuses(more, {"braces.json"}); /* a list of no group */
    }
    traced.insert(traced.end(), {"--expect", "FILE"});
    refuses(traced);
    refuses({"run", "--no-out", "FILE"});
}

TEST_F(Nothing, OfTopologies)
{
    for (const char *type :
         {"xml", "hpcc", "simai", "astra-network", "nccl", "infragraph", "htsim"})
        refuses(run({std::string("topology.type=") + type, std::string(type) + ".file=FILE",
                     "workload.type=generate"}));
    refuses({"topology", "show", "FILE"});
}

TEST_F(Nothing, OfExperiments)
{
    const std::vector<std::string> astra = {"astra-sim", "--no-out", "--workload-configuration=t"};
    const std::string net = "--network-configuration=", sys = "--system-configuration=";
    auto with = [&](const std::vector<std::string> &more) {
        auto args = astra;
        args.insert(args.end(), more.begin(), more.end());
        return args;
    };
    ASSERT_EQ(weft(with({net + "net.yml", sys + "sys.json"}), dir / "").code, 0);
    refuses(with({net + "FILE", sys + "sys.json"}));
    refuses(with({net + "net.yml", sys + "FILE"}));
    refuses(with({net + "net.yml", sys + "sys.json", "--remote-memory-configuration=FILE"}));
    refuses(with({net + "net.yml", sys + "sys.json", "--comm-group-configuration=FILE"}),
            {"braces.json"});
    refuses({"hpcc", "--compat", "--no-out", "FILE"});
    ASSERT_EQ(weft({"simai", "--no-out", "-w", "layers", "-n", "topo"}, dir / "").code, 0);
    refuses({"simai", "--no-out", "-w", "layers", "-n", "topo", "-c", "FILE"});
    refuses({"simai", "--no-out", "-w", "FILE", "-n", "topo"});
    refuses({"simai", "--no-out", "-w", "layers", "-n", "FILE"});
    refuses({"htsim", "--no-out", "-nodes", "16", "-tm", "FILE"});
}

/* A folder is that of a run by its run.json. */
TEST_F(Nothing, OfRuns)
{
    std::filesystem::create_directory(dir / "d");
    for (const auto &[name, text] : nothings()) {
        write_file(dir / "d/run.json", text);
        for (const std::vector<std::string> &args : {std::vector<std::string>{"timeline", "d"},
                                                     {"report", "d"},
                                                     {"plot", "d", "exposed"},
                                                     {"compare", "d", "d"}}) {
            const Said s = weft(args, dir / "");
            EXPECT_EQ(s.code, 3) << args[0] << " " << name << s.out << s.err;
            EXPECT_CONTAINS(s.err, "run.json");
        }
    }
}

/* weft import names PyTorch's files and Chakra's tools for them. */
TEST_F(Nothing, IsNamed)
{
    Said s = weft({"import", "--dry-run", "pytorch.json"}, dir / "");
    EXPECT_CONTAINS(s.out, "pytorch.json: execution trace of PyTorch");
    EXPECT_CONTAINS(s.out, "chakra_converter PyTorch --input pytorch.json");
    s = weft({"import", "--dry-run", "kineto.json"}, dir / "");
    EXPECT_CONTAINS(s.out, "kineto.json: trace of PyTorch's profiler (Kineto)");
}

} // namespace
