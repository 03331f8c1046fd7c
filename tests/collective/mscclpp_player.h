/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MSCCL++ plans as data, and a player of them with numbers: threadblocks in random order, writes
 * into other GPUs on their way until the network feels like it, only a signal behind them. It knows
 * nothing of weft's own reader and proof.
 */
#ifndef WEFT_TESTS_COLLECTIVE_MSCCLPP_PLAYER_H
#define WEFT_TESTS_COLLECTIVE_MSCCLPP_PLAYER_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mscclpp
{

struct Piece {
    int gpu;
    char buffer;
    int index, size = 1;
};

struct Op {
    std::string name;
    std::vector<Piece> src, dst;
    std::vector<int> peers;      /* signal, wait: GPUs */
    std::vector<int> semaphores; /* sem_acquire, sem_release */
    int barrier = -1, threadblocks = 0;
    int share = 0, shares = 1; /* of a group of threadblocks */
};

struct Gpu {
    std::vector<std::vector<Op>> tbs;
    std::vector<bool> pipeline; /* per threadblock: its operations are one pipeline */
};

struct Plan {
    std::string coll;
    bool inplace;
    int in, out, scratch, fine;  /* chunks; pieces that groups cut one into */
    std::vector<int> semaphores; /* where they begin */
    std::vector<Gpu> gpus;

    std::string Json() const;
};

/* Plays the plan once; whether it ends, with the right result. */
bool PlaysRight(const Plan &p, std::mt19937_64 &rng);

/* Generated plans, all right. */
Plan GatherByWrites(int n);
Plan GatherByReads(int n, bool in_pipelines);
Plan ReduceByPackets(int n, int group);
Plan ReduceByReads(int n);
Plan GatherOverScratch(int n);
Plan ExchangeBehindABarrier(int n);

} // namespace mscclpp

#endif
