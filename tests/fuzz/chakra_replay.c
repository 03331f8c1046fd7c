/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plays generated inputs through the fuzz target, the same ones in every run: no corpus, no
 * libFuzzer. Seeds are traces made by weft's writer; mutations flip bits, overwrite, insert,
 * delete, truncate and splice, either anywhere or in one message whose length is then made right.
 *
 * Usage: chakra_replay [CASES [SEED]], or chakra_replay FILE to play one input.
 */
#include "chakra_fuzz.h"

#include "base/rng.h"
#include "workload/chakra_write.h"
#include "workload/et_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SEEDS = 4, INPUT_MAX = 4096, MUTATIONS_MAX = 4 };

struct input {
    uint8_t data[INPUT_MAX];
    size_t size;
};

static int append(void *ctx, const void *data, size_t size, struct weft_err *err)
{
    struct input *in = ctx;
    if (in->size + size > INPUT_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "seed too large");
    memcpy(in->data + in->size, data, size);
    in->size += size;
    return 0;
}

/** Nodes of every type, with dependencies. */
static void seed_job(struct weft_et_build *b)
{
    weft_et_build_node(b, 0, WEFT_ET_METADATA_NODE, "## process_group:init ##", 0);
    b->node->inputs.present = true;
    b->node->inputs.values = "['[{\"pg_name\": \"1\", \"ranks\": [0, 2]}]']";
    weft_et_build_comp(b, 1, "forward", 12);
    weft_et_build_real(b, "num_ops", WEFT_ET_DOUBLE, 1e9);
    weft_et_build_coll(b, 2, "grad", 0, 4096, "1");
    weft_et_build_data_dep(b, 1);
    weft_et_build_ctrl_dep(b, 0);
    weft_et_build_message(b, 3, WEFT_ET_COMM_SEND_NODE, "send", 77, 2, 5);
    weft_et_build_data_dep(b, 2);
    weft_et_build_message(b, 4, WEFT_ET_COMM_RECV_NODE, "recv", 77, 2, 5);
    weft_et_build_data_dep(b, 1);
    weft_et_build_node(b, 5, WEFT_ET_MEM_LOAD_NODE, "load", 0);
    weft_et_build_int(b, "tensor_size", WEFT_ET_UINT64, 64);
    weft_et_build_data_dep(b, 4);
    weft_et_build_data_dep(b, 3);
}

/** One node with an attribute of every kind. */
static void seed_kinds(struct weft_et_build *b)
{
    static const union weft_et_scalar numbers[2] = {{.u64 = 1}, {.u64 = 2}};
    static const union weft_et_scalar texts[2] = {{.text = {"a", 1}}, {.text = {"bc", 2}}};
    weft_et_build_comp(b, 7, "kinds", 1);
    for (int kind = WEFT_ET_DOUBLE; kind <= WEFT_ET_KIND_MAX; kind++) {
        if (kind % 2) {
            weft_et_build_int(b, "k", (enum weft_et_kind)kind, 1);
            if (kind >= WEFT_ET_STRING)
                b->node->attrs[b->node->nattrs - 1].value = texts[1];
            continue;
        }
        weft_et_build_int(b, "l", (enum weft_et_kind)kind, 0);
        b->node->attrs[b->node->nattrs - 1].values = kind > WEFT_ET_STRING ? texts : numbers;
        b->node->attrs[b->node->nattrs - 1].nvalues = 2;
    }
}

static void compress_input(struct input *in)
{
    struct input plain = *in;
    z_stream z = {0};
    if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    z.next_in = plain.data;
    z.avail_in = (uInt)plain.size;
    z.next_out = in->data;
    z.avail_out = INPUT_MAX;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    in->size = z.total_out;
    deflateEnd(&z);
}

static void make_seed(int which, struct input *in)
{
    struct weft_err err = {0};
    struct weft_et_build b;
    struct weft_et *et = NULL;
    struct weft_arena *arena = weft_arena_new();
    if (!arena)
        abort();
    in->size = 0;
    weft_et_build_start(&b, arena);
    if (which != 1)
        seed_job(&b);
    if (which != 0)
        seed_kinds(&b);
    if (weft_et_build_finish(&b, &et, &err) < 0 || weft_chakra_encode(et, append, in, &err) < 0) {
        fprintf(stderr, "seed %d: %s\n", which, err.msg);
        abort();
    }
    weft_arena_free(arena);
    if (which == SEEDS - 1)
        compress_input(in);
}

static void erase(struct input *in, size_t at, size_t n)
{
    memmove(in->data + at, in->data + at + n, in->size - at - n);
    in->size -= n;
}

static void insert(struct input *in, size_t at, const uint8_t *bytes, size_t n)
{
    if (in->size + n > INPUT_MAX)
        return;
    memmove(in->data + at + n, in->data + at, in->size - at);
    memcpy(in->data + at, bytes, n);
    in->size += n;
}

