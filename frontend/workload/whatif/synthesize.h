/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside synthesize*.c: learning from a trace, and emitting another. */
#ifndef WEFT_SYNTHESIZE_H
#define WEFT_SYNTHESIZE_H

#include "workload/whatif/edit.h"
#include "workload/whatif/profile.h"

/** Parameters; synthesize.c describes them. */
struct synthesize {
    uint64_t ranks, iterations, seed, learned;
    double blur;
    const char *grow;
    bool world;
};

/** A rank's operations by their place: the order of ids. */
struct weft_places {
    struct weft_edit e; /**< for finding nodes by id; nothing is edited */
    uint32_t *place;    /**< of a node */
};

int weft_places_start(struct weft_places *o, const struct weft_et *et, struct weft_err *err);
/** A zeroed one is allowed. */
void weft_places_end(struct weft_places *o);
/** The node at a place. */
const struct weft_et_node *weft_places_at(const struct weft_places *o, uint32_t place);
/** The id that a node's k-th dependency has, those of both kinds counted. */
uint64_t weft_places_dep(const struct weft_et_node *node, size_t k);

/** Goes on with a hash. */
uint64_t weft_kin_mix(uint64_t h, uint64_t x);
uint64_t weft_kin_mix_text(uint64_t h, const char *text);
/** What makes communication the same but for its ends: kind, group, root, tag, and about the size.
 */
uint64_t weft_kinship(const struct weft_et_node *node);

/**
 * Replaces the nodes of the trace of @p rank, made of @p learned iterations, by iterations drawn
 * from @p profile, in @p arena. 0 or WEFT_E_LIMIT.
 */
int weft_synthesize_emit(const struct synthesize *p, const struct weft_profile *profile,
                         uint32_t rank, uint32_t learned, struct weft_et *et,
                         struct weft_arena *arena, struct weft_err *err);

#endif
