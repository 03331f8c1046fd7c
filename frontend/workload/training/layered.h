/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Models that are tables of layers, one after the other: convolutions, recurrent networks, whatever
 * a user describes in a file. Data and pipeline parallelism divide them; the layers themselves are
 * whole.
 *
 * Figures are of one position of a sample: an image is one position, a sentence has as many as
 * tokens. Operations "step by step" depend on the position before (recurrent products), so their
 * matrices have a row per sample alone and follow each other.
 */
#ifndef WEFT_TRAINING_LAYERED_H
#define WEFT_TRAINING_LAYERED_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

/** Most layers of a table. */
#define WEFT_LAYERED_MAX 512
/** Room for the name of a layer. */
#define WEFT_LAYERED_NAME 32

/** One layer. */
struct weft_layer {
    char name[WEFT_LAYERED_NAME];
    uint64_t params;
    double flops;      /**< of the forward pass per position, a product and its sum are two */
    double step_flops; /**< of these in addition, those that follow each other */
    uint64_t kept;     /**< elements per position that the backward pass needs */
    uint64_t sent;     /**< elements per position that all layers behind it need from before */
};

/** A model. */
struct weft_layered {
    const char *name, *source;
    const char *samples; /**< what a sample is, in plural */
    uint64_t positions;  /**< of a sample */
    uint64_t n;          /**< layers; 0: not a table of layers */
    struct weft_layer layer[WEFT_LAYERED_MAX];
};

/** How many presets there are (layered.def). */
size_t weft_layered_presets(void);
/** Preset @p i. */
void weft_layered_preset(size_t i, struct weft_layered *out);
/**
 * Reads a table of layers: CSV with the columns layer,parameters,flops,step-flops,kept,sent. Errors
 * name file, line and column. Fills everything but name, source, samples and positions.
 */
int weft_layered_read(const char *path, struct weft_layered *out, struct weft_err *err);
/** All parameters. */
uint64_t weft_layered_params(const struct weft_layered *m);
/** Operations of the forward pass of a position. */
double weft_layered_flops(const struct weft_layered *m);

/**
 * Divides layers among @p chunks, at most @p m->n, so that the longest takes as little as it can;
 * @p seconds is what each layer takes. starts[i] receives the first layer of chunk i,
 * starts[chunks] the number of layers.
 */
void weft_layered_divide(uint64_t n, const double *seconds, uint64_t chunks, uint32_t *starts);

WEFT_C_END
#endif
