/* SPDX-License-Identifier: GPL-2.0-only */
/* Who sends how much to whom in a skewed all-to-all: see generate_matrix.h. */
#include "workload/generate_matrix.h"

#include "base/file.h"
#include "base/rng.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest file of a matrix. */
#define FILE_MAX ((size_t)512 << 20)

/* Shares of receivers by Zipf's law; which rank is popular is drawn. Returns their sum. */
static double zipf_shares(const struct weft_generate_params *p, double *share)
{
    struct weft_rng r = weft_rng_stream(p->seed, "all-to-all", 0);
    double sum = 0;
    for (uint64_t i = 0; i < p->ranks; i++) {
        share[i] = pow((double)(i + 1), -p->skew);
        sum += share[i];
    }
    for (uint64_t i = p->ranks; i > 1; i--) {
        const uint64_t k = weft_rng_below(&r, i);
        const double other = share[k];
        share[k] = share[i - 1];
        share[i - 1] = other;
    }
    return sum;
}

/* Every sender has the same shares; what rounding leaves goes to the first ranks. */
static int by_zipf(const struct weft_generate_params *p, struct weft_generate_matrix *m,
                   struct weft_err *err)
{
    double *share = (double *)calloc(m->n, sizeof *share);
    uint64_t given = 0;
    if (!share)
        return weft_err_no_memory(err, "an all-to-all");
    const double sum = zipf_shares(p, share);
    for (uint64_t i = 0; i < m->n; i++) {
        m->bytes[i] = (uint64_t)((double)p->size_bytes * share[i] / sum);
        given += m->bytes[i];
    }
    for (uint64_t i = 0; given < p->size_bytes; i = (i + 1) % m->n, given++)
        m->bytes[i]++;
    for (uint64_t row = 1; row < m->n; row++)
        memcpy(m->bytes + row * m->n, m->bytes, m->n * sizeof *m->bytes);
    free(share);
    return 0;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r");
}

/* One line of numbers with commas between. */
static int read_row(const struct weft_generate_params *p, const char *line, uint64_t row,
                    struct weft_generate_matrix *m, struct weft_err *err)
{
    const char *at = skip_blanks(line);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < m->n; i++) {
        const size_t len = strspn(at, "0123456789");
        char text[24];
        uint64_t v;
        const int64_t col = at - line + 1;
        if (!len || len >= sizeof text)
            return weft_err_at(err, WEFT_E_INPUT, p->matrix, (int64_t)row + 1, col,
                               "row %" PRIu64 " needs %" PRIu64 " whole numbers, one for each rank",
                               row + 1, m->n);
        memcpy(text, at, len);
        text[len] = '\0';
        if (weft_parse_u64(text, &v, err) || v > (INT64_MAX - sum) / p->matrix_unit_bytes)
            return weft_err_at(err, WEFT_E_INPUT, p->matrix, (int64_t)row + 1, col,
                               "a rank sends more than 2^63 - 1 bytes");
        m->bytes[row * m->n + i] = v * p->matrix_unit_bytes;
        sum += v * p->matrix_unit_bytes;
        at = skip_blanks(at + len);
        at = *at == ',' && i + 1 < m->n ? skip_blanks(at + 1) : at;
    }
    return *at ? weft_err_at(err, WEFT_E_INPUT, p->matrix, (int64_t)row + 1, at - line + 1,
                             "row %" PRIu64 " has more than %" PRIu64 " numbers, one for each rank",
                             row + 1, m->n)
               : 0;
}

static int by_file(const struct weft_generate_params *p, struct weft_generate_matrix *m,
                   struct weft_err *err)
{
    char *text = NULL;
    size_t size;
    uint64_t row = 0;
    int code = weft_file_read(p->matrix, FILE_MAX, &text, &size, err);
    for (char *line = text; !code && line && *line;) {
        const size_t len = strcspn(line, "\n");
        char *rest = line + len + (line[len] == '\n');
        line[len] = '\0';
        if (*skip_blanks(line))
            code = row < m->n ? read_row(p, line, row, m, err)
                              : weft_err_at(err, WEFT_E_INPUT, p->matrix, (int64_t)row + 1, 0,
                                            "more than %" PRIu64 " rows, one for each rank", m->n);
        row += !code;
        line = rest;
    }
    free(text);
    if (!code && row < m->n)
        return weft_err_at(err, WEFT_E_INPUT, p->matrix, (int64_t)row, 0,
                           "%" PRIu64 " rows, but the workload has %" PRIu64 " ranks", row, m->n);
    return code;
}

int weft_generate_matrix_make(const struct weft_generate_params *p,
                              struct weft_generate_matrix *out, struct weft_err *err)
{
    *out = (struct weft_generate_matrix){.n = p->ranks};
    if (!(p->skew > 0) && !*p->matrix && !p->shift)
        return 0;
    if (p->pattern != WEFT_GENERATE_MICROBENCHMARK || p->kind != WEFT_COLL_ALL_TO_ALL)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "workload 'generate': skew, shift and matrix-file are of kind=all-to-all");
    if (out->n > WEFT_GENERATE_MATRIX_RANKS)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "workload 'generate': a skewed all-to-all has at most %d ranks, not "
                            "%" PRIu64,
                            WEFT_GENERATE_MATRIX_RANKS, out->n);
    out->bytes = (uint64_t *)calloc(out->n * out->n, sizeof *out->bytes);
    if (!out->bytes)
        return weft_err_no_memory(err, "an all-to-all");
    for (uint64_t i = 0; p->shift && i < out->n; i++)
        out->bytes[i * out->n + (i + p->shift) % out->n] = p->size_bytes;
    if (p->shift)
        return 0;
    return *p->matrix ? by_file(p, out, err) : by_zipf(p, out, err);
}

void weft_generate_matrix_free(struct weft_generate_matrix *m)
{
    free(m->bytes);
    *m = (struct weft_generate_matrix){0};
}

void weft_generate_matrix_sizes(const struct weft_generate_matrix *m, uint64_t rank,
                                struct weft_et_build *b)
{
    uint64_t *recv = (uint64_t *)calloc(m->n, sizeof *recv);
    b->out_of_memory = b->out_of_memory || !recv;
    for (uint64_t i = 0; recv && i < m->n; i++)
        recv[i] = m->bytes[i * m->n + rank];
    weft_et_build_sizes(b, "comm_send_sizes", m->bytes + rank * m->n, m->n);
    if (recv)
        weft_et_build_sizes(b, "comm_recv_sizes", recv, m->n);
    free(recv);
}

uint64_t weft_generate_matrix_sum(const struct weft_generate_matrix *m, uint64_t rank)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < m->n; i++)
        sum += m->bytes[rank * m->n + i];
    return sum;
}
