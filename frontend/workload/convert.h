/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traces to a job: each rank's struct weft_et becomes its struct weft_dag, checked.
 *
 * What a node needs and gets:
 *   all        is_cpu_op                    default false
 *   COMP       duration_micros; num_ops, tensor_size for the roofline     all optional
 *   MEM_*      tensor_size                  may be absent when duration_micros is not 0
 *   COMM_COLL  comm_type, comm_size         required (comm_size not for a barrier)
 *              comm_priority                default 0
 *              pg_name                      default "": the world
 *              involved_dim                 default: all dimensions
 *   COMM_SEND  comm_size, comm_dst          required
 *              comm_tag, comm_src           default 0, own rank (and must be it)
 *   COMM_RECV  comm_size, comm_src          required
 *              comm_tag, comm_dst           default 0, own rank (and must be it)
 *   METADATA   inputs.values of process_group:init nodes define groups; no work
 * An attribute may have any integer or bool wire type (num_ops also a real one, pg_name also an
 * integer). Durations of other nodes, start_time_micros and attributes not listed
 * are not part of the graph. INVALID_NODE, which is also a node without a type, is an error.
 */
#ifndef WEFT_CONVERT_H
#define WEFT_CONVERT_H

#include "base/list.h"
#include "workload/dag.h"
#include "workload/et.h"
#include "workload/groups.h"

WEFT_C_BEGIN

struct weft_convert;

/** Starts a job of @p nranks >= 1 ranks. @p groups_file as in weft_chakra_read. NULL on failure. */
struct weft_convert *weft_convert_new(uint32_t nranks, const char *groups_file,
                                      struct weft_err *err);
/** What the graphs take beyond @p memory_bytes goes to a file (arena.h). */
void weft_convert_spill(struct weft_convert *c, size_t memory_bytes);
/** How traces are taken. */
struct weft_convert_options {
    /** Bytes of an element in traces whose sizes count elements: those of STG, told by their
     * attribute schema, "symbolic_tensor_network". */
    uint32_t elem_bytes;
    /** Every node takes its duration, at least 1 ns; communication, too, which meets nobody. */
    bool replay;
    const char *algorithms; /**< a weft_node_algorithms_form; NULL or "": none */
};
/** How collectives of some nodes are played: their algorithm by the node's id, on all ranks. */
extern const struct weft_list_form weft_node_algorithms_form;
/** Says so, before the first rank. Until then: elements of 1 byte, and no more. */
int weft_convert_take_options(struct weft_convert *c, const struct weft_convert_options *o,
                              struct weft_err *err);
/** Converts the trace of @p rank. Nothing of @p et is kept. */
int weft_convert_rank(struct weft_convert *c, uint32_t rank, const struct weft_et *et,
                      struct weft_err *err);
/** Gives @p rank the graph that rank @p from already has (read-only: both share it). */
void weft_convert_share(struct weft_convert *c, uint32_t rank, uint32_t from);
/** What the ops of a rank name, in the order in which they first do. */
struct weft_convert_roles {
    const char *const *groups; /**< names of process groups; the first is the world, "" */
    const uint32_t *group;     /**< their indices */
    const uint32_t *peers;     /**< ranks; the first stands for none */
    uint32_t ngroups, npeers;
};
/** Makes the graph of @p rank one that others can share who differ in groups and peers: lists both.
 */
int weft_convert_roles(struct weft_convert *c, uint32_t rank, struct weft_convert_roles *out,
                       struct weft_err *err);
/** A process group by its members, for weft_convert_share_as. */
int weft_convert_group(struct weft_convert *c, const struct weft_group *def, uint32_t *index,
                       struct weft_err *err);
/** Gives @p rank the graph of rank @p from with @p groups and @p peers in place of its
 * weft_convert_roles. */
int weft_convert_share_as(struct weft_convert *c, uint32_t rank, uint32_t from,
                          const struct weft_convert_roles *of, const uint32_t *groups,
                          const uint32_t *peers, struct weft_err *err);
/** Frees @p c and hands out the job; every rank must have been converted or shared. */
int weft_convert_finish(struct weft_convert *c, struct weft_workload **out, struct weft_err *err);
/** Adds the communicators that a rank's trace defines itself to @p groups, which is at that rank.
 */
int weft_convert_groups(struct weft_groups *groups, const struct weft_et *et, struct weft_err *err);
/** Gives up; NULL is allowed. */
void weft_convert_free(struct weft_convert *c);

WEFT_C_END
#endif
