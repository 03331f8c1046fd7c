/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is trained and how it is divided: model, GPU, degrees of parallelism, and where each rank
 * stands.
 *
 * Ranks are numbered as Megatron-LM does by default, tensor parallelism fastest, then context,
 * data, pipeline: rank = tp + t (cp + c (dp + d pp)) Experts divide the ranks of a pipeline stage
 * anew: etp fastest, then ep, then the data parallelism of experts. A communicator of one rank does
 * not exist.
 */
#ifndef WEFT_TRAINING_PLAN_H
#define WEFT_TRAINING_PLAN_H

#include "base/param.h"
#include "workload/training/dlrm.h"
#include "workload/training/gpu.h"
#include "workload/training/kernel_times.h"
#include "workload/training/layered.h"
#include "workload/training/measured.h"
#include "workload/training/model.h"

WEFT_C_BEGIN

/** Values of the parameter `data-parallel`. */
enum weft_sharding {
    WEFT_SHARD_NONE,      /**< ddp: gradients by all-reduce */
    WEFT_SHARD_OPTIMIZER, /**< zero-1: gradients by reduce-scatter, weights by all-gather, once per
                             iteration */
    WEFT_SHARD_GRADIENTS, /**< zero-2: gradients by reduce-scatter for every microbatch */
    WEFT_SHARD_WEIGHTS /**< zero-3, fsdp: weights gathered for every forward and backward pass of a
                          block */
};
/** How data-parallel ranks exchange what they learn: the values of `data-parallel` behind those of
 * enum weft_sharding. */
enum weft_exchange { WEFT_EXCHANGE_COLLECTIVE, WEFT_EXCHANGE_SERVERS, WEFT_EXCHANGE_GOSSIP };
/** Values of `gossip`. */
enum weft_gossip { WEFT_GOSSIP_RING, WEFT_GOSSIP_EXPONENTIAL };
/** Values of `schedule`, in the order of schedules.def. */
enum weft_schedule_kind {
#define WEFT_SCHEDULE(symbol, name, title) WEFT_SCHEDULE_##symbol,
#include "workload/training/schedules.def"
#undef WEFT_SCHEDULE
    WEFT_SCHEDULES
};
/** Values of `recompute`. */
enum weft_recompute { WEFT_RECOMPUTE_NONE, WEFT_RECOMPUTE_SELECTIVE, WEFT_RECOMPUTE_FULL };
/** Values of `compute`. */
enum weft_compute { WEFT_COMPUTE_AUTO, WEFT_COMPUTE_MEASURED, WEFT_COMPUTE_EFFICIENCY };
/** Values of `precision`. */
enum weft_precision { WEFT_PRECISION_BF16, WEFT_PRECISION_FP8 };
/** Values of `context-parallel`. */
enum weft_context { WEFT_CONTEXT_RING, WEFT_CONTEXT_ALL_GATHER, WEFT_CONTEXT_ALL_TO_ALL };

/** Most expert-parallel ranks. */
#define WEFT_TRAINING_EP_MAX 4096

/** Most chunks of layers of a job that divides them unevenly. */
#define WEFT_TRAINING_CHUNKS_MAX 1024

/** What a user sets. Fill with weft_params_defaults(&weft_training_param_table, ...) first; 0 means
 * "as the model or GPU has it". */
