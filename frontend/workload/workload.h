/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workload interface: one reader or generator is one struct weft_workload_ops in one file,
 * listed in workload_table.def. `load` turns parameters into a job of graphs, `flows` into a source
 * of flows; each has one of the two.
 */
#ifndef WEFT_WORKLOAD_H
#define WEFT_WORKLOAD_H

#include "base/param.h"
#include "workload/dag.h"
#include "workload/flows.h"

WEFT_C_BEGIN

/** One reader or generator. */
struct weft_workload_ops {
    const char *name;   /**< what users type: "chakra" */
    const char *title;  /**< one line for lists */
    const char *source; /**< paper or format it follows, NULL when weft's own */
    struct weft_param_table params;
    /**
     * Loads the job into *out (caller frees). @p params points to the filled struct.
     * @p nranks is how many ranks the caller has room for (the fabric's hosts). The job has that
     * many, or fewer where its parameters say so; 0 takes as many as the workload has.
     */
    int (*load)(const void *params, uint32_t nranks, struct weft_workload **out,
                struct weft_err *err);
    /** With flows. How many ranks the source has, where there is room for @p room. */
    int (*ranks)(const void *params, uint32_t room, uint32_t *nranks, struct weft_err *err);
    /** Makes a source of flows at @p site, whose arrays it does not keep, in *out (caller frees).
     */
    int (*flows)(const void *params, const struct weft_flow_site *site,
                 struct weft_flow_source **out, struct weft_err *err);
    /**
     * Optional: generators of graphs. Writes the traces of all ranks (how many: its parameters must
     * say; into *nranks) as PREFIX.RANK.et, or .et.gz when @p prefix ends in ".gz", without that
     * ending, with what else belongs to them.
     */
    int (*write)(const void *params, const char *prefix, uint64_t *nranks, struct weft_err *err);
    /** Optional, with write. What the job is, in lines for people, into @p buf. */
    int (*describe)(const void *params, char *buf, size_t size, struct weft_err *err);
    /**
     * Optional, of the reader of one file, which its parameter `file` names. Whether a file is of
     * the format, by its beginning @p head, with a NUL behind; if so, what the file says that it
     * has, into @p what. Then `weft import` knows such files, and the fuzz target `readers` plays
     * those in the folder `corpus` beside the reader.
     */
    bool (*recognises)(const char *head, char *what, size_t size);
};

/** All workloads, in the order of workload_table.def; *n receives their number. */
const struct weft_workload_ops *const *weft_workload_table(size_t *n);
/** The workload called @p name; on an unknown name NULL, and *err names the nearest. */
const struct weft_workload_ops *weft_workload_find(const char *name, struct weft_err *err);
/** Reads file @p path by the workload, whose parameter `file` it is, as a job or flows that are not
 * played. */
int weft_workload_try(const struct weft_workload_ops *ops, const char *path, struct weft_err *err);
/** Adds a struct weft_workload_ops that was loaded at run time (base/plugin.h). */
int weft_workload_add(const void *ops, struct weft_err *err);
/**
 * Ranks of a job of the workload called @p name into *out: @p ranks, as its parameter says, or with
 * 0 as many as there are hosts (0: not known). WEFT_E_INPUT when there are fewer hosts.
 */
int weft_workload_ranks(const char *name, uint64_t ranks, uint32_t nhosts, uint32_t *out,
                        struct weft_err *err);

WEFT_C_END
#endif
