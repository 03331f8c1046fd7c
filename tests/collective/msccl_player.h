/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MSCCL programs as data, and a player of them with numbers: threadblocks in random order, every
 * step in parts (read, then write). It knows nothing of weft's own reader and proof.
 */
#ifndef WEFT_TESTS_COLLECTIVE_MSCCL_PLAYER_H
#define WEFT_TESTS_COLLECTIVE_MSCCL_PLAYER_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace msccl
{

struct Step {
    std::string type;
    char src = 'i';
    int srcoff = 0;
    char dst = 'i';
    int dstoff = 0, cnt = 1, depid = -1, deps = -1;
};

struct Tb {
    int send = -1, recv = -1, chan = 0;
    std::vector<Step> steps;
};

struct Gpu {
    int in = 0, out = 0, scratch = 0;
    std::vector<Tb> tbs;
};

struct Program {
    std::string coll;
    bool inplace = false;
    std::vector<Gpu> gpus;

    std::string Xml() const;
};

/* Reads what tools write: one element per line. Files with <copy>s are not understood. */
bool Parse(const std::string &xml, Program *p);

/* Plays the program once; whether it ends, with the right result. */
bool PlaysRight(const Program &p, std::mt19937_64 &rng);

/* Generated programs, all right. */
Program RingAllReduce(int n);
Program AllPairs(int n, int tbs_per_peer);
Program Tree(int n);
Program AllToAll(int n);
Program RingAllGather(int n, bool inplace);

} // namespace msccl

#endif
