// SPDX-License-Identifier: GPL-2.0-only
// weft run under mpirun: the folder that one process writes, what one of them does
// alone, and a process that is killed. Without mpirun, or an MPI to build with, only the refusal of
// the latter.
#include "processes.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace
{

const char tree[] = "--set topology.type=fat-tree --set fat-tree.k=4 --set workload.type=generate "
                    "--set generate.size=200KB ";

#define SLOW_PLANE                                                                                 \
    "--set topology.type=dual-plane --set dual-plane.rails=4 --set dual-plane.segments=1 --set "   \
    "dual-plane.nodes=1 --set dual-plane.aggregations=1 --set dual-plane.dual-plane=false --set "  \
    "dual-plane.rate=2Mbps --set workload.type=generate --set generate.kind=broadcast --set "      \
    "generate.count=3 --set generate.size=0B"

// With it, unless they have a topology of their own.
std::string on_a_tree(const std::string &args)
{
    return (args.find("topology.type=") == std::string::npos ? tree : "") + args;
}

// OpenMPI's mpirun does not comment on exit codes.
const std::string quiet_mpirun = "OMPI_MCA_orte_execute_quiet=1 ";

} // namespace

TEST(Processes, WriteWhatOneWrites)
{
    NEEDS_MPIRUN();
    const char *const cases[] = {
        "--set generate.kind=all-reduce --set congestion-control.name=dcqcn",
        "--set generate.kind=all-to-all --set congestion-control.name=hpcc --set generate.count=2",
        "--set generate.kind=all-to-all --set pfc.enabled=false --set transport.rto=100us --set "
        "transport.recovery=selective-repeat --set switch.buffer=200KB",
        "--set generate.kind=reduce-scatter --set switch.balance=spray --set "
        "transport.recovery=out-of-order --set run.until=30us",
        "--set generate.kind=all-to-all --set pfc.quanta=4000 --set switch.buffer=600KB --set "
        "congestion-control.name=none --set run.victims=5us",
        "--set generate.kind=all-reduce --set 'fault.events=link-down link=20 at=5us until=40us; "
        "bit-errors link=3 ber=1e-6 at=0ps' --set transport.rto=100us",
        "--set generate.kind=all-to-all --set switch.buffer=600KB --set "
        "congestion-control.name=none --set transport.rto=100us --set "
        "'fault.events=link-down link=20 at=8us until=12us'", // and pauses with it
        "--set generate.kind=all-to-all --set 'fault.events=switch-down switch=s17 at=5us' --set "
        "transport.rto=20us --set transport.retry-max=2", // its hosts wait for a path
        "--set generate.kind=all-to-all --set 'fault.events=bit-errors link=3 ber=0.1 at=0ps' "
        "--set transport.rto=20us --set transport.retry-max=2", // a QP gives up
        "--set topology.type=leaf-spine --set leaf-spine.hosts-per-leaf=2 --set "
        "leaf-spine.leaves=2 --set leaf-spine.spines=1 --set leaf-spine.uplink-rate=26Gbps --set "
        "leaf-spine.uplink-delay=28ms --set pfc.headroom=138KB --set workload.type=generate --set "
        "generate.kind=all-reduce --set generate.size=256KiB --set "
        "run.until=50us", // a switch is still sending, and nothing else happens
    };
    for (const char *c : cases)
        for (unsigned n : {2u, 3u}) {
            TempDir dir;
            const std::string args = program() + "run " + on_a_tree(c) + " --out ";
            const Said a = shell(args + (dir / "one"), dir);
            const Said b = shell(by_processes(args + (dir / "all"), n), dir);
            EXPECT_EQ(a.code, b.code) << c << "\n" << b.err;
            expect_same_folders(dir / "one", dir / "all", c);
            EXPECT_NE(b.out.find("results in "), std::string::npos);
            EXPECT_EQ(b.out.find("results in "), b.out.rfind("results in ")) << "one answers";
        }
}

// The lines of weft's own; mpirun has others.
static std::string own_lines(const std::string &text)
{
    std::string own;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        own += line.rfind("weft: ", 0) == 0 ? line + "\n" : "";
    return own;
}

// Ports, QPs and messages of all processes, in the words of one.
TEST(Processes, ExplainWhatOneExplains)
{
    NEEDS_MPIRUN();
    TempDir dir;
    for (const char *quanta : {"0", "65535"}) {
        const std::string args = program() + "run " + source_dir() +
                                 "/scenarios/pfc-deadlock --set fault.events= --no-out --quiet "
                                 "--set pfc.quanta=" +
                                 quanta;
        const Said one = shell(args, dir);
        EXPECT_EQ(one.code, 1) << one.err;
        EXPECT_NE(one.err.find("victims: "), std::string::npos) << one.err;
        for (unsigned n : {2u, 3u}) {
            const Said all = shell(by_processes(args, n), dir);
            EXPECT_EQ(all.code, 1) << all.err;
            EXPECT_EQ(own_lines(all.err), one.err) << n;
        }
    }
}

