/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of the list of fields: replay_state.c. */
#ifndef WEFT_ENGINE_REPLAY_STATE_INTERNAL_H
#define WEFT_ENGINE_REPLAY_STATE_INTERNAL_H

#include "replay_state.h"

struct port;
struct qp;

/** The elements of a field, @p n of @p size bytes. Inlined, as all but t and field are constants.
 */
static inline __attribute__((always_inline)) void state_read_field(struct snapshot *t, void *field,
                                                                   size_t size, size_t n,
                                                                   enum evolution how,
                                                                   const char *name)
{
    const bool posted = t->of_messages || t->names;
    if (how == EVOLVES_END_PSN)
        how = posted ? EVOLVES_PSN : EVOLVES_SAME;
    else if (how == EVOLVES_END_BYTES)
        how = posted ? EVOLVES_BYTES : EVOLVES_SAME;
    else if (how == EVOLVES_END_TIME)
        how = t->of_messages ? EVOLVES_TIME : EVOLVES_SAME;
    else if (how == EVOLVES_CLOCK)
        how = t->names ? EVOLVES_SAME : EVOLVES_COUNT;
    for (size_t k = 0; how < EVOLVES_END_PSN && k < n; k++)
        snapshot_field(t, (char *)field + k * size, size, how, name);
    for (size_t k = 0; how == EVOLVES_PORT && k < n; k++)
        snapshot_same(t, snapshot_port(t, ((uint32_t *)field)[k]), name);
}
/** A line of a list of fields (core/fields.h) as the reading of that field of @p of. */
#define STATE_READ(of, type, name, evolution)                                                      \
    state_read_field(t, &(of)->name, sizeof(type), sizeof(of)->name / sizeof(type),                \
                     EVOLVES_##evolution, "state that moved otherwise: " #of "->" #name);

/** Reads a QP, with its messages and congestion control. */
void replay_read_qp(struct weft_engine *e, struct replay_scope *p, uint32_t qi, struct snapshot *t);
/** Reads a port, with what is in its queues and on its link. */
void replay_read_port(struct weft_engine *e, struct replay_scope *part, uint32_t port,
                      struct snapshot *t);
/** Whether ports may pause in a period: their clocks move by then, and what notes them moves as
 * they do. */
bool replay_pauses_move(const struct weft_engine *e, const struct snapshot *t);
/** Reading of the clock of pauses of priority @p prio of a port said when it was noted, at @p
 * noted. */
void replay_read_noted(struct weft_engine *e, const struct port *p, uint32_t prio, int64_t *noted,
                       struct snapshot *t);

#endif
