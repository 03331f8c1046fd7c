/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of run.replay-memo: how long messages took in earlier runs of the same fabric and
 * transport.
 *
 * It begins with a line that names the format, then has three numbers of 8 bytes, of the machine:
 * bytes of the key, bytes of the entries, and the fingerprint of both. The key is text: weft's
 * version, the fabric's fingerprint, plug-ins' files, and each setting that is not at its default
 * but those of workloads, of ranks and of output. The entries are the engine's (engine_replay.h).
 */
#ifndef WEFT_CLI_MEMO_H
#define WEFT_CLI_MEMO_H

#include "command/command.h"
#include "net/net.h"
#include "scenario/scenario.h"

WEFT_C_BEGIN

/** Most bytes of entries: 149,796 of them. */
#define WEFT_MEMO_MOST (UINT64_C(16) << 20)

/** A memo during a run, all zero: none. */
struct weft_memo {
    const char *file; /**< NULL: nothing is kept */
    char *key;
    size_t nkey;
    char *data; /**< of the file; NULL: it did not exist */
    const void *entries;
    size_t size;   /**< of these, bytes */
    uint64_t hash; /**< fingerprint of the file */
};

/** Reads the file of a scenario, if it asks for one and takes over messages within a tolerance, and
 * one exists. WEFT_E_INPUT: that is none of runs like this. */
int weft_memo_open(struct weft_memo *m, const struct weft_cli *cli, const struct weft_scenario *s,
                   const struct weft_fabric *fabric, struct weft_err *err);
/** Finds the entries in m->data of @p size bytes, under the key of @p m. */
int weft_memo_parse(struct weft_memo *m, size_t size, struct weft_err *err);
/** Hands the entries to a new net. */
int weft_memo_give(const struct weft_memo *m, struct weft_net *net, struct weft_err *err);
/** Replaces the file by what is known now. */
int weft_memo_write(const struct weft_memo *m, struct weft_net *net, struct weft_err *err);
void weft_memo_free(struct weft_memo *m);

WEFT_C_END

#endif
