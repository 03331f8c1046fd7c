// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every command line of docs/how-to/coming-from*.md is run, as it stands there, by a shell, in a
 * folder with small files of the tools' kinds under the names that the page uses. What is no whole
 * command there (a placeholder, an option to be added) stands in a table with the command that it
 * is run as. A command that is new on the page has to be run here, too.
 */
#include "program.h"

#include <regex>
#include <set>

namespace
{

/* The pages about other tools. */
std::string pages()
{
    std::string all;
    for (const char *name : {"coming-from", "coming-from-astra-sim", "coming-from-others"})
        all += slurp(source_dir() + "/docs/how-to/" + name + ".md");
    return all;
}

/* Commands of weft's on a page: in fenced blocks and in words of code. */
std::vector<std::string> commands_of(const std::string &page)
{
    static const std::regex code(R"(```(?:sh)?\n([\s\S]*?)```|`([^`\n]+)`)");
    static const std::regex own(R"((AS_SEND_LAT=\d+ )?weft [\s\S]*|--set [\s\S]*)");
    std::vector<std::string> all;
    for (std::sregex_iterator i(page.begin(), page.end(), code), end; i != end; ++i) {
        std::string text = (*i)[1].matched ? (*i)[1].str() : (*i)[2].str();
        const bool fenced = (*i)[1].matched;
        for (size_t at; (at = text.find("\\|")) != std::string::npos;)
            text.erase(at, 1); // in a table
        if (fenced ? text.find("weft ") != std::string::npos : std::regex_match(text, own))
            if (std::find(all.begin(), all.end(), text) == all.end())
                all.push_back(text);
    }
    return all;
}

const char *const run_nccl = "weft run --set topology.type=nccl --set nccl.file=h100.xml "
                             "--set workload.type=generate --set generate.size=1MiB ";

/* What is no whole command on the page, and what it is run as; "": a name, whose help is asked. */
const struct {
    std::string page, as;
} parts[] = {
    {"weft import --dry-run FILE...", "weft import --dry-run mix/config.txt h100.xml a.goal"},
    {"weft import FILE...", "weft import f.topo m.cm"},
    {"weft import --dry-run", ""},
    {"weft hpcc --compat", "weft hpcc --compat mix/config_fat_flow_hp95.txt"},
    {"weft hpcc FILE --control swift", "weft hpcc mix/config.txt --control swift"},
    {"weft hpcc FILE --set hpcc.hosts-forward=true",
     "weft hpcc mix/config.txt --set hpcc.hosts-forward=true --set pfc.enabled=false"},
    {"weft sweep FILE --set simulator.compat=true --vary 'CC_MODE=1|3|7|8' --vary 'KMAX_MAP=1 "
     "100000000000 400|1 100000000000 1600'",
     "weft sweep mix/config.txt --set simulator.compat=true --vary 'CC_MODE=1|3|7|8' --vary "
     "'KMAX_MAP=1 100000000000 400|1 100000000000 1600'"},
    {"weft hpcc --set sample.what=queue-histogram",
     "weft hpcc --compat mix/output/ID/config.txt --set sample.what=queue-histogram"},
    {"--set sample.what=queue,rate,...",
     "weft hpcc --compat mix/output/ID/config.txt --set sample.what=queue,rate "
     "--set sample.interval=10us"},
    {"--set ENABLE_TRACE=0", "weft run mix/config.txt --set ENABLE_TRACE=0"},
    {"--set system.all-reduce=auto", "weft simai --backend ideal -w w.txt -n simai-topology --set "
                                     "system.all-reduce=auto"},
    {"weft run", ""},
    {"weft sweep", ""},
    {"weft check", ""},
    {"weft hpcc", ""},
    {"weft traffic", ""},
    {"weft astra-sim", ""},
    {"weft simai", ""},
    {"weft htsim", ""},
    {"weft topology show", ""},
    {"weft astra-sim --backend congestion-unaware ...",
     "weft astra-sim --backend congestion-unaware $ASTRA"},
    {"weft astra-sim ...", "weft astra-sim --workload-configuration=W --system-configuration=S "
                           "--network-configuration=config.txt --logical-topology-configuration=L "
                           "--remote-memory-configuration=M"},
    {"--set system.one-at-a-time=false", "weft astra-sim $ASTRA --set system.one-at-a-time=false"},
    {"AS_SEND_LAT=3 weft simai", "AS_SEND_LAT=3 weft simai -t 16 -w w.txt -n simai-topology "
                                 "-c SimAI.conf"},
    {"weft simai --backend ideal -w W -n TOPOLOGY",
     "weft simai --backend ideal -w w.txt -n simai-topology"},
    {"weft trace convert LIST PREFIX --set ranks=N", "weft trace convert w.txt layers --set "
                                                     "ranks=4"},
    {"--set \"fault.events=degrade link=h0-s9 rate=2307.2Gbps at=1ms\"",
     std::string(run_nccl) + "--set \"fault.events=degrade link=h0-s9 rate=2307.2Gbps at=1ms\""},
    {"weft run -s topology.type=infragraph -s infragraph.file=fabric.yaml",
     "weft run -s topology.type=infragraph -s infragraph.file=fabric.yaml "
     "-s workload.type=generate"},
};

/* Eight H100s on four NVSwitches. */
std::string nccl_dump()
{
    std::ostringstream x;
    x << "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\">\n";
    for (int g = 0; g < 8; g++) {
        x << "<pci busid=\"0:0" << g << ":0\" class=\"0x030200\" link_speed=\"32.0 GT/s\" "
          << "link_width=\"16\"><gpu dev=\"" << g << "\" sm=\"90\" rank=\"" << g << "\">";
        for (int k = 0; k < 4; k++)
            x << "<nvlink target=\"1:0" << k << ":0\" count=\"" << 4 + k / 2
              << "\" tclass=\"0x068000\"/>";
        x << "</gpu></pci>\n";
    }
    return x.str() + "</cpu></system>\n";
}

/* A ring all-reduce of eight GPUs as MSCCL has it. */
std::string msccl_ring()
{
    const int n = 8;
    std::ostringstream x;
    x << "<algo name=\"ring\" proto=\"Simple\" nchannels=\"1\" coll=\"allreduce\" ngpus=\"8\" "
         "inplace=\"1\">\n";
    for (int g = 0; g < n; g++) {
        x << "<gpu id=\"" << g << "\" i_chunks=\"8\" o_chunks=\"0\" s_chunks=\"0\">\n<tb id=\"0\" "
          << "send=\"" << (g + 1) % n << "\" recv=\"" << (g + n - 1) % n << "\" chan=\"0\">\n";
        for (int k = 0; k < 2 * n - 1; k++) {
            const char *type = k == 0           ? "s"
                               : k < n - 1      ? "rrs"
                               : k == n - 1     ? "rrcs"
                               : k == 2 * n - 2 ? "r"
                                                : "rcs";
            const int chunk = (g - k + 2 * n) % n;
            x << "<step s=\"" << k << "\" type=\"" << type << "\" srcbuf=\"i\" srcoff=\"" << chunk
              << "\" dstbuf=\"i\" dstoff=\"" << chunk
              << "\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
        }
        x << "</tb>\n</gpu>\n";
    }
    return x.str() + "</algo>\n";
}

void write_at(const TempDir &dir, const std::string &name, const std::string &text)
{
    const std::filesystem::path path = dir / name;
    std::filesystem::create_directories(path.parent_path());
    write_file(path.string(), text);
}

void copy_to(const TempDir &dir, const std::string &from, const std::string &name)
{
    write_at(dir, name, slurp(source_dir() + "/tests/fuzz/corpus/" + from));
}

/* Four hosts on a switch, two flows. */
void write_hpcc(const TempDir &dir)
{
    const std::string config = "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nENABLE_TRACE 1\n"
                               "TOPOLOGY_FILE mix/topology.txt\nTRACE_FILE mix/trace.txt\n"
                               "TRACE_OUTPUT_FILE mix/mix.tr\nQLEN_MON_FILE mix/qlen.txt\n"
                               "QLEN_MON_START 2000000000\nQLEN_MON_END 2001000000\n"
                               "SIMULATOR_STOP_TIME 4.00\nCC_MODE 3\nVAR_WIN 1\nHAS_WIN 1\n"
                               "MULTI_RATE 0\nKMAX_MAP 1 100000000000 1600\n"
                               "KMIN_MAP 1 100000000000 400\nPMAX_MAP 1 100000000000 0.2\n"
                               "FLOW_FILE ";
    for (const char *name : {"mix/config.txt", "mix/config_fat_flow_hp95.txt"})
        write_at(dir, name, config + "mix/flow.txt\n");
    for (const char *name : {"mix/topology.txt", "config/leaf_spine.txt", "8_nodes.txt"})
        write_at(dir, name,
                 "9 1 8\n8\n0 8 100Gbps 1us 0\n1 8 100Gbps 1us 0\n2 8 100Gbps 1us 0\n"
                 "3 8 100Gbps 1us 0\n4 8 100Gbps 1us 0\n5 8 100Gbps 1us 0\n6 8 100Gbps 1us 0\n"
                 "7 8 100Gbps 1us 0\n\nFirst line: total node #, switch node #, link #\n");
    write_at(dir, "mix/flow.txt", "2\n0 1 3 100 200000 2.0\n2 1 3 100 200000 2.0\n");
    write_at(dir, "mix/trace.txt", "2\n0 8\n");
    write_at(dir, "config/flow.txt", "2\n0 1 3 200000 2.0\n2 1 3 200000 2.0\n");
    write_at(dir, "mix/output/ID/config.txt",
             slurp(source_dir() + "/tests/fuzz/corpus/hpcc_config/conweave") +
                 "\nKMAX_MAP 1 100000000000 1600\nKMIN_MAP 1 100000000000 400\n"
                 "PMAX_MAP 1 100000000000 0.2\n");
    // ns-3's of ASTRA-sim
    write_at(dir, "config.txt",
             "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nTOPOLOGY_FILE 8_nodes.txt\n"
             "SIMULATOR_STOP_TIME 40000000000000.00\nCC_MODE 12\nHAS_WIN 1\nBUFFER_SIZE 32\n");
}

/* An experiment of ASTRA-sim's examples, and the same in one folder. */
void write_astra(const TempDir &dir)
{
    const std::string examples = "astra-sim/examples/",
                      system = "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10, "
                               "\"active-chunks-per-dimension\": 1, "
                               "\"preferred-dataset-splits\": 4, "
                               "\"all-reduce-implementation\": [\"ring\"], "
                               "\"all-gather-implementation\": [\"ring\"], "
                               "\"reduce-scatter-implementation\": [\"ring\"], "
                               "\"all-to-all-implementation\": [\"ring\"], "
                               "\"collective-optimization\": \"localBWAware\", "
                               "\"local-mem-bw\": 1600}",
                      network = "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50.0 ]\n"
                                "latency: [ 500.0 ]\n",
                      memory = "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}",
                      trace = "workload/microbenchmarks/all_reduce/8npus_1MB/all_reduce";
    write_at(dir, examples + "system/native_collectives/Ring_4chunks.json", system);
    write_at(dir, examples + "network/analytical/Ring_8npus.yml", network);
    write_at(dir, examples + "remote_memory/analytical/no_memory_expansion.json", memory);
    write_at(dir, examples + trace, ""); // makes the folder
    write_file(dir / "S", system);
    write_file(dir / "N", network);
    write_file(dir / "M", memory);
    write_file(dir / "L", "{\"logical-dims\": [\"8\"]}");
    for (const std::string &prefix : {examples + trace, std::string("W")}) {
        const Said s =
            weft({"trace", "generate", prefix, "--set", "ranks=8", "--set", "size=1MiB"}, dir / "");
        ASSERT_EQ(s.code, 0) << s.err;
    }
}

void write_all(const TempDir &dir)
{
    write_hpcc(dir);
    write_astra(dir);
    copy_to(dir, "goal/all", "a.goal");
    copy_to(dir, "htsim/three_tiers.topo", "f.topo");
    copy_to(dir, "../../../frontend/workload/traffic/corpus/triggers.cm", "m.cm");
    copy_to(dir, "infragraph/two_hosts.yaml", "fabric.yaml");
    write_file(dir / "h100.xml", nccl_dump());
    write_at(dir, "path/to/xml/ring.xml", msccl_ring());
    write_file(dir / "simai-topology", "7 2 2 1 8 H100\n4 5 6\n"
                                       "0 4 800Gbps 0.001ms 0\n1 4 800Gbps 0.001ms 0\n"
                                       "2 5 800Gbps 0.001ms 0\n3 5 800Gbps 0.001ms 0\n"
                                       "0 6 800Gbps 0.001ms 0\n1 6 800Gbps 0.001ms 0\n"
                                       "2 6 800Gbps 0.001ms 0\n3 6 800Gbps 0.001ms 0\n");
    write_file(dir / "SimAI.conf", "ENABLE_QCN 1\nCC_MODE 1\nPACKET_PAYLOAD_SIZE 9000\n"
                                   "SIMULATOR_STOP_TIME 40000000000000.00\nBUFFER_SIZE 32\n");
    write_file(dir / "w.txt",
               "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 "
               "ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0\n1\n"
               "a -1 10000 ALLREDUCE 20000 20000 NONE 0 30000 ALLREDUCE 40000 0\n");
}

/* The command to run for one of the page; "": none. */
std::string whole(const std::string &page)
{
    for (const auto &p : parts)
        if (p.page == page)
            return p.as;
    return page;
}

Said shell(const std::string &command, const TempDir &dir)
{
    const std::string files = dir / "said",
                      text = "PATH=" + env_or_die("WEFT_BINARY_DIR") +
                             "/frontend/cli:$PATH; ASTRA='--workload-configuration=W "
                             "--system-configuration=S --network-configuration=N "
                             "--remote-memory-configuration=M'; cd '" +
                             dir / "" + "' && { " + command + "\n} >said.out 2>said.err";
    const int status = std::system(text.c_str());
    Said s;
    s.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    s.out = slurp(files + ".out");
    s.err = slurp(files + ".err");
    return s;
}

TEST(ComingFrom, CommandsAreFound)
{
    const auto all = commands_of("a `weft run x` b `weftish` `weft run x` | `-x 'a=1\\|2'` "
                                 "`weft sweep 'a=1\\|2'`\n\n```sh\nE=1\nweft \\\n  check\n```\n"
                                 "```\nmpirun\n```\n`--set a=b` `AS_SEND_LAT=3 weft simai`");
    EXPECT_EQ(all, (std::vector<std::string>{"weft run x", "weft sweep 'a=1|2'",
                                             "E=1\nweft \\\n  check\n", "--set a=b",
                                             "AS_SEND_LAT=3 weft simai"}));
}

TEST(ComingFrom, EveryCommandRuns)
{
    const auto all = commands_of(pages());
    EXPECT_GT(all.size(), 35u);
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_all(dir);
    std::set<std::string> on_page(all.begin(), all.end());
    for (const auto &p : parts)
        EXPECT_EQ(on_page.count(p.page), 1u)
            << "is not on the page any more, so its row here goes, too: " << p.page;
    for (const std::string &page : all) {
        std::string command = whole(page);
        if (command.empty())
            command = page.substr(0, 4) == "weft" ? page + " --help" : "weft run --help";
        const Said s = shell(command, dir);
        EXPECT_EQ(s.code, 0) << command << "\n" << s.out << s.err;
        EXPECT_NE(s.out, "") << command;
    }
}

/* What the page quotes of an output. */
TEST(ComingFrom, AstraSimsExamplePrintsWhatThePageSays)
{
    TempDir dir;
    write_astra(dir);
    const std::string page = pages();
    const std::string line = "sys[0] finished, 64440 cycles, exposed communication 64440 cycles.";
    EXPECT_CONTAINS(page, "prints `" + line + "`");
    EXPECT_CONTAINS(shell("weft astra-sim $ASTRA", dir).out, line);
}

} // namespace
