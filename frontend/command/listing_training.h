/* SPDX-License-Identifier: GPL-2.0-only */
/* What the workload `training` knows by name: models and GPUs, as families for list and show. */
#ifndef WEFT_CLI_LISTING_TRAINING_H
#define WEFT_CLI_LISTING_TRAINING_H

#include "command/listing.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Models: transformers, tables of layers, recommendation models. */
size_t weft_listing_models(const struct weft_cli *cli);
/** The texts of the one listed are valid until the next call. */
struct weft_listed weft_listing_model(const struct weft_cli *cli, size_t i);
/** GPUs. */
size_t weft_listing_gpus(const struct weft_cli *cli);
/** The same. */
struct weft_listed weft_listing_gpu(const struct weft_cli *cli, size_t i);

#ifdef __cplusplus
}
#endif
#endif