// What processes that are gone have left in /tmp: those of others that run meanwhile are locked.
std::set<std::string> Left()
{
    std::set<std::string> names;
    for (const auto &f : std::filesystem::directory_iterator("/tmp")) {
        if (f.path().filename().string().rfind("weft-process-", 0) != 0)
            continue;
        const int fd = open(f.path().c_str(), O_RDONLY | O_DIRECTORY);
        if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0)
            names.insert(f.path().string());
        if (fd >= 0)
            close(fd);
    }
    return names;
}

TEST(Processes, OneDoesAloneWhatTheyCannotShare)
{
    NEEDS_MPIRUN();
    const struct {
        const char *args, *said;
    } cases[] = {
        {"--set network.backend=ideal", "the backend 'ideal' has no packets to share out"},
        {"--set transport.type=tcp", "ns-3's TCP is of one process"},
        {"--set switch.balance=conga", "hosts do not run in windows"},
        {"--set pfc.response-time=1us", "a setting has everything in one queue"},
        {"--set fat-tree.host-delay=0ps --set fat-tree.fabric-delay=0ps",
         "links without a delay join the hosts of the fabric to 1 part"},
        {"--set run.threads=2", "run.threads shares it out within a process"},
        {"--set run.replay=exact", "run.replay looks at all of the fabric"},
        {"--set sample.what=queue --set sample.interval=5us", "sample.what looks at all of"},
        {"--set capture.links=all", "packets, queues or queue pairs are watched"},
        {"--time-limit 1h", "--time-limit and --memory-limit look at one process"},
        {"--alone", "--alone has several runs"},
        {"--set generate.kind=all-reduce --set system.all-reduce=in-network",
         "switches take part in operations"},
        {"--set topology.type=fat-tree --set fat-tree.k=4 --set workload.type=checkpoint",
         "hosts do not run in windows"}, // hosts have said so
        {"--set run.until=9us --set switch.balance=conga", "hosts do not run in windows"},
        {"--set credit.unit=600B --set 'fault.events=degrade link=20 rate=4kbps at=3us "
         "until=4us'",
         "a setting has everything in one queue"}, // once the link is slow: its warning is said
        // where there are packets at that time, which is at one; and when the run has said
        // something
        {SLOW_PLANE " --set 'fault.events=degrade link=5 rate=1Mbps at=128us'",
         "a setting has everything in one queue"},
        {SLOW_PLANE " --set 'fault.events=degrade link=5 rate=1Mbps at=500us; link-down link=5 "
                    "at=1s'",
         "a setting has everything in one queue"},
    };
    const auto before = Left();
    for (const auto &c : cases) {
        if (!has_ns3() && strstr(c.args, "transport.type=tcp"))
            continue;
        TempDir dir;
        const std::string args = program() + "run " + on_a_tree(c.args) + " --out ";
        const Said a = shell(args + (dir / "one"), dir);
        const Said b = shell(quiet_mpirun + by_processes(args + (dir / "all"), 2), dir);
        EXPECT_EQ(a.code, b.code) << c.args << "\n" << b.err;
        const std::string note = "weft: warning: 1 of 2 processes does this alone: ";
        const size_t at = b.err.find(note);
        ASSERT_NE(at, std::string::npos) << c.args << "\n" << b.err;
        EXPECT_EQ(b.err.find(note, at + 1), std::string::npos) << b.err;
        EXPECT_NE(b.err.find(c.said, at), std::string::npos) << c.args << "\n" << b.err;
        const std::string line = b.err.substr(at, b.err.find('\n', at) + 1 - at);
        EXPECT_EQ(a.err, b.err.substr(0, at) + b.err.substr(at + line.size())) << c.args;
        EXPECT_NE(b.out.find("  processes                1 of 2: "), std::string::npos) << b.out;
        EXPECT_EQ(a.out.find("  processes  "), std::string::npos) << a.out;
        const std::string json = slurp(dir / "all/run.json");
        EXPECT_NE(json.find("\"started\": 2"), std::string::npos) << json;
        EXPECT_NE(json.find("\"simulating\": 1"), std::string::npos) << json;
        expect_same_folders(dir / "one", dir / "all", c.args);
    }
    for (const std::string &name : Left())
        EXPECT_TRUE(before.count(name)) << name;
}

TEST(Processes, OneDoesOtherCommandsAlone)
{
    NEEDS_MPIRUN();
    TempDir dir;
    const Said a = shell(program() + "list topologies", dir);
    Said b = shell(by_processes(program() + "list topologies", 3), dir);
    EXPECT_EQ(b.code, 0) << b.err;
    EXPECT_EQ(a.out, b.out);
    EXPECT_EQ(b.err, "weft: warning: 1 of 3 processes does this alone: 'weft list' has nothing to "
                     "share out\n");
    b = shell(quiet_mpirun +
                  by_processes(program() + "run --no-out --set topology.type=nothing", 2),
              dir); // an error of all
    EXPECT_EQ(b.code, 3) << b.err;
    EXPECT_EQ(b.err.find("alone"), std::string::npos) << b.err;
    EXPECT_EQ(b.err.find("error: "), b.err.rfind("error: ")) << b.err;
    b = shell(by_processes(
                  program() +
                      "run --no-out --json --set topology.type=fat-tree --set fat-tree.k=4 --set "
                      "workload.type=generate --set generate.size=1KB",
                  2),
              dir); // shared out
    EXPECT_NE(b.out.find("\"simulating\": 2"), std::string::npos) << b.out;
}

