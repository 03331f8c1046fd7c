/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep laid out: its axes, rows and points. */
#include "sweep/sweep.h"

#include <string.h>

/* A setting that is on two axes, or twice on one. */
static int check_twice(const struct weft_sweep *s, const struct weft_sweep_axis *a, size_t key,
                       struct weft_err *err)
{
    for (size_t i = 0; i <= s->naxes; i++)
        for (size_t k = 0; k < (i == s->naxes ? key : s->axis[i].nkeys); k++)
            if (strcmp(s->axis[i].key[k], a->key[key]) == 0)
                return weft_err_set(err, WEFT_E_USAGE, "--vary %s is given twice", a->key[key]);
    return 0;
}

static int add_axis(struct weft_sweep *s, const struct weft_cli *cli, const char *text,
                    struct weft_err *err)
{
    struct weft_sweep_axis *a = &s->axis[s->naxes];
    if (s->naxes == WEFT_SWEEP_KEYS)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d settings are varied", WEFT_SWEEP_KEYS);
    if (weft_sweep_read_axis(text, cli, s->arena, a, err))
        return err->code;
    for (size_t k = 0; k < a->nkeys; k++) {
        if (check_twice(s, a, k, err))
            return err->code;
        if (a->labelled && !a->label[k])
            continue;
        if (s->ncolumns == WEFT_SWEEP_KEYS)
            return weft_err_set(err, WEFT_E_LIMIT, "more than %d settings are varied",
                                WEFT_SWEEP_KEYS);
        s->column[s->ncolumns].axis = s->naxes;
        s->column[s->ncolumns].key = k;
        s->ncolumns++;
    }
    s->naxes++;
    s->nrows *= a->n;
    if (s->nrows > WEFT_SWEEP_POINTS)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d combinations", WEFT_SWEEP_POINTS);
    return 0;
}

static int choose_metrics(struct weft_sweep *s, const struct weft_sweep_texts *t,
                          struct weft_err *err)
{
    static const char *const usual[] = {"end-to-end", "dimension-utilisation"};
    const char *const *names = t->nmetrics ? t->metric : usual;
    s->nmetrics = t->nmetrics ? t->nmetrics : sizeof usual / sizeof usual[0];
    if (s->nmetrics > WEFT_SWEEP_METRICS)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d metrics", WEFT_SWEEP_METRICS);
    for (size_t m = 0; m < s->nmetrics; m++) {
        const char *own = weft_arena_strdup(s->arena, names[m]);
        if (!own)
            return weft_err_no_memory(err, "metrics");
        if (weft_metric_choose(own, &s->metric[m], err))
            return err->code;
    }
    return 0;
}

static int choose_seeds(struct weft_sweep *s, const char *text, struct weft_err *err)
{
    double ignored;
    if (weft_sweep_read_values(text, WEFT_PARAM_U64, s->arena, &s->seeds, err))
        return weft_err_prepend(err, "--seeds %s", text);
    if (s->seeds.n == 1 && weft_sweep_number(text, WEFT_PARAM_U64, &ignored) && ignored > 1)
        return weft_err_set(
            err, WEFT_E_USAGE,
            "--seeds %s: that is the seed %s alone; %s seeds are --seeds 1..%s, and "
            "the seed %s is --seed %s",
            text, text, text, text, text, text);
    for (size_t i = 0; i < s->seeds.n; i++) {
        if (!weft_sweep_number(s->seeds.list[i], WEFT_PARAM_U64, &ignored))
            return weft_err_set(err, WEFT_E_USAGE, "--seeds %s: '%s' is no whole number", text,
                                s->seeds.list[i]);
        for (size_t k = 0; k < i; k++)
            if (strcmp(s->seeds.list[i], s->seeds.list[k]) == 0)
                return weft_err_set(err, WEFT_E_USAGE, "--seeds %s: %s is given twice", text,
                                    s->seeds.list[i]);
    }
    return 0;
}

int weft_sweep_plan(struct weft_sweep *s, const struct weft_cli *cli,
                    const struct weft_sweep_texts *t, struct weft_err *err)
{
    *s = (struct weft_sweep){.nrows = 1, .outcome = WEFT_OUTCOME_RUNNING, .reason = ""};
    s->arena = weft_arena_new();
    if (!s->arena)
        return weft_err_no_memory(err, "a sweep");
    if (!t->nvary && !t->seeds)
        return weft_err_set(err, WEFT_E_USAGE,
                            "nothing to vary: --vary KEY=VALUE|VALUE, such as "
                            "--vary system.inter-dimension='baseline|themis'");
    for (size_t i = 0; i < t->nvary; i++)
        if (add_axis(s, cli, t->vary[i], err))
            return err->code;
    if (choose_metrics(s, t, err) || weft_sweep_read_references(s, err) ||
        (t->seeds && choose_seeds(s, t->seeds, err)))
        return err->code;
    s->no_speed_up = t->no_speed_up;
    s->npoints = s->nrows * weft_sweep_points_per_row(s);
    if (s->npoints > WEFT_SWEEP_POINTS)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d combinations", WEFT_SWEEP_POINTS);
    s->point = (struct weft_sweep_point *)weft_arena_calloc(s->arena, s->npoints, sizeof *s->point);
    return s->point ? 0 : weft_err_set(err, WEFT_E_LIMIT, "out of memory for %zu rows", s->npoints);
}

void weft_sweep_free(struct weft_sweep *s)
{
    weft_arena_free(s->arena);
    s->arena = NULL;
}