struct weft_training_params {
    uint64_t ranks;             /**< 0: as many as the caller says */
    const char *layers_file;    /**< CSV of layers in place of the model; "" or NULL: none */
    const char *stage_layers;   /**< layers of each chunk, in the order of the model */
    const char *tables_file;    /**< CSV of embedding tables; "" or NULL: the model's */
    const char *placement_file; /**< where they are; "" or NULL: as table_sharding says */
    int table_sharding;         /**< enum weft_table_sharding */
    uint64_t table_pieces;      /**< column-wise: pieces of each table */
    bool pooled_fp32;           /**< results of look-ups and their gradients are fp32, else bf16 */
    int model; /**< index into weft_models(), behind them into weft_layered_preset(),
                  weft_dlrm_preset() */
    uint64_t layers, hidden, heads, kv_heads, head_dim, ffn, vocab, sequence, experts, top_k,
        expert_ffn;
    bool pad_vocab;
    int gpu; /**< index into weft_gpus() */
    double peak_tflops, memory_tb_per_s, gemm_efficiency, attention_forward_efficiency,
        attention_backward_efficiency, expert_efficiency;
    uint64_t memory_bytes;
    int64_t kernel_launch_ps;
    double fp8_efficiency;
    int compute;                 /**< enum weft_compute */
    int precision;               /**< enum weft_precision */
    const char *kernel_file;     /**< CSV of measured kernel times; "" or NULL: the shipped ones */
    const char *efficiency_file; /**< CSV of measured efficiencies; "" or NULL: none */
    uint64_t tp, cp, pp, dp, ep, etp, virtual_stages;
    bool sequence_parallel, fused_cross_entropy, causal, flash_attention;
    int context; /**< enum weft_context */
    uint64_t microbatch, microbatches, iterations;
    int schedule;   /**< enum weft_schedule_kind */
    int recompute;  /**< enum weft_recompute */
    int sharding;   /**< enum weft_sharding, behind them enum weft_exchange from 1 on */
    bool grad_fp32; /**< gradients are reduced in fp32, else bf16 */
    uint64_t bucket_params;
    bool overlap_grad_reduce, overlap_param_gather;
    bool check_memory;
    bool frozen; /**< weights stay as they are; adapters beside them are left out */
    double expert_skew, capacity_factor;
    uint64_t shard_ranks, seed;
    const char *sequences;       /**< tokens of a sequence by iteration; "" or NULL: all equal */
    const char *densities;       /**< share of the parameters by iteration; "" or NULL: all */
    double pruning;              /**< share that gradual pruning takes away in the end; 0: none */
    uint64_t pruning_iterations; /**< after which it has; 0: the last */
    uint64_t servers;            /**< parameter-server: how many; 0: one */
    bool asynchronous;           /**< parameter-server: a worker waits for its own update alone */
    int gossip;                  /**< enum weft_gossip */
};
extern const struct weft_param_table weft_training_param_table;
/** What stage_layers, sequences and densities are. */
extern const struct weft_list_form weft_stage_layers_form, weft_sequences_form, weft_densities_form;

/** Communicators that a rank can be a member of. */
enum weft_comm {
    WEFT_COMM_TP,    /**< tensor parallelism */
    WEFT_COMM_CP,    /**< context parallelism */
    WEFT_COMM_DP,    /**< data parallelism of dense parameters, over dp and cp */
    WEFT_COMM_EP,    /**< expert parallelism */
    WEFT_COMM_ETP,   /**< tensor parallelism within experts */
    WEFT_COMM_EDP,   /**< data parallelism of experts */
    WEFT_COMM_SHARD, /**< zero-3 within a part of the data-parallel ranks: those that share out the
                        weights */
    WEFT_COMM_REPLICA,   /**< and those that have the same shard */
    WEFT_COMM_EMBEDDING, /**< first and last stage, which share the embedding */
    WEFT_COMM_WORLD,     /**< all ranks */
    WEFT_COMMS
};
/** "tp", "cp", "dp", "ep", "etp", "edp", "shard", "replica", "embedding", "world". */
const char *weft_comm_name(enum weft_comm c);

/** Seconds of one part: forward, gradients of its inputs, gradients of its weights. */
struct weft_part_cost {
    double forward_s, inputs_s, weights_s;
};

/** Seconds of the parts of one rank's work on one microbatch. */
struct weft_block_cost {
    struct weft_part_cost projections_in; /**< norm and query, key, value projections */
    struct weft_part_cost scores;         /**< attention itself, over the whole sequence */
    struct weft_part_cost projection_out; /**< output projection, residual */
    struct weft_part_cost router;         /**< MoE: norm, router, permutation; else 0 */
    struct weft_part_cost ffn;            /**< dense: norm, feed-forward part, residual; MoE: 0, see
                                             weft_training_experts_cost */
    struct weft_part_cost shared;         /**< MoE: shared experts; else 0 */
};

/** A checked and completed plan. */
struct weft_training_plan {
    struct weft_training_params p;
    struct weft_model model;
    struct weft_layered
        layered;           /**< its layers where it is a table of them; n = 0: a transformer */
    struct weft_dlrm dlrm; /**< its embedding tables; ntables = 0: it has none */
    uint64_t table_params; /**< of them, on the rank that has most */
    double density;        /**< share of the parameters that is there */
    uint64_t pooled_bytes; /**< bytes of an element of what is looked up, and of its gradient */
    struct weft_gpu gpu;
    struct weft_measured measured;  /**< efficiencies in place of the GPU's */
    struct weft_kernel_times times; /**< measured kernels; none with compute=efficiency */
    bool given[WEFT_KERNEL_KINDS];  /**< the scenario gives an efficiency for kernels of the kind */
    bool given_experts;             /**< and for products of experts */
    struct {
        struct weft_block_cost block[2]; /**< a dense block, one with experts */
        struct weft_part_cost head;
    } costs;        /**< of a microbatch on a rank */
    uint64_t world; /**< ranks that train */
    enum weft_exchange exchange;
    uint64_t servers;        /**< ranks behind the world: they train nothing */
    uint64_t tp, cp, dp, pp; /**< degrees of tensor, context, data, pipeline parallelism */
    uint64_t ep, etp,
        edp;      /**< degrees of expert parallelism, tensor and data parallelism of experts */
    uint64_t vpp; /**< chunks of layers that each stage holds (virtual stages; 2 with dualpipe) */
    uint64_t copies;       /**< stages that hold the same chunk: 2 with dualpipe, else 1 */
    uint64_t microbatches; /**< microbatches of one pipeline and iteration */
    uint64_t positions;    /**< that a plain model has learned: of its longest sequence */
    uint64_t tokens;       /**< of a microbatch on a rank: sequence / cp x sequences */
    uint64_t chunk_layers; /**< layers of one chunk, of the longest where they differ */
    bool divided;          /**< chunks differ in their layers: see starts */
    uint32_t starts[WEFT_TRAINING_CHUNKS_MAX +
                    1]; /**< first layer of each chunk of the model, and their number */
    uint64_t shard; /**< zero-3: data-parallel ranks that share out one copy of the weights; else
                       all of them, cp dp copies */
    bool sp;        /**< sequence parallelism */
    uint64_t grad_bytes;       /**< bytes of a gradient element on the wire */
    uint64_t activation_bytes; /**< S: activations of one tensor-parallel group, bf16 */
};

