/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads pfc.csv: PFC pauses as stretches of time, each with the pause that it follows from. */
#include "plot/pause_list.h"

#include "plot/plot.h"

#include "base/grow.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int node_of(struct weft_pause_list *p, const char *name, uint32_t *out, struct weft_err *err)
{
    const uint64_t hash = weft_hash64(name, strlen(name)) >> 1; /* the map takes no UINT64_MAX */
    void *known;
    if (weft_u64map_get(&p->by_name, hash, &known)) {
        *out = (uint32_t)(uintptr_t)known;
        return 0;
    }
    *out = (uint32_t)p->nnodes;
    if (weft_u64map_put(&p->by_name, hash, (void *)(uintptr_t)*out) ||
        !WEFT_GROW(p->node, p->nnodes, &p->cap_nodes))
        return weft_err_no_memory(err, "pauses");
    p->node[p->nnodes] = (struct weft_pause_node){.name = weft_arena_strdup(p->arena, name),
                                                  .first_stopped = SIZE_MAX,
                                                  .first_asked = SIZE_MAX,
                                                  .open = SIZE_MAX,
                                                  .parent = UINT32_MAX,
                                                  .host = name[0] == 'h'};
    return p->node[p->nnodes++].name ? 0 : weft_err_no_memory(err, "pauses");
}

/* The latest pause of a node that has not ended, of a priority and a port (NULL: any): where its
 * place in the list is kept; that of none is SIZE_MAX. */
static size_t *open_pause(const struct weft_pause_list *p, uint32_t node, uint32_t prio,
                          const uint32_t *port)
{
    size_t *at = &p->node[node].open;
    while (*at != SIZE_MAX && (p->list[*at].prio != prio || (port && p->list[*at].port != *port)))
        at = &p->list[*at].older;
    return at;
}

static int pause_list_begin(struct weft_pause_list *p, struct weft_pause x, struct weft_err *err)
{
    const size_t cause = *open_pause(p, x.peer, x.prio, NULL);
    x.hop = cause != SIZE_MAX ? p->list[cause].hop + 1 : 1;
    x.to_ns = INFINITY;
    x.older = p->node[x.node].open;
    if (!WEFT_GROW(p->list, p->n, &p->cap))
        return weft_err_no_memory(err, "pauses");
    if (p->node[x.node].first_stopped == SIZE_MAX)
        p->node[x.node].first_stopped = p->n;
    if (p->node[x.peer].first_asked == SIZE_MAX)
        p->node[x.peer].first_asked = p->n;
    p->node[x.node].open = p->n;
    p->list[p->n++] = x;
    return 0;
}

static int pause_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct weft_pause_list *p = ctx;
    struct weft_pause x = {0};
    double port, prio;
    if (weft_row_number(row, 0, &x.from_ns, err) || weft_row_number(row, 1, &port, err) ||
        weft_row_number(row, 4, &prio, err) || node_of(p, weft_row_text(row, 2), &x.node, err) ||
        node_of(p, weft_row_text(row, 3), &x.peer, err))
        return err->code;
    x.port = (uint32_t)port;
    x.prio = (uint32_t)prio;
    p->end_ns = fmax(p->end_ns, x.from_ns);
    size_t *open = open_pause(p, x.node, x.prio, &x.port);
    if (strcmp(weft_row_text(row, 5), "pause") == 0)
        return *open != SIZE_MAX ? 0 : pause_list_begin(p, x, err);
    if (*open != SIZE_MAX) {
        struct weft_pause *ended = &p->list[*open];
        ended->to_ns = x.from_ns;
        *open = ended->older;
    }
    return 0;
}

/* Ends what has no end, and finds out whom each node obeyed first. */
static void pause_list_conclude(struct weft_pause_list *p)
{
    for (size_t i = 0; i < p->n; i++) {
        p->list[i].to_ns = fmin(p->list[i].to_ns, p->end_ns);
        p->node[p->list[i].node].stopped_ns += p->list[i].to_ns - p->list[i].from_ns;
    }
    for (size_t k = 0; k < p->nnodes; k++) {
        struct weft_pause_node *x = &p->node[k];
        if (x->first_stopped != SIZE_MAX && x->first_stopped < x->first_asked)
            x->parent = p->list[x->first_stopped].peer;
    }
}

/* Reads pfc.csv. Free also after a failure. 0; 1: there were no pauses. */
static int pause_list_read(const struct weft_runs *runs, const struct weft_run *run,
                           struct weft_pause_list *out, struct weft_err *err)
{
    static const char *const columns[] = {"t_ns", "port",  "from|node", "to|peer",
                                          "prio", "event", NULL};
    *out = (struct weft_pause_list){.arena = weft_arena_new()};
    if (!out->arena)
        return weft_err_no_memory(err, "pauses");
    const int rc = weft_run_rows(run, "pfc.csv", columns, pause_row, out, err);
    const double end = weft_run_figure(run, "elapsed_ns");
    out->end_ns = fmin(end > out->end_ns ? end : out->end_ns, runs->to_ns);
    if (!rc)
        pause_list_conclude(out);
    return rc ? rc : out->n == 0;
}

static void pause_list_free(struct weft_pause_list *p)
{
    free(p->list);
    free(p->node);
    weft_u64map_release(&p->by_name);
    weft_arena_free(p->arena);
    *p = (struct weft_pause_list){0};
}

int weft_pause_list_draw(const struct weft_runs *runs, struct weft_figure *f,
                         int (*draw)(const struct weft_pause_list *p, struct weft_figure *f,
                                     const char *title, struct weft_err *err),
                         struct weft_err *err)
{
    const size_t n = weft_plot_runs(runs, f);
    for (size_t i = 0; i < n; i++) {
        struct weft_pause_list p;
        int rc = pause_list_read(runs, &runs->run[i], &p, err);
        if (!rc)
            rc = draw(&p, f, runs->n > 1 ? runs->run[i].label : "", err);
        pause_list_free(&p);
        if (rc < 0)
            return rc;
    }
    f->caption = weft_figure_printf(f, "%s%s%s", f->caption,
                                    n > 1 ? " Runs without pauses have no panel." : "",
                                    weft_plot_left_out(runs, f));
    return f->panels ? 0
                     : weft_plot_nothing(err, "no PFC pauses (pfc.csv) in %s", runs->run[0].dir);
}
