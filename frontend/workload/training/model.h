/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transformers: their shapes, and how many parameters and operations they have.
 *
 * Two styles of block. Gated (Llama and its kin): RMS norms, no biases, a feed-forward part of
 * three matrices. Plain (GPT): layer norms and biases, two matrices. Either may have experts
 * (mixture of experts) in place of the feed-forward part, and attention with compressed keys and
 * values (MLA, DeepSeek-V3 report 2412.19437, 2.1.1).
 *
 * Parameters of a block without parallelism, h hidden, a heads of width d, k key-value heads, f
 * feed-forward width:
 *   attention      2 h a d + 2 h k d           plain: + (a + 2k) d + h biases
 *   feed-forward   3 h f (gated), 2 h f (plain: + f + h biases)
 *   norms          2 h (gated), 4 h (plain)
 *   experts        E 3 h f_e + h E (router) + 3 h f_e shared experts
 */
#ifndef WEFT_TRAINING_MODEL_H
#define WEFT_TRAINING_MODEL_H

#include "base/linkage.h"

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

WEFT_C_BEGIN

/** A transformer. */
struct weft_model {
    const char *name;
    const char *source;  /**< where the shape is published */
    uint64_t layers;     /**< blocks */
    uint64_t hidden;     /**< width of the residual stream */
    uint64_t heads;      /**< query heads */
    uint64_t kv_heads;   /**< key-value heads; unused with kv_lora */
    uint64_t head_dim;   /**< width of a head; 0: hidden / heads */
    uint64_t ffn;        /**< width of the feed-forward part of dense blocks */
    uint64_t vocab;      /**< rows of the embedding */
    uint64_t sequence;   /**< tokens of a training sequence */
    bool gated;          /**< Llama style; else GPT style, with learned positions and tied head */
    uint64_t experts;    /**< routed experts of a block; 0: dense */
    uint64_t top_k;      /**< experts that a token goes to */
    uint64_t expert_ffn; /**< width of one expert */
    uint64_t shared_experts;     /**< experts that every token goes to */
    uint64_t dense_layers;       /**< first blocks that have no experts */
    uint64_t q_lora, kv_lora;    /**< ranks of MLA's compression; 0: ordinary attention */
    uint64_t rope_dim, nope_dim; /**< MLA: widths of a query head with and without rotation */
    uint64_t v_dim;              /**< MLA: width of a value head */
};

/** All presets, in the order of models.def; *n receives their number. */
const struct weft_model *weft_models(size_t *n);

/** Parameters of one block that lie on one rank. */
struct weft_block_params {
    uint64_t dense;      /**< attention, norms, router, feed-forward part or shared experts */
    uint64_t replicated; /**< of these, equal on all ranks of a tensor-parallel group */
    uint64_t experts;    /**< routed experts */
};

/** Whether block @p layer has experts. */
bool weft_model_is_moe(const struct weft_model *m, uint64_t layer);
/** Width of a head. */
uint64_t weft_model_head_dim(const struct weft_model *m);
/** Rows of the embedding, rounded up to a multiple of 128 @p t where @p pad. */
uint64_t weft_model_vocab(const struct weft_model *m, uint64_t t, bool pad);
/**
 * Parameters of block @p layer on one rank, with tensor parallelism @p t, expert parallelism @p ep
 * and tensor parallelism within experts @p etp. Key-value heads fewer than t are replicated.
 */
struct weft_block_params weft_model_block(const struct weft_model *m, uint64_t layer, uint64_t t,
                                          uint64_t ep, uint64_t etp);
/** Parameters of embedding and, in GPT style, learned positions (replicated) on one rank. */
uint64_t weft_model_embedding(const struct weft_model *m, uint64_t t, uint64_t sequence, bool pad);
/** Parameters of the output head (with a tied embedding: its copy on the last stage) on one rank.
 */
uint64_t weft_model_head(const struct weft_model *m, uint64_t t, bool pad);
/** Parameters of the norm before the head. */
uint64_t weft_model_final_norm(const struct weft_model *m);
/** All parameters, a tied head counted once. */
uint64_t weft_model_params(const struct weft_model *m);
/** Operations of the forward pass per token: 2 per matrix parameter in use, head included, and
 * attention scores. */
double weft_model_forward_flops(const struct weft_model *m, uint64_t sequence, bool causal);

WEFT_C_END
#endif
