/* SPDX-License-Identifier: GPL-2.0-only */
/* What the workload `training` knows by name: models and GPUs, as families for list and show. */
#ifndef WEFT_CLI_LISTING_TRAINING_H
#define WEFT_CLI_LISTING_TRAINING_H

#include "command/listing.h"

/** Models: transformers, tables of layers, recommendation models. The texts of the one listed are
 * valid until the next call. */
bool weft_listing_model(const struct weft_cli *cli, size_t i, struct weft_listed *out);
/** GPUs; the same of the texts. */
bool weft_listing_gpu(const struct weft_cli *cli, size_t i, struct weft_listed *out);

#endif