// A run that does not end well: mpirun would end the first process by a signal, which might have
// something to say yet, if another one ended with an exit code before.
TEST(Processes, TheFirstAloneHasAnExitCode)
{
    NEEDS_MPIRUN();
    TempDir dir;
    const std::string script = dir / "run.sh";
    std::ofstream(script) << program() << "run --quiet " << tree
                          << "--set generate.kind=all-to-all --set transport.rto=20us --set "
                             "transport.retry-max=2 --set 'fault.events=bit-errors link=3 "
                             "ber=0.1 at=0ps' --out "
                          << (dir / "all")
                          << "\ncode=$?\nif [ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" != 0 ]; then\n"
                             "    echo $code > part && mv part code; exit\nfi\n"
                             "for i in $(seq 600); do [ -f code ] && break; sleep 0.1; done\n"
                             "exit $code\n"; // mpirun ends the other one then
    const Said s =
        shell("cd " + (dir / "") + " && " + quiet_mpirun + by_processes("sh " + script, 2), dir);
    EXPECT_EQ(s.code, 1) << s.err;
    EXPECT_EQ(s.err.find("interrupted"), std::string::npos) << s.err;
    EXPECT_EQ(slurp(dir / "code"), "0\n");
}

// One fails, the other waits for it, or has waited: the error comes out, whoever it is.
TEST(Processes, AnErrorOfOneEndsAll)
{
    NEEDS_MPIRUN();
    for (const char *rank : {"0", "1"}) {
        TempDir dir;
        const std::string script = dir / "run.sh";
        std::filesystem::create_directory(dir / "here");
        std::filesystem::create_directory(dir / "elsewhere");
        std::ofstream(dir / "here/network.yml") << "topology: [ Ring ]\nnpus_count: [ 4 ]\n"
                                                   "bandwidth: [ 50 ]\nlatency: [ 500 ]\n";
        std::ofstream(script) << "[ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = " << rank
                              << " ] && cd ../elsewhere\nexec " << program()
                              << "run --quiet --no-out --set topology.type=astra-network --set "
                                 "astra-network.file=network.yml --set workload.type=generate "
                                 "--set generate.size=1KB\n";
        const Said s = shell(
            "cd " + (dir / "here") + " && " + quiet_mpirun + by_processes("sh " + script, 2), dir);
        EXPECT_EQ(s.code, 4) << s.err;
        EXPECT_NE(s.err.find("network.yml: "), std::string::npos) << s.err;
        EXPECT_EQ(s.err.find("interrupted"), std::string::npos) << s.err;
        EXPECT_EQ(s.err.find("process 1 has ended: ") != std::string::npos, *rank == '1') << s.err;
    }
}

// The others do not wait for a process that is gone.
TEST(Processes, OneThatIsKilledEndsAll)
{
    NEEDS_MPIRUN();
    TempDir dir;
    // the last of them writes its number into a file, and has the same number afterwards
    const std::string script = dir / "run.sh", number = dir / "pid";
    std::ofstream(script) << "[ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = 1 ] && echo $$ > "
                          << number << ".part && mv " << number << ".part " << number << "\nexec "
                          << program() << "run --quiet " << tree
                          << "--set generate.kind=all-to-all --set generate.count=20000 --out "
                          << (dir / "all") << "\n";
    std::thread killer([&] {
        const auto file = std::filesystem::path(number);
        for (int i = 0; i < 6000 && !std::filesystem::exists(dir / "all/run.json"); i++)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (std::filesystem::exists(file))
            kill(static_cast<pid_t>(std::stol(slurp(file.string()))), SIGKILL);
    });
    const Said s = shell("timeout 120 sh -c '" + by_processes("sh " + script, 2) + "'", dir);
    killer.join();
    EXPECT_NE(s.code, 0);
    EXPECT_NE(s.code, 124) << "they hang";
    EXPECT_NE((s.out + s.err).find("signal 9"), std::string::npos) << s.out << s.err;
    if (weft({"doctor"}).out.find("MPICH") != std::string::npos)
        return; // its mpirun kills the others at once, which can't say anything
    EXPECT_NE(s.err.find("process 1 is gone"), std::string::npos) << s.err;
    EXPECT_NE(s.err.find("ns of simulated time"), std::string::npos) << s.err;
    EXPECT_NE(slurp(dir / "all/run.json").find("\"interrupted\""), std::string::npos);
}

TEST(Processes, SayThatTheyNeedMpi)
{
    if (mpi_built_in())
        GTEST_SKIP() << "weft was built with MPI";
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    const Said s = weft({"list", "topologies"});
    unsetenv("OMPI_COMM_WORLD_SIZE");
    EXPECT_EQ(s.code, 2);
    EXPECT_NE(s.err.find("built without MPI"), std::string::npos) << s.err;
}
