/* SPDX-License-Identifier: GPL-2.0-only */
/* What changes from iteration to iteration: the length of sequences, the share of parameters that
 * is left. */
#include "workload/training/vary.h"

#include "base/list.h"
#include "workload/training/cost.h"

#include <inttypes.h>

static const struct weft_param length[] = {{.type = WEFT_PARAM_U64, .min = "1"}};
const struct weft_list_form weft_sequences_form = {
    .like = "TOKENS,..., such as 512,1024,2048", .fields = length, .nfields = 1};
static const struct weft_param share[] = {{.type = WEFT_PARAM_F64, .min = "0.0001", .max = "1"}};
const struct weft_list_form weft_densities_form = {
    .like = "SHARE,..., such as 1,0.5,0.25", .fields = share, .nfields = 1};

static bool vary_set(const char *text)
{
    return text && *text;
}

/* Item @p k of a list, the last for all beyond. False: it has none. */
static bool item(const struct weft_list_form *form, const char *text, uint64_t k,
                 struct weft_list_item *out)
{
    struct weft_list list = {.text = text ? text : "", .form = form};
    struct weft_list_item next;
    struct weft_err err = {0};
    uint64_t n = 0;
    while (n <= k && weft_list_next(&list, &next, &err) > 0) {
        *out = next;
        n++;
    }
    return n > 0;
}

bool weft_training_varies(const struct weft_training_plan *q)
{
    return vary_set(q->p.sequences) || vary_set(q->p.densities) || q->p.pruning > 0;
}

double weft_training_density(const struct weft_training_plan *q, uint64_t k)
{
    struct weft_list_item at;
    if (vary_set(q->p.densities))
        return item(&weft_densities_form, q->p.densities, k, &at) ? at.field[0].value.f64 : 1;
    const uint64_t n = q->p.pruning_iterations ? q->p.pruning_iterations : q->p.iterations - 1;
    const double left = k < n ? 1 - (double)k / (double)n : 0;
    return 1 - q->p.pruning * (1 - left * left * left);
}

void weft_training_plan_at(const struct weft_training_plan *q, uint64_t k,
                           struct weft_training_plan *out)
{
    struct weft_list_item at;
    *out = *q;
    out->density = weft_training_density(q, k);
    if (item(&weft_sequences_form, q->p.sequences, k, &at)) {
        out->model.sequence = at.field[0].value.u64;
        out->tokens = out->model.sequence / q->cp * q->p.microbatch;
        out->activation_bytes = out->tokens * q->model.hidden * 2;
    }
    weft_training_costs_make(out);
}

int weft_training_check_varying(const struct weft_training_plan *q, struct weft_err *err)
{
    struct weft_list list = {.text = q->p.sequences ? q->p.sequences : "",
                             .form = &weft_sequences_form};
    struct weft_list_item one;
    int rc;
    while ((rc = weft_list_next(&list, &one, err)) > 0) {
        const uint64_t n = one.field[0].value.u64, parts = 2 * q->cp * q->tp;
        if (n > q->model.sequence)
            return weft_err_set(err, WEFT_E_INPUT,
                                "workload 'training': sequences of %" PRIu64
                                " tokens exceed sequence, which is %" PRIu64,
                                n, q->model.sequence);
        if (q->cp * q->tp > 1 && n % parts)
            return weft_err_set(err, WEFT_E_INPUT,
                                "workload 'training': sequences of %" PRIu64
                                " tokens must be multiples of 2 x cp x tp, which is %" PRIu64,
                                n, parts);
    }
    return rc;
}
