// SPDX-License-Identifier: GPL-2.0-only
// Programs that are run with a guard: one that uses too much CPU time or memory, or stands still,
// is ended.
#ifndef WEFT_TESTS_CAMPAIGN_PROCESS_H
#define WEFT_TESTS_CAMPAIGN_PROCESS_H

#include <string>
#include <vector>

struct Ended {
    int code = -1;          // exit code; -1: a signal ended it
    int signal = 0;         // that signal
    bool guarded = false;   // the guard ended it: too long
    bool too_large = false; // the guard ended it: too much memory
    double cpu_s = 0;
    std::string out, err;
};

struct Guard {
    int cpu_s = 60;
    long memory_mib = 2048; // resident
};

/* Runs argv in folder @p dir; its output goes through files @p name.out and @p name.err there. */
Ended run_guarded(const std::vector<std::string> &argv, const std::string &dir,
                  const std::string &name, const Guard &guard);

/* The words as a shell takes them. */
std::string shell_words(const std::vector<std::string> &argv);

#endif
