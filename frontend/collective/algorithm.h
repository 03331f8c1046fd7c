/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An algorithm as users choose it: a name and its parameters, "ring" or "ring:channels=2".
 */
#ifndef WEFT_COLLECTIVE_ALGORITHM_H
#define WEFT_COLLECTIVE_ALGORITHM_H

#include "collective/collective.h"

WEFT_C_BEGIN

/** A chosen algorithm. */
struct weft_coll_algorithm {
    const struct weft_coll_ops *ops;
    void *params;  /**< ops->params, filled in */
    void *program; /**< what ops->load made */
    char *text;    /**< what the parameters' texts point into */
};

/**
 * Reads the @p len bytes at @p spec: NAME[:PARAM=VALUE]... Loads programs from files; @p dir is
 * where relative names begin ("": the working directory). On failure nothing is left to release.
 */
int weft_coll_algorithm_parse(const char *spec, size_t len, const char *dir,
                              struct weft_coll_algorithm *out, struct weft_err *err);
/** Frees what parse made; a zeroed one is allowed. */
void weft_coll_algorithm_release(struct weft_coll_algorithm *a);

/** Puts the parameters and the program of @p a into a call. */
static inline void weft_coll_use(struct weft_coll_call *c, const struct weft_coll_algorithm *a)
{
    c->params = a->params;
    c->program = a->program;
}

WEFT_C_END
#endif
