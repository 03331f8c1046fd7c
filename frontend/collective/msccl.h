/* SPDX-License-Identifier: GPL-2.0-only */
/* MSCCL programs as read from their files; internal to msccl*.c. */
#ifndef WEFT_COLLECTIVE_MSCCL_H
#define WEFT_COLLECTIVE_MSCCL_H

#include "base/arena.h"
#include "collective/collective.h"
#include "collective/msccl_info.h"

enum weft_msccl_buffer { WEFT_MSCCL_INPUT, WEFT_MSCCL_OUTPUT, WEFT_MSCCL_SCRATCH };

struct weft_msccl_instr {
    struct weft_coll_instr in;
    uint64_t *blocks; /**< the data that it moves; NULL: none */
    bool names_step;  /**< its dependency is a step, not yet an instruction */
    int64_t line, col;
};

struct weft_msccl_lane {
    struct weft_msccl_instr *instrs;
    uint64_t n;
    uint64_t *last; /**< per step: its last instruction */
    uint64_t nsteps;
    int64_t send, recv, channel; /**< peers, -1: none */
    bool copies;                 /**< the GPU's <copy>s, no threadblock of the file */
    bool served;                 /**< nor this: what a threadblock of another GPU does here */
    uint32_t for_gpu, for_tb;
    int64_t line, col;
};

struct weft_msccl_gpu {
    uint64_t in_chunks, out_chunks, scratch_chunks;
    struct weft_msccl_lane *lanes;
    uint32_t nlanes;
    uint64_t temps; /**< slots for sums handed out */
};

struct weft_msccl {
    struct weft_arena *arena; /**< owns everything */
    enum weft_coll_kind kind;
    uint32_t n;
    int protocol; /**< enum weft_nccl_protocol, of an XML file's proto */
    bool inplace;
    bool operations;                      /**< an MSCCL++ plan: steps are operations */
    uint64_t fine;                        /**< parts of a chunk; 0 is 1 */
    uint64_t parts;                       /**< parts of a unit */
    uint64_t outputs;                     /**< chunks of a rank's result */
    uint64_t slots;                       /**< of every rank */
    uint64_t output_first, scratch_first; /**< where they begin */
    uint64_t inputs_max, outputs_max, scratch_max;
    uint64_t file_bytes; /**< size of the file */
    const char *file;    /**< path, with the place of its root element */
    int64_t line, col;
    struct weft_msccl_gpu *gpus;
};

/** Slot of the first chunk of a buffer; the others follow. */
uint64_t weft_msccl_first_slot(const struct weft_msccl *m, uint32_t rank,
                               enum weft_msccl_buffer buffer);
/** How the chunks of the buffers are parts of the collective's units. */
int weft_msccl_find_parts(struct weft_msccl *m, struct weft_err *err);
/** Looks up the steps that are waited for, and the receive that each send meets. */
int weft_msccl_link(struct weft_msccl *m, struct weft_err *err);
/** Reads an MSCCL++ plan into *m, whose file and arena are set. */
int weft_mscclpp_read(const char *text, size_t len, struct weft_msccl *m, struct weft_err *err);
/** Reads a file: structure, buffers, dependencies, matching of sends with receives. */
int weft_msccl_read(const char *dir, const char *file, struct weft_msccl **out,
                    struct weft_err *err);

#endif
