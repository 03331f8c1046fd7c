/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where ranks stand, and who is in which communicator.
 *
 * Each kind of communicator varies some digits of the rank, written in mixed radix, and is numbered
 * by the others.
 */
#include "workload/training/plan.h"

const char *weft_comm_name(enum weft_comm c)
{
    static const char *const names[WEFT_COMMS] = {"tp",  "cp",    "dp",      "ep",        "etp",
                                                  "edp", "shard", "replica", "embedding", "world"};
    return (unsigned)c < WEFT_COMMS ? names[c] : "?";
}

/* Members are base + i * stride; communicators follow each other within a block of `stride` and
 * between blocks. */
struct strides {
    uint64_t stride, size;
};

static struct strides strides_of(const struct weft_training_plan *q, enum weft_comm c)
{
    switch (c) {
    case WEFT_COMM_TP:
        return (struct strides){1, q->tp};
    case WEFT_COMM_CP:
        return (struct strides){q->tp, q->cp};
    case WEFT_COMM_DP:
        return (struct strides){q->tp, q->cp * q->dp};
    case WEFT_COMM_ETP:
        return (struct strides){1, q->etp};
    case WEFT_COMM_EP:
        return (struct strides){q->etp, q->ep};
    case WEFT_COMM_EDP:
        return (struct strides){q->etp * q->ep, q->edp};
    case WEFT_COMM_SHARD:
        return (struct strides){q->tp, q->shard < q->cp * q->dp ? q->shard : 1};
    case WEFT_COMM_REPLICA:
        return (struct strides){q->tp * q->shard,
                                q->shard < q->cp * q->dp ? q->cp * q->dp / q->shard : 1};
    case WEFT_COMM_EMBEDDING:
        return (struct strides){q->world / q->pp * (q->pp - 1), q->pp > 1 ? 2 : 1};
    default:
        return (struct strides){1, q->world};
    }
}

uint64_t weft_training_ranks(const struct weft_training_plan *q)
{
    return q->world + q->servers;
}

struct weft_rank_place weft_training_place(const struct weft_training_plan *q, uint64_t rank)
{
    return (struct weft_rank_place){.tp = rank % q->tp,
                                    .cp = rank / q->tp % q->cp,
                                    .dp = rank / (q->tp * q->cp) % q->dp,
                                    .pp = rank / (q->tp * q->cp * q->dp)};
}

uint64_t weft_training_rank(const struct weft_training_plan *q, struct weft_rank_place at)
{
    return at.tp + q->tp * (at.cp + q->cp * (at.dp + q->dp * at.pp));
}

/* Communicators that join the data-parallel ranks of both stages that have the same chunks
 * (dualpipe). */
static bool joins_copies(const struct weft_training_plan *q, enum weft_comm c)
{
    return q->copies > 1 && (c == WEFT_COMM_DP || c == WEFT_COMM_EDP);
}

uint64_t weft_comm_size(const struct weft_training_plan *q, enum weft_comm c)
{
    return strides_of(q, c).size * (joins_copies(q, c) ? q->copies : 1);
}

uint64_t weft_comm_count(const struct weft_training_plan *q, enum weft_comm c)
{
    return c == WEFT_COMM_EMBEDDING ? q->world / q->pp : q->world / weft_comm_size(q, c);
}

/* Of the members base + i stride, the communicator within a block of ranks. */
static uint64_t index_of(struct strides s, uint64_t rank)
{
    return rank % s.stride + rank / (s.stride * s.size) * s.stride;
}

static uint64_t member_of(struct strides s, uint64_t index, uint64_t i)
{
    return index % s.stride + index / s.stride * s.stride * s.size + i * s.stride;
}

uint64_t weft_comm_index(const struct weft_training_plan *q, enum weft_comm c, uint64_t rank)
{
    const struct strides s = strides_of(q, c);
    if (c == WEFT_COMM_EMBEDDING)
        return rank % (q->world / q->pp);
    if (joins_copies(q, c)) {
        const uint64_t ranks = q->world / q->pp, stage = rank / ranks, other = q->pp - 1 - stage;
        return (stage < other ? stage : other) * (ranks / s.size) + index_of(s, rank % ranks);
    }
    return index_of(s, rank);
}

uint64_t weft_comm_member(const struct weft_training_plan *q, enum weft_comm c, uint64_t index,
                          uint64_t i)
{
    const struct strides s = strides_of(q, c);
    if (c == WEFT_COMM_EMBEDDING)
        return index + i * s.stride;
    if (joins_copies(q, c)) {
        const uint64_t ranks = q->world / q->pp, each = ranks / s.size, stage = index / each;
        return (i < s.size ? stage : q->pp - 1 - stage) * ranks +
               member_of(s, index % each, i % s.size);
    }
    return member_of(s, index, i);
}