static void mutate(struct input *in, const struct input *other, struct weft_rng *rng)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0x08, 0x0a, 0x12, 0x18, 0x52};
    uint8_t bytes[16];
    size_t at = in->size ? (size_t)weft_rng_below(rng, in->size) : 0;
    size_t n = 1 + (size_t)weft_rng_below(rng, sizeof bytes);
    /* Gentle mutations more often: the violent ones rarely get past the decoder. */
    static const uint8_t weights[] = {0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 6};
    switch (weights[weft_rng_below(rng, sizeof weights)]) {
    case 0:
        if (in->size > 0)
            in->data[at] ^= (uint8_t)(1u << weft_rng_below(rng, 8));
        break;
    case 1:
        if (in->size > 0)
            in->data[at] = edges[weft_rng_below(rng, sizeof edges)];
        break;
    case 2:
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)weft_rng_u64(rng);
        insert(in, at, bytes, n);
        break;
    case 3:
        erase(in, at, n < in->size - at ? n : in->size - at);
        break;
    case 4:
        in->size = at;
        break;
    case 5: /* a run of one edge byte: long varints */
        memset(bytes, edges[weft_rng_below(rng, sizeof edges)], sizeof bytes);
        insert(in, at, bytes, n);
        break;
    default: { /* the tail of another seed */
        size_t from = (size_t)weft_rng_below(rng, other->size);
        in->size = at;
        insert(in, at, other->data + from,
               other->size - from < INPUT_MAX - at ? other->size - from : INPUT_MAX - at);
    }
    }
}

/** Reads a length prefix of one or two bytes, which is all that seeds have. */
static size_t frame_at(const struct input *in, size_t at, size_t *body)
{
    size_t len = in->data[at] & 0x7f;
    *body = at + 1;
    if (in->data[at] & 0x80) {
        len |= (size_t)in->data[at + 1] << 7;
        *body = at + 2;
    }
    return len;
}

/** Mutates one message of a plain seed and frames it again, to get past the framing. */
static void mutate_message(struct input *in, const struct input *other, struct weft_rng *rng)
{
    static struct input message;
    size_t at = 0, body, len = frame_at(in, 0, &body);
    while (body + len < in->size && weft_rng_below(rng, 3) > 0) {
        at = body + len;
        len = frame_at(in, at, &body);
    }
    message.size = len;
    memcpy(message.data, in->data + body, len);
    mutate(&message, other, rng);
    if (message.size >= 1 << 14)
        return;
    uint8_t prefix[2] = {(uint8_t)(message.size & 0x7f), (uint8_t)(message.size >> 7)};
    size_t prefix_size = message.size > 0x7f ? 2 : 1;
    if (prefix_size == 2)
        prefix[0] |= 0x80;
    erase(in, at, body - at + len);
    insert(in, at, message.data, message.size);
    insert(in, at, prefix, prefix_size);
}

static int play_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    static uint8_t data[1 << 24];
    if (!f) {
        fprintf(stderr, "chakra_replay: cannot open %s\n", path);
        return 4;
    }
    size_t n = fread(data, 1, sizeof data, f);
    fclose(f);
    printf("depth %d\n", (int)weft_fuzz_chakra(data, n));
    return 0;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    uint64_t cases = argc > 1 ? strtoull(argv[1], &end, 10) : 100000;
    if (argc > 1 && *end != '\0')
        return play_file(argv[1]);
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    static struct input seeds[SEEDS];
    uint64_t depth[WEFT_FUZZ_DEPTHS] = {0};
    for (int s = 0; s < SEEDS; s++) {
        make_seed(s, &seeds[s]);
        if (weft_fuzz_chakra(seeds[s].data, seeds[s].size) != WEFT_FUZZ_CONVERTED) {
            fprintf(stderr, "seed %d is not a valid job\n", s);
            return 1;
        }
    }
    for (uint64_t i = 0; i < cases; i++) {
        static struct input in;
        struct weft_rng rng = weft_rng_stream(seed, "fuzz", i);
        uint64_t which = weft_rng_below(&rng, SEEDS);
        in = seeds[which];
        bool whole = which == SEEDS - 1 || weft_rng_below(&rng, 4) == 0;
        for (uint64_t m = 1 + weft_rng_below(&rng, MUTATIONS_MAX); m > 0; m--) {
            const struct input *other = &seeds[weft_rng_below(&rng, SEEDS)];
            if (whole)
                mutate(&in, other, &rng);
            else
                mutate_message(&in, other, &rng);
        }
        /* An exact copy, so that a sanitiser or valgrind sees a read past the end. */
        uint8_t *exact = malloc(in.size ? in.size : 1);
        if (!exact)
            abort();
        memcpy(exact, in.data, in.size);
        depth[weft_fuzz_chakra(exact, in.size)]++;
        free(exact);
    }
    printf("%llu cases: %llu refused, %llu read, %llu valid jobs\n", (unsigned long long)cases,
           (unsigned long long)depth[WEFT_FUZZ_REFUSED], (unsigned long long)depth[WEFT_FUZZ_READ],
           (unsigned long long)depth[WEFT_FUZZ_CONVERTED]);
    /* Mutations that never get anywhere test nothing. */
    return cases >= 1000 &&
           (!depth[WEFT_FUZZ_REFUSED] || !depth[WEFT_FUZZ_READ] || !depth[WEFT_FUZZ_CONVERTED]);
}
