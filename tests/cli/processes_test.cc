// SPDX-License-Identifier: GPL-2.0-only
// weft run under mpirun: the folder that one process writes, refusals before anything runs, and a
// process that is killed. Without mpirun, or an MPI to build with, only the refusal of the latter.
#include "processes.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

namespace
{

const char tree[] = "--set topology.type=fat-tree --set fat-tree.k=4 --set workload.type=generate "
                    "--set generate.size=200KB ";

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
        "--set generate.kind=all-reduce --set 'trouble.events=link-down link=20 at=5us until=40us; "
        "bit-errors link=3 ber=1e-6 at=0ps' --set transport.rto=100us",
        "--set generate.kind=all-to-all --set switch.buffer=600KB --set "
        "congestion-control.name=none --set transport.rto=100us --set "
        "'trouble.events=link-down link=20 at=8us until=12us'", // and pauses with it
        "--set generate.kind=all-to-all --set 'trouble.events=switch-down switch=s17 at=5us' --set "
        "transport.rto=20us --set transport.retry-max=2", // its hosts wait for a path
        "--set generate.kind=all-to-all --set 'trouble.events=bit-errors link=3 ber=0.1 at=0ps' "
        "--set transport.rto=20us --set transport.retry-max=2", // a QP gives up
    };
    for (const char *c : cases)
        for (unsigned n : {2u, 3u}) {
            TempDir dir;
            const std::string args = program() + "run " + tree + c + " --out ";
            const Said a = shell(args + (dir / "one"), dir);
            const Said b = shell(by_processes(args + (dir / "all"), n), dir);
            EXPECT_EQ(a.code, b.code) << c << "\n" << b.err;
            expect_same_folders(dir / "one", dir / "all", c);
            EXPECT_NE(b.out.find("results in "), std::string::npos);
            EXPECT_EQ(b.out.find("results in "), b.out.rfind("results in ")) << "one answers";
        }
}

TEST(Processes, RefuseWhatTheyCannotShare)
{
    NEEDS_MPIRUN();
    const struct {
        const char *args, *said;
    } cases[] = {
        {"--set network.backend=ideal", "'ideal' has no packets to share out"},
        {"--set transport.type=tcp", "ns-3's TCP can't be simulated by several processes"},
        {"--set switch.balance=conga", "hosts do not run in windows"},
        {"--set pfc.response-time=1us", "a setting has everything in one queue"},
        {"--set fat-tree.host-delay=0ps --set fat-tree.fabric-delay=0ps",
         "links without a delay join the hosts of the fabric to 1 part"},
        {"--set run.threads=2", "each process has one thread"},
        {"--set run.replay=exact", "run.replay looks at all of the fabric"},
        {"--set sample.what=queue", "sample.what looks at all of the fabric"},
        {"--set capture.links=all", "several processes"},
        {"--time-limit 1h", "--time-limit and --memory-limit look at one process"},
        {"--alone", "--alone has several runs"},
        {"--set generate.kind=all-reduce --set system.all-reduce=in-network",
         "in-network operations can't be simulated by several processes"},
    };
    for (const auto &c : cases) {
        TempDir dir;
        const Said s = shell(
            by_processes(program() + "run " + tree + c.args + " --out " + (dir / "all"), 2), dir);
        EXPECT_EQ(s.code, 3) << c.args << "\n" << s.err;
        EXPECT_NE(s.err.find(c.said), std::string::npos) << c.args << "\n" << s.err;
        EXPECT_FALSE(std::filesystem::exists(dir / "all/finished"));
    }
    TempDir dir;
    Said s = shell(by_processes(program() + "run --no-out --set topology.type=fat-tree "
                                            "--set fat-tree.k=4 --set workload.type=checkpoint",
                                2),
                   dir); // found when hosts have said what they do
    EXPECT_EQ(s.code, 3);
    EXPECT_NE(s.err.find("hosts do not run in windows"), std::string::npos) << s.err;
    s = shell(by_processes(program() + "list topologies", 2), dir);
    EXPECT_EQ(s.code, 2);
    EXPECT_NE(s.err.find("mpirun is for 'weft run'"), std::string::npos) << s.err;
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
