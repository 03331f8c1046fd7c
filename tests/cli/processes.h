// SPDX-License-Identifier: GPL-2.0-only
// Runs the built program under mpirun, and compares what runs wrote.
#ifndef WEFT_TESTS_CLI_PROCESSES_H
#define WEFT_TESTS_CLI_PROCESSES_H

#include "program.h"

#include <filesystem>
#include <set>

inline bool mpi_built_in()
{
    return weft({"doctor"}).out.find("MPI                ok: built in") != std::string::npos;
}

// Whether there is anything to run it with, too.
inline bool has_mpirun()
{
    return mpi_built_in() && system("mpirun --version > /dev/null 2>&1") == 0;
}

#define NEEDS_MPIRUN()                                                                             \
    if (!has_mpirun())                                                                             \
    GTEST_SKIP() << "no mpirun, or weft was built without MPI"

// What a shell executes to run weft by @p n processes. The settings are OpenMPI's, for more
// processes than processors; to MPICH these variables are nothing. MPI keeps what it has allocated.
inline std::string by_processes(const std::string &args, unsigned n)
{
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
           "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none "
           "ASAN_OPTIONS=detect_leaks=0 "
           "exec mpirun -n " +
           std::to_string(n) + " " + args;
}

inline std::string program()
{
    return env_or_die("WEFT_BINARY_DIR") + "/frontend/cli/weft ";
}

// Runs it by the shell; output and errors are in files of @p dir.
inline Said shell(const std::string &command, const TempDir &dir)
{
    Said s;
    const std::string out = dir / "out.txt", err = dir / "err.txt";
    const int status = system(("(" + command + ") > " + out + " 2> " + err).c_str());
    s.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    s.out = slurp(out);
    s.err = slurp(err);
    return s;
}

// Those in folders of it, too.
inline std::set<std::string> files_in(const std::string &folder)
{
    std::set<std::string> names;
    for (const auto &f : std::filesystem::recursive_directory_iterator(folder))
        if (f.is_regular_file())
            names.insert(f.path().lexically_relative(folder).string());
    return names;
}

// But for run.json, which has times and memory of the machine.
inline void expect_same_folders(const std::string &a, const std::string &b, const std::string &what)
{
    ASSERT_EQ(files_in(a), files_in(b)) << what;
    for (const std::string &f : files_in(a))
        EXPECT_TRUE(f == "run.json" || slurp(a + "/" + f) == slurp(b + "/" + f))
            << what << ": " << f;
}

#endif