/** Where a rank stands. */
struct weft_rank_place {
    uint64_t tp, cp, dp, pp;
};

/** How the embedding tables are divided. */
struct weft_dlrm_cut weft_training_cut(const struct weft_training_plan *plan);
/** Checks @p p for a job of p->ranks ranks and completes it. Every refusal names the parameters,
 * their values and what would do. */
int weft_training_plan_make(const struct weft_training_params *p, struct weft_training_plan *out,
                            struct weft_err *err);
/** Servers of a job with these settings. */
uint64_t weft_training_servers(const struct weft_training_params *p);
/** Ranks of the job: those that train, and servers behind them. */
uint64_t weft_training_ranks(const struct weft_training_plan *plan);
struct weft_rank_place weft_training_place(const struct weft_training_plan *plan, uint64_t rank);
uint64_t weft_training_rank(const struct weft_training_plan *plan, struct weft_rank_place at);
/** Members of a communicator. */
uint64_t weft_comm_size(const struct weft_training_plan *plan, enum weft_comm c);
/** How many communicators of a kind the job has. */
uint64_t weft_comm_count(const struct weft_training_plan *plan, enum weft_comm c);
/** Which of them @p rank is in; for EMBEDDING only ranks of the first and last stage may ask. */
uint64_t weft_comm_index(const struct weft_training_plan *plan, enum weft_comm c, uint64_t rank);
/** Member @p i of communicator @p index, in communicator order. */
uint64_t weft_comm_member(const struct weft_training_plan *plan, enum weft_comm c, uint64_t index,
                          uint64_t i);
/** Which chunk of the model chunk @p chunk of stage @p stage is, from 0. */
uint64_t weft_training_chunk(const struct weft_training_plan *plan, uint64_t stage, uint64_t chunk);
/** The stage and its chunk that data goes to from chunk @p chunk of @p stage, along the model (@p
 * step 1) or against it (-1). */
uint64_t weft_training_neighbour(const struct weft_training_plan *plan, uint64_t stage,
                                 uint64_t *chunk, int step);
/** Whether a chunk is the model's first, with the embedding, or its last, with the head. */
bool weft_training_is_first(const struct weft_training_plan *plan, uint64_t stage, uint64_t chunk);
bool weft_training_is_last(const struct weft_training_plan *plan, uint64_t stage, uint64_t chunk);
/** Whether a stage has the embedding, the head. */
bool weft_training_has_embedding(const struct weft_training_plan *plan, uint64_t stage);
bool weft_training_has_head(const struct weft_training_plan *plan, uint64_t stage);
/** First layer of chunk @p chunk of stage @p stage. */
uint64_t weft_training_first_layer(const struct weft_training_plan *plan, uint64_t stage,
                                   uint64_t chunk);
/** Layers of chunk @p chunk of stage @p stage. */
uint64_t weft_training_layers(const struct weft_training_plan *plan, uint64_t stage,
                              uint64_t chunk);
/** Bytes that a microbatch sends from chunk @p chunk of the model to the next. */
uint64_t weft_training_message(const struct weft_training_plan *plan, uint64_t chunk);
/** Parameters of a layer on one rank. */
struct weft_block_params weft_training_layer_params(const struct weft_training_plan *plan,
                                                    uint64_t layer);
/** Parameters of a stage on one rank: dense ones (embedding, head and norms included), of these
 * replicated over tp, and experts. */
struct weft_block_params weft_training_stage_params(const struct weft_training_plan *plan,
                                                    uint64_t stage);

WEFT_C_END
#endif
