// SPDX-License-Identifier: GPL-2.0-only
// Runs the built program and keeps what it said.
#ifndef WEFT_TESTS_CLI_PROGRAM_H
#define WEFT_TESTS_CLI_PROGRAM_H

#include "tests/base/temp_dir.h"

#include <algorithm>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct Said {
    int code = -1; /* exit code, 1000 + signal number when it was killed */
    std::string out, err;
};

inline std::string env_or_die(const char *name)
{
    const char *v = getenv(name);
    if (!v) {
        ADD_FAILURE() << name << " is not set: run through ctest";
        return "";
    }
    return v;
}

inline std::string source_dir()
{
    return env_or_die("WEFT_SOURCE_DIR");
}

/* Starts `weft args...` in folder @p cwd; stdout and stderr go to files there. @p addresses: the
 * bytes of `ulimit -v`. */
inline pid_t start(const std::vector<std::string> &args, const std::string &cwd,
                   const std::string &files, rlim_t addresses = RLIM_INFINITY)
{
    const std::string exe = env_or_die("WEFT_BINARY_DIR") + "/frontend/cli/weft";
    const std::string out = files + ".out", err = files + ".err";
    std::vector<char *> argv = {const_cast<char *>("weft")};
    for (const std::string &a : args)
        argv.push_back(const_cast<char *>(a.c_str()));
    argv.push_back(nullptr);
    pid_t pid = fork();
    if (pid == 0) {
        int o = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int e = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (o < 0 || e < 0 || dup2(o, 1) < 0 || dup2(e, 2) < 0 || chdir(cwd.c_str()) != 0)
            _exit(99);
        const rlimit limit = {addresses, RLIM_INFINITY};
        if (addresses != RLIM_INFINITY && setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(97);
        execv(exe.c_str(), argv.data());
        _exit(98);
    }
    return pid;
}

/* Waits until a program that runs has written so much of @p file. On a busy machine that takes
 * minutes. */
inline void await_file(const std::string &file, uintmax_t bytes)
{
    std::error_code none;
    for (int i = 0; i < 12000; i++) {
        const uintmax_t size = std::filesystem::file_size(file, none);
        if (!none && size >= bytes)
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
}

inline Said wait_for(pid_t pid, const std::string &files)
{
    Said s;
    int status = 0;
    waitpid(pid, &status, 0);
    s.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    s.out = slurp(files + ".out");
    s.err = slurp(files + ".err");
    return s;
}

inline Said weft(const std::vector<std::string> &args, const std::string &cwd = "/")
{
    TempDir dir;
    const std::string files = dir / "said";
    return wait_for(start(args, cwd, files), files);
}

/* @p args, then `--set` with each of two lists of settings. */
inline std::vector<std::string> with_sets(std::vector<std::string> args,
                                          const std::vector<std::string> &sets,
                                          const std::vector<std::string> &more = {})
{
    for (const auto *list : {&sets, &more})
        for (const std::string &s : *list)
            args.insert(args.end(), {"--set", s});
    return args;
}

/* The arguments of a small run, on the ideal backend, whose messages do not meet, unless @p more
 * names the other one. */
inline std::vector<std::string> small(std::vector<std::string> more = {})
{
    std::vector<std::string> a = {"run"};
    if (std::find(more.begin(), more.end(), "network.backend=packet") == more.end())
        a.insert(a.end(), {"--set", "network.backend=ideal", "--set", "ideal.contention=none"});
    a.insert(a.end(), {"--set", "topology.type=single-switch", "--set", "single-switch.hosts=4",
                       "--set", "workload.type=generate"});
    a.insert(a.end(), more.begin(), more.end());
    return a;
}

inline bool has_packet()
{
    return weft({"list", "backends"}).out.rfind("packet ", 0) == 0; /* the default comes first */
}

/* Whether the program has ns-3's TCP and simulators. */
inline bool has_ns3()
{
    return weft({"--version"}).out.find("\nns-3 none") == std::string::npos;
}

/* Whether this program has no ns-3, and this scenario needs it. */
inline bool lacks_ns3(const std::string &scenario)
{
    return !has_ns3() && weft({"check", scenario}).err.find("needs ns-3") != std::string::npos;
}

inline std::string shared(const std::string &path)
{
    const char *root = getenv("WEFT_SHARED");
    const std::string full = std::string(root ? root : "") + "/data/" + path;
    return access(full.c_str(), R_OK) == 0 ? full : "";
}

/* Cells of a CSV file without quotes, the header first. */
inline std::vector<std::vector<std::string>> cells(const std::string &file)
{
    std::vector<std::vector<std::string>> rows;
    std::istringstream in(slurp(file));
    for (std::string line, cell; std::getline(in, line);) {
        std::istringstream l(line);
        rows.emplace_back();
        while (std::getline(l, cell, ','))
            rows.back().push_back(cell);
    }
    return rows;
}

inline void write_file(const std::string &path, const std::string &text)
{
    std::ofstream(path, std::ios::binary) << text;
}

#define EXPECT_CONTAINS(text, part)                                                                \
    EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text)
#define EXPECT_LACKS(text, part)                                                                   \
    EXPECT_EQ(std::string(text).find(part), std::string::npos) << "in: " << (text)

/* The number under a key of a JSON text, from @p at on. */
inline double json_number(const std::string &json, const std::string &key, size_t at = 0)
{
    at = json.find("\"" + key + "\": ", at);
    EXPECT_NE(at, std::string::npos) << key << " in " << json;
    return at == std::string::npos ? NAN : std::stod(json.substr(at + key.size() + 4));
}

/* The same of what --json printed. */
inline double value(const Said &s, const std::string &key)
{
    EXPECT_NE(s.out, "") << s.err;
    return json_number(s.out, key);
}

#endif
