/* SPDX-License-Identifier: GPL-2.0-only */
/* The recorder: when samples are due, and their files. */
#include "series/series_internal.h"

#include "base/file.h"
#include "base/units.h"

#include <stdlib.h>

struct weft_series {
    const struct weft_series_choice *choice;
    struct weft_net *net;
    struct weft_observables *observables;
    struct weft_port_series *ports; /* at intervals */
    struct weft_qp_series *qps;
    struct weft_port_changes *port_changes; /* on change */
    struct weft_qp_changes *qp_changes;
    struct weft_series_sample sample;
    int64_t next_ps;
};

static int open_files(struct weft_series *s, const char *dir, struct weft_err *err)
{
    char folder[WEFT_PATH_MAX], path[WEFT_PATH_MAX];
    if (weft_path_join(folder, dir, WEFT_SERIES_DIR, err) || weft_mkdir_p(folder, err))
        return err->code;
    for (int i = 0; i < WEFT_SERIES_FILES; i++) {
        const struct weft_csv_file *f = weft_series_files[i];
        if (!(s->choice->files >> i & 1))
            continue;
        if (weft_path_join(path, folder, f->name, err))
            return err->code;
        s->sample.csv[i] = i == WEFT_SERIES_CONTROL
                               ? weft_observables_open(s->observables, path, err)
                               : weft_columns_open(f, path, err);
        if (!s->sample.csv[i])
            return err->code;
        if (s->choice->pack_above_bytes != UINT64_MAX)
            weft_csv_pack_above(s->sample.csv[i], &weft_series_packer, s->choice->pack_above_bytes);
    }
    return 0;
}

static int make_parts(struct weft_series *s, struct weft_err *err)
{
    const struct weft_series_choice *c = s->choice;
    s->observables = weft_observables_new(c, err);
    if (!s->observables)
        return err->code;
    if (c->on_change) {
        s->port_changes = weft_port_changes_new(c, &s->sample, err);
        s->qp_changes =
            s->port_changes ? weft_qp_changes_new(c, s->observables, &s->sample, err) : NULL;
        return s->qp_changes ? 0 : err->code;
    }
    s->ports = weft_port_series_new(c, err);
    s->qps = s->ports ? weft_qp_series_new(c, s->observables, err) : NULL;
    return s->qps ? 0 : err->code;
}

static int ask_for_changes(struct weft_series *s, struct weft_err *err)
{
    struct weft_net_changes changes = {0};
    weft_port_changes_ask(s->port_changes, &changes);
    weft_qp_changes_ask(s->qp_changes, &changes);
    return s->net->ops->state->note_changes(s->net, &changes, err);
}

struct weft_series *weft_series_new(const struct weft_series_choice *c, struct weft_net *net,
                                    const char *dir, struct weft_err *err)
{
    struct weft_series *s = weft_err_calloc(1, sizeof *s, "series", err);
    if (!s)
        return NULL;
    s->choice = c;
    s->net = net;
    s->next_ps = c->on_change ? WEFT_NEVER : c->interval_ps;
    int code = make_parts(s, err);
    if (!code && c->nrules)
        code = net->ops->state->note_rtts(net, err);
    if (!code)
        code = weft_histograms_begin(c, net, err);
    if (!code)
        code = open_files(s, dir, err);
    if (!code && c->on_change)
        code = ask_for_changes(s, err);
    if (!code)
        return s;
    weft_series_free(s);
    return NULL;
}

void weft_series_free(struct weft_series *s)
{
    if (!s)
        return;
    for (int i = 0; i < WEFT_SERIES_FILES; i++)
        weft_csv_close(s->sample.csv[i], NULL);
    weft_port_series_free(s->ports);
    weft_qp_series_free(s->qps);
    weft_port_changes_free(s->port_changes);
    weft_qp_changes_free(s->qp_changes);
    weft_observables_free(s->observables);
    free(s);
}

int64_t weft_series_next_ps(const struct weft_series *s)
{
    return s->next_ps;
}

static int series_take(struct weft_series *s, struct weft_err *err)
{
    s->sample.rows = 0;
    weft_port_series_take(s->ports, s->net, &s->sample);
    weft_qp_series_take(s->qps, s->net, &s->sample);
    if (s->sample.err.code)
        *err = s->sample.err;
    return s->sample.err.code;
}

/* The sample before the next one: this one, or where nothing is going on the last before something
 * happens at @p event_ps. */
static int64_t before_next(const struct weft_series *s, int64_t event_ps)
{
    const int64_t step = s->choice->interval_ps, at = s->sample.t_ps;
    return s->sample.rows || event_ps <= at ? at : at + (event_ps - at - 1) / step * step;
}

int weft_series_take(struct weft_series *s, struct weft_err *err)
{
    const int64_t step = s->choice->interval_ps;
    const struct weft_net_state_ops *state = s->net->ops->state;
    s->sample.t_ps = s->next_ps;
    s->next_ps = WEFT_NEVER;
    if (state->next_ps(s->net) == WEFT_NEVER) /* the end is the last sample */
        return 0;
    if (series_take(s, err))
        return err->code;
    /* after the look, which has traffic that is ahead of the clock (run.replay) come back */
    s->sample.before_ps = before_next(s, state->next_ps(s->net));
    if (s->sample.before_ps < WEFT_NEVER - step)
        s->next_ps = s->sample.before_ps + step;
    return 0;
}

int weft_series_finish(struct weft_series *s, int64_t end_ps, struct weft_err *err)
{
    int code = 0;
    s->next_ps = WEFT_NEVER;
    s->sample.last = true;
    s->sample.t_ps = end_ps;
    if (s->choice->on_change) {
        weft_port_changes_finish(s->port_changes, end_ps);
        weft_qp_changes_finish(s->qp_changes, s->net, end_ps);
    } else if (end_ps > s->sample.before_ps) {
        code = series_take(s, err);
    }
    s->sample.t_ps = end_ps;
    weft_histograms_write(s->choice, s->net, &s->sample);
    if (!code && s->sample.err.code) {
        *err = s->sample.err;
        code = err->code;
    }
    for (int i = 0; i < WEFT_SERIES_FILES; i++) {
        const int closed = weft_csv_close(s->sample.csv[i], code ? NULL : err);
        s->sample.csv[i] = NULL;
        code = code ? code : closed;
    }
    return code;
}

int weft_series_flush(struct weft_series *s, struct weft_err *err)
{
    for (int i = 0; i < WEFT_SERIES_FILES && !s->sample.err.code; i++)
        if (s->sample.csv[i])
            weft_csv_flush(s->sample.csv[i], &s->sample.err);
    if (s->sample.err.code)
        *err = s->sample.err;
    return s->sample.err.code;
}
