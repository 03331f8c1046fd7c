/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading Chakra execution traces (versions 0.0.1 to 1.0.0, told apart by content, and JSON).
 *
 * A job is one file per rank, PREFIX.<rank>.et or PREFIX.<rank>.et.gz, rank 0 .. N-1; gzip is
 * recognised by content, whatever the name. The conversion to a graph is in convert.h.
 */
#ifndef WEFT_CHAKRA_READ_H
#define WEFT_CHAKRA_READ_H

#include "workload/convert.h"
#include "workload/dag.h"
#include "workload/et.h"

WEFT_C_BEGIN

/** Reads one file as it is: no dependency, type or attribute is judged. The result lives in @p
 * arena. */
int weft_chakra_read_et(const char *path, struct weft_arena *arena, struct weft_et **out,
                        struct weft_err *err);
/** The same from bytes in memory; @p name stands for the file in errors. */
int weft_chakra_read_et_memory(const char *name, const void *data, size_t size,
                               struct weft_arena *arena, struct weft_et **out,
                               struct weft_err *err);

/** Bytes of an element where nothing else is said: those of bf16. */
#define WEFT_CHAKRA_ELEM_BYTES 2u
/**
 * Reads and checks a whole job. @p nranks 0: as many ranks as there are files; else the job must
 * have exactly that many. @p groups_file: a JSON file of communicator groups, or NULL (also "").
 * Any failure is an error with file and byte; the caller frees *out. What exceeds @p memory_bytes
 * lies in a temporary file, see arena.h; besides, there are 28 bytes per node and 4 per dependency
 * of one rank at a time.
 */
int weft_chakra_read_within(const char *prefix, uint32_t nranks, const char *groups_file,
                            uint64_t memory_bytes, const struct weft_convert_options *how,
                            struct weft_workload **out, struct weft_err *err);
/** The same, all in memory, with elements of WEFT_CHAKRA_ELEM_BYTES. */
int weft_chakra_read(const char *prefix, uint32_t nranks, const char *groups_file,
                     struct weft_workload **out, struct weft_err *err);

WEFT_C_END
#endif
