// SPDX-License-Identifier: GPL-2.0-only
#include "process.h"

#include "tests/base/temp_dir.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

void limit(int what, rlim_t value)
{
    const rlimit l = {value, value};
    if (setrlimit(what, &l) != 0)
        _exit(97);
}

[[noreturn]] void become(const std::vector<std::string> &argv, const std::string &dir,
                         const std::string &files, const Guard &guard)
{
    std::vector<char *> words;
    for (const std::string &a : argv)
        words.push_back(const_cast<char *>(a.c_str()));
    words.push_back(nullptr);
    const int o = open((files + ".out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int e = open((files + ".err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (o < 0 || e < 0 || dup2(o, 1) < 0 || dup2(e, 2) < 0 || chdir(dir.c_str()) != 0)
        _exit(99);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, static_cast<rlim_t>(guard.cpu_s));
    execv(words[0], words.data());
    _exit(98);
}

double seconds(const timeval &t)
{
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

long resident_mib(pid_t pid)
{
    std::ifstream in("/proc/" + std::to_string(pid) + "/statm");
    long all = 0, resident = 0;
    in >> all >> resident;
    return resident * (sysconf(_SC_PAGESIZE) >> 10) >> 10;
}

// A process that waits for something that never comes uses no CPU time: the wall clock ends it.
// Address space is reserved in large pieces, so what counts is what is resident.
bool wait_until(pid_t pid, int *status, rusage *used, const Guard &guard, bool *too_large)
{
    timespec nap = {0, 500000};
    timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        const pid_t got = wait4(pid, status, WNOHANG, used);
        if (got == pid)
            return true;
        clock_gettime(CLOCK_MONOTONIC, &now);
        *too_large = nap.tv_nsec > 4000000 && resident_mib(pid) > guard.memory_mib;
        if (*too_large || now.tv_sec - start.tv_sec > 20 * guard.cpu_s)
            break;
        nanosleep(&nap, nullptr);
        if (nap.tv_nsec < 8000000)
            nap.tv_nsec += nap.tv_nsec / 4;
    }
    kill(pid, SIGKILL);
    while (wait4(pid, status, 0, used) < 0 && errno == EINTR) {
    }
    return false;
}

} // namespace

Ended run_guarded(const std::vector<std::string> &argv, const std::string &dir,
                  const std::string &name, const Guard &guard)
{
    const std::string files = dir + "/" + name;
    Ended e;
    const pid_t pid = fork();
    if (pid == 0)
        become(argv, dir, files, guard);
    if (pid < 0) {
        fprintf(stderr, "campaign: no process for %s: %s\n", argv[0].c_str(), strerror(errno));
        exit(2);
    }
    int status = 0;
    rusage used = {};
    const bool ended = wait_until(pid, &status, &used, guard, &e.too_large);
    e.cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
    if (WIFEXITED(status))
        e.code = WEXITSTATUS(status);
    else
        e.signal = WTERMSIG(status);
    // mpirun, to which the time of its processes is counted, tells of signals as a shell does
    const int by = e.signal ? e.signal : e.code > 128 ? e.code - 128 : 0;
    e.guarded = !e.too_large &&
                (!ended || by == SIGXCPU || (by == SIGKILL && e.cpu_s >= 0.9 * guard.cpu_s));
    e.out = slurp(files + ".out");
    e.err = slurp(files + ".err");
    return e;
}

std::string shell_words(const std::vector<std::string> &argv)
{
    std::string line;
    for (const std::string &a : argv) {
        const bool plain =
            !a.empty() && a.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789-_=./:,+@%") == std::string::npos;
        line += line.empty() ? "" : " ";
        if (plain) {
            line += a;
            continue;
        }
        line += '\'';
        for (char c : a)
            line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += '\'';
    }
    return line;
}
