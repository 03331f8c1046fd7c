/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions of sizes and times of a trace, in bins, and numbers drawn from them.
 *
 * A bin is 1/32 of an octave wide, 2.2 %. It knows how much fell into it and the mean of that; what
 * is drawn for a value lies around the mean of its bin, so that no size of the original comes out
 * but by chance, while sums stay near.
 */
#ifndef WEFT_PROFILE_H
#define WEFT_PROFILE_H

#include "workload/et.h"

/** What is drawn; collectives have one each, in Chakra's order. */
enum weft_quantity {
    WEFT_QUANTITY_COLLECTIVE = 0, /**< + comm_type, bytes */
    WEFT_QUANTITY_MESSAGE = 10,   /**< bytes */
    WEFT_QUANTITY_COMPUTE,        /**< us */
    WEFT_QUANTITY_MEMORY,         /**< us */
    WEFT_QUANTITY_WORK,           /**< num_ops */
    WEFT_QUANTITY_TENSOR,         /**< bytes */
    WEFT_QUANTITIES
};
enum { WEFT_PROFILE_BINS = 2048, WEFT_PROFILE_PER_OCTAVE = 32 };

struct weft_profile {
    struct {
        double count, sum;
    } bins[WEFT_QUANTITIES][WEFT_PROFILE_BINS];
};

/** The bin of a value; values below 1 are in the first. */
uint32_t weft_profile_bin(double value);
/** Counts what an operation has. */
void weft_profile_node(struct weft_profile *p, const struct weft_et_node *node);
/**
 * A value in place of @p value: within @p blur (0.03: 3 %) of its bin's mean, uniform; the same for
 * the same @p seed and @p key. 0 stays 0.
 */
double weft_profile_draw(const struct weft_profile *p, unsigned quantity, double value, double blur,
                         uint64_t seed, uint64_t key);
/** The attribute as a number; 0 when there is none. */
double weft_profile_attr(const struct weft_et_node *node, const char *name);

#endif
