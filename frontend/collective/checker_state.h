/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a symbolic run; internal to checker*.c. */
#ifndef WEFT_COLLECTIVE_CHECKER_STATE_H
#define WEFT_COLLECTIVE_CHECKER_STATE_H

#include "collective/checker.h"

#include <stdbool.h>

/* Data of slots on its way: blocks, and their sets. One allocation. */
struct weft_checker_message {
    uint64_t n;
    uint64_t *block; /* n */
    uint64_t *set;   /* n * words */
};

/* A slot of a rank; its set is in another array. */
struct weft_checker_slot {
    uint64_t block;     /* or WEFT_COLL_NO_BLOCK */
    uint32_t adding;    /* receives posted, not taken in, that add to it */
    uint32_t replacing; /* ... that replace it */
};

struct weft_checker_lane {
    uint64_t n;    /* instructions */
    uint64_t next; /* first one not issued */
    uint64_t done_prefix;
    unsigned char *done;
    struct weft_checker_message **inbox; /* by receive instruction */
};

struct weft_checker_rank {
    uint32_t nlanes;
    struct weft_checker_lane *lane;
    struct weft_checker_slot *slot;
    uint64_t *set; /* slots * words */
};

/* An operation of the switches under way. */
struct weft_checker_operation {
    uint32_t first; /* of the ranks that the switches join */
    uint32_t lane, joined;
    uint64_t instr;
    struct weft_coll_instr in;            /* as its first rank has it */
    struct weft_checker_message *message; /* what was given so far; NULL: nothing */
    struct weft_checker_operation *next;
};

struct weft_checker {
    const struct weft_coll_ops *ops;
    const struct weft_coll_call *call;
    uint32_t n;
    bool backwards;      /* the lanes of a rank are tried from the last to the first */
    uint64_t most_bytes; /* that clocks may take, 0: whatever there is */
    uint64_t slots, parts;
    uint64_t words; /* of a set: a bit per rank; 0 for kinds that do not add up */
    struct weft_checker_rank *ranks;
    /* n * n pairs: 1 + lane and 1 + instruction of the receive that the last send from s to d
     * named; 0: none yet */
    uint64_t *last_send;
    struct weft_checker_operation *operations;
    weft_coll_data_fn data;
    void *ctx;
    struct weft_coll_place where; /* what is wrong */
    struct weft_coll_proof proof;
    struct weft_err *err;
};

/** Whether contributions are added up. */
bool weft_checker_adds(const struct weft_checker *c);
/** The set of a slot. */
uint64_t *weft_checker_set(const struct weft_checker *c, uint32_t rank, uint64_t slot);
/** Block that @p rank must end with, complete, in @p slot. */
uint64_t weft_checker_end(const struct weft_checker *c, uint32_t rank, uint64_t slot);
/** Sets parts, slots and words from ops and call. */
void weft_checker_sizes(struct weft_checker *c);
/** Bytes of memory of a run at most: the ranks' slots, all messages under way, a block noted per
 * slot moved. */
uint64_t weft_checker_memory(const struct weft_checker *c);
/** Every rank as it begins. */
int weft_checker_prepare(struct weft_checker *c);
void weft_checker_release(struct weft_checker *c);
/** A message of @p n slots, to be freed with free(); NULL: out of memory. */
struct weft_checker_message *weft_checker_message_new(const struct weft_checker *c, uint64_t n);

/** Says that there is no memory for the check. */
int weft_checker_no_memory(const struct weft_checker *c);
/** Sets what is wrong about an instruction. */
int weft_checker_wrong(struct weft_checker *c, uint32_t rank, uint32_t lane, uint64_t i,
                       const char *what);
/** Slot @p j of an instruction. */
uint64_t weft_checker_slot(const struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                           const struct weft_coll_instr *in, uint64_t j);
/** Reads the slots of an instruction (from_source: those at its source) into a message. */
int weft_checker_read(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                      const struct weft_coll_instr *in, bool from_source,
                      struct weft_checker_message **out);

/** Adds or stores entry @p j of a message into a slot. */
int weft_checker_write(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i, uint64_t slot,
                       const struct weft_checker_message *m, uint64_t j, bool adds);
/** Finds the receive that a SEND names; *box receives where its message goes. */
int weft_checker_match(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                       const struct weft_coll_instr *in, struct weft_checker_message ***box);
/** What people call an instruction, and a slot. */
enum { WEFT_CHECKER_NAME_MAX = 96 };
const char *weft_checker_instr(const struct weft_checker *c, uint32_t rank, uint32_t lane,
                               uint64_t i, char text[WEFT_CHECKER_NAME_MAX]);
const char *weft_checker_slot_name(const struct weft_checker *c, uint32_t rank, uint64_t slot,
                                   char text[WEFT_CHECKER_NAME_MAX]);

/* checker_order.c */
/** Runs a program from a file in one order, and checks that no other ends differently. */
int weft_checker_run_ordered(struct weft_checker *c);
/** Bytes of memory that it takes besides, without clocks. */
uint64_t weft_checker_order_memory(const struct weft_checker *c);

/* checker_switch.c */
/** A rank takes part in an operation of the switches; the last one delivers it. */
int weft_checker_switch(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                        const struct weft_coll_instr *in);

#endif
