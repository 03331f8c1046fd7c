// SPDX-License-Identifier: GPL-2.0-only
// One seed: draws its simulation, plays it in every mode, checks the results.
#ifndef WEFT_TESTS_CAMPAIGN_SIMULATE_H
#define WEFT_TESTS_CAMPAIGN_SIMULATE_H

#include "checks.h"

struct Options {
    std::string weft; // the program
    std::string also; // another build of it, which must give the same bytes; empty: none
    std::vector<uint64_t> threads; // run each by so many threads, too; empty: some of them, by some
    uint64_t processes = 0;        // run each by so many under mpirun, too; 0: none
    bool only_also = false;        // in no mode but these three
    std::string folder;            // where seeds have their folders
    uint64_t first = 1000, count = 300;
    uint64_t shard = 0, shards = 1;
    Guard guard;
    std::vector<std::pair<std::string, std::string>> with; // settings that every simulation has
    bool plain = false;  // one workload each, and nothing that watches it
    bool keep = false;   // keep the folders of seeds without findings, too
    bool shrink = false; // of a seed with findings, leave out what they don't need
};

struct Verdict {
    Scenario scenario;
    Findings findings;
    int code = -1;         // exit code of the first run; -1: ended by a signal or the guard
    std::string refused;   // what for, with exit code 3; empty: not in refusals.inc
    std::string said;      // the message, with exit code 3
    unsigned threaded = 0; // runs by several threads
    unsigned together = 0; // of which so many shared windows
    bool crowded = false;  // it has too many windows for that
    bool slow = false;     // several processes took too long for it
    bool shared = false;   // several processes have run it
    std::string unshared;  // why they could not
    double cpu_s = 0;
    unsigned runs = 0;
};

Verdict simulate(const Options &o, Tables &tables, uint64_t seed);
/* Plays and checks a given scenario. */
Verdict judge(const Options &o, Tables &tables, Scenario scenario);
/* Leaves out settings as long as a finding of the same kind remains. */
Verdict shrink(const Options &o, Tables &tables, Verdict v);

#endif
