/* SPDX-License-Identifier: GPL-2.0-only */
/* From the text of sample.what to ports, nodes and QPs of a fabric. */
#include "series/series_internal.h"

#include "base/grow.h"
#include "base/list.h"
#include "congestion/cc_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORTS "NODE[-NODE][.pN[-M]] (s*, s0-h3.p3)"
#define QPS "flow N[-M], qp N[-M], or HOST[-HOST][.pN[-M]] (h0-h5)"

static const struct weft_series_quantity quantities[] = {
    {"queue", "bytes that wait at egress ports", PORTS, WEFT_SERIES_QUEUE, true},
    {"queue-histogram", "how long queues of switches held how much, exactly, at no sampling", PORTS,
     WEFT_SERIES_HISTOGRAM, true},
    {"buffer", "shared buffers of switches, with headroom", "NODE (s*)", WEFT_SERIES_BUFFER, true},
    {"throughput", "what links carry", "NODE[-NODE] (h*)", WEFT_SERIES_THROUGHPUT, false},
    {"pause", "which priorities are paused", PORTS, WEFT_SERIES_PAUSE, true},
    {"qp", "queue pairs and connections: all of the following", QPS, WEFT_SERIES_QP, true},
    {"rate", "pacing rate", QPS, WEFT_SERIES_QP, true},
    {"window", "window", QPS, WEFT_SERIES_QP, true},
    {"cwnd", "the same", QPS, WEFT_SERIES_QP, true},
    {"in-flight", "payload sent and not acknowledged", QPS, WEFT_SERIES_QP, false},
    {"rtt", "round-trip times", QPS, WEFT_SERIES_QP, false},
    {"goodput", "payload acknowledged", QPS, WEFT_SERIES_QP, false},
    {"control", "all observables of the congestion control", QPS, WEFT_SERIES_CONTROL, true},
};
#define QUANTITIES (sizeof quantities / sizeof quantities[0])
/* Most names that an error looks for the nearest in. */
#define NAMES_MAX 64

const struct weft_series_quantity *weft_series_quantities(size_t *n)
{
    *n = QUANTITIES;
    return quantities;
}

/* ---- controls ---- */

static void add_control(struct weft_series_choice *c, const struct weft_cc_ops *ops)
{
    for (size_t i = 0; i < c->ncontrols; i++)
        if (c->controls[i] == ops)
            return;
    c->controls[c->ncontrols++] = ops;
}

/* The one that the first word of a text names, @p usual where there is none. */
static const struct weft_cc_ops *named(const char *text, const struct weft_cc_ops *usual,
                                       struct weft_err *err)
{
    char name[WEFT_DIM_CONTROL_MAX];
    snprintf(name, sizeof name, "%s", text);
    name[strcspn(name, " ")] = '\0';
    return *name ? weft_cc_find(name, err) : usual;
}

/* Those of the dimensions and of @p beside. */
static int find_controls(struct weft_series_choice *c, const struct weft_cc_ops *cc,
                         const char *beside, struct weft_err *err)
{
    const struct weft_fabric *f = c->fabric;
    c->controls =
        (const struct weft_cc_ops **)calloc((size_t)f->ndims + 2, sizeof(struct weft_cc_ops *));
    if (!c->controls)
        return weft_err_no_memory(err, "series");
    for (uint32_t d = 0; d < f->ndims + (beside != NULL); d++) {
        const struct weft_cc_ops *own =
            d < f->ndims ? named(f->dims[d].set.control, cc, err) : named(beside, cc, err);
        if (!own)
            return err->code;
        add_control(c, own);
    }
    return 0;
}

/* ---- quantities ---- */

static int choose_unknown(const struct weft_series_choice *c, const char *word,
                          struct weft_err *err)
{
    const char *names[NAMES_MAX];
    char all[512];
    size_t n = 0;
    for (size_t i = 0; i < QUANTITIES; i++)
        names[n++] = quantities[i].name;
    for (size_t k = 0; k < c->ncontrols; k++)
        for (const struct weft_cc_observable *o = c->controls[k]->observables;
             o && o->name && n < NAMES_MAX; o++)
            names[n++] = o->name;
    snprintf(all, sizeof all, "; there are: ");
    weft_names_joined(all + strlen(all), sizeof all - strlen(all), names, n);
    return weft_err_set(err, WEFT_E_INPUT, "sample.what: unknown quantity '%s'%s", word,
                        WEFT_MEANT(word, names, n, all));
}

/* Refuses what has no moments of change, where only those are recorded. */
static int check_moments(const struct weft_series_choice *c, const char *word, struct weft_err *err)
{
    char all[256] = "";
    bool refused = false;
    for (size_t i = 0, used = 0; i < QUANTITIES; i++) {
        refused |= strcmp(quantities[i].name, word) == 0 && !quantities[i].on_change;
        if (quantities[i].on_change && used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "",
                                     quantities[i].name);
    }
    return c->on_change && refused
               ? weft_err_set(err, WEFT_E_INPUT,
                              "sample.what: '%s' moves with each packet and has no moments of "
                              "change that sample.on=change could record; %s and observables "
                              "of the control have, and sample.on=interval takes all",
                              word, all)
               : 0;
}

/* The file of a quantity; -1: there is no such quantity. */
static int file_of(const struct weft_series_choice *c, const char *word)
{
    for (size_t i = 0; i < QUANTITIES; i++)
        if (strcmp(quantities[i].name, word) == 0)
            return quantities[i].file;
    for (size_t k = 0; k < c->ncontrols; k++)
        for (const struct weft_cc_observable *o = c->controls[k]->observables; o && o->name; o++)
            if (strcmp(o->name, word) == 0)
                return WEFT_SERIES_CONTROL;
    return -1;
}

/* ---- objects ---- */

/* An item of the list, taken apart. */
struct item {
    char text[WEFT_SELECTOR_MAX];     /* all of it, for messages */
    char selector[WEFT_SELECTOR_MAX]; /* "" when there is none */
    enum weft_series_file file;
};

static bool sends_from(const struct weft_fabric *f, uint32_t port, const char *node,
                       const char *peer)
{
    const struct weft_fabric_port *p = &f->ports[port];
    return weft_series_node_matches(f, p->node, node) &&
           weft_series_node_matches(f, f->ports[p->peer].node, peer);
}

static int add_ports(struct weft_series_choice *c, struct item *it, struct weft_err *err)
{
    const struct weft_fabric *f = c->fabric;
    char peer[WEFT_SELECTOR_MAX];
    uint8_t prios = WEFT_ALL_PRIOS;
    uint32_t found = 0;
    const bool given = it->selector[0];
    if (it->file != WEFT_SERIES_THROUGHPUT && weft_series_cut_prios(it->selector, &prios, err))
        return weft_err_prepend(err, "sample.what: '%s'", it->text);
    weft_series_cut_peer(it->selector, peer);
    for (uint32_t p = 0; p < f->nports; p++) {
        const bool of_switch = weft_fabric_forwards(f, f->ports[p].node);
        const bool default_one = it->file != WEFT_SERIES_QUEUE || of_switch;
        if (!of_switch &&
            (it->file == WEFT_SERIES_HISTOGRAM || (it->file == WEFT_SERIES_QUEUE && c->on_change)))
            continue; /* hosts queue in their queue pairs */
        if (given ? !sends_from(f, p, it->selector, peer) : !default_one)
            continue;
        found++;
        if (it->file == WEFT_SERIES_QUEUE)
            c->ports[p].queue |= prios;
        else if (it->file == WEFT_SERIES_HISTOGRAM)
            c->ports[p].histogram |= prios;
        else if (it->file == WEFT_SERIES_PAUSE)
            c->ports[p].pause |= prios;
        else
            c->ports[p].throughput = true;
    }
    return found || !given
               ? 0
               : weft_series_no_match(f, it->text,
                                      it->file == WEFT_SERIES_QUEUE && c->on_change
                                          ? "port of a switch, whose changes are recorded"
                                          : "port",
                                      err);
}

static int add_nodes(struct weft_series_choice *c, struct item *it, struct weft_err *err)
{
    const struct weft_fabric *f = c->fabric;
    uint32_t found = 0;
    for (uint32_t n = 0; n < f->nnodes; n++)
        if (weft_fabric_forwards(f, n) &&
            (!it->selector[0] || weft_series_node_matches(f, n, it->selector))) {
            c->nodes[n] = 1;
            found++;
        }
    return found || !it->selector[0]
               ? 0
               : weft_series_no_match(f, it->text, "node with a packet buffer", err);
}

/* "N" or "N-M". */
static int read_range(const struct item *it, const char *text, struct weft_qp_rule *r,
                      struct weft_err *err)
{
    struct weft_list list = {text, &weft_ranges_form, 0};
    struct weft_list_item range;
    if (weft_list_next(&list, &range, err) != 1)
        return err->code ? weft_err_prepend(err, "sample.what: '%s'", it->text)
                         : weft_err_set(err, WEFT_E_INPUT,
                                        "sample.what: '%s': a number is missing, as in flow 0-15",
                                        it->text);
    r->from = range.field[0].value.u64;
    r->to = range.to;
    return 0;
}

static bool any_host(const struct weft_fabric *f, const char *glob)
{
    for (uint32_t h = 0; h < f->nhosts; h++)
        if (weft_series_node_matches(f, f->hosts[h], glob))
            return true;
    return false;
}

static int read_rule(const struct weft_fabric *f, struct item *it, struct weft_qp_rule *r,
                     struct weft_err *err)
{
    r->prios = WEFT_ALL_PRIOS;
    r->files = (uint8_t)(1u << it->file);
    r->kind = WEFT_QPS_ALL;
    if (!it->selector[0])
        return 0;
    for (int numbers = 0; numbers < 2; numbers++) {
        const char *word = numbers ? "qp" : "flow";
        const size_t n = strlen(word);
        if (strncmp(it->selector, word, n) != 0 || it->selector[n] != ' ')
            continue;
        r->kind = numbers ? WEFT_QPS_NUMBERS : WEFT_QPS_FLOWS;
        return read_range(it, it->selector + n + strspn(it->selector + n, " "), r, err);
    }
    r->kind = WEFT_QPS_HOSTS;
    if (weft_series_cut_prios(it->selector, &r->prios, err))
        return weft_err_prepend(err, "sample.what: '%s'", it->text);
    weft_series_cut_peer(it->selector, r->dst);
    snprintf(r->src, sizeof r->src, "%s", it->selector);
    if (any_host(f, r->src) && any_host(f, r->dst))
        return 0;
    return weft_err_set(err, WEFT_E_INPUT,
                        "sample.what: '%s' names no hosts; there are h0 to h%u, h0-h5 are the "
                        "queue pairs from h0 to h5, and 'flow 0-15' those of flows 0 to 15",
                        it->text, f->nhosts - 1);
}

static int add_qps(struct weft_series_choice *c, struct item *it, struct weft_err *err)
{
    if (!WEFT_GROW_ONE(c->rules, c->nrules))
        return weft_err_no_memory(err, "series");
    c->rules[c->nrules] = (struct weft_qp_rule){0};
    if (read_rule(c->fabric, it, &c->rules[c->nrules], err))
        return err->code;
    c->nrules++;
    return 0;
}

static int add_item(struct weft_series_choice *c, const struct weft_list_item *l,
                    struct weft_err *err)
{
    struct item it = {0};
    char word[WEFT_SELECTOR_MAX];
    if (l->len >= sizeof it.text)
        return weft_err_set(err, WEFT_E_INPUT, "sample.what: '%.40s...' is too long", l->text);
    snprintf(it.text, sizeof it.text, "%.*s", (int)l->len, l->text);
    snprintf(word, sizeof word, "%s", it.text);
    char *colon = strchr(word, ':');
    if (colon) {
        *colon = '\0';
        const char *rest = colon + 1;
        rest += strspn(rest, " ");
        if (!*rest)
            return weft_err_set(err, WEFT_E_INPUT, "sample.what: nothing follows the colon of '%s'",
                                it.text);
        snprintf(it.selector, sizeof it.selector, "%s", rest);
    }
    const int file = file_of(c, word);
    if (file < 0)
        return choose_unknown(c, word, err);
    if (check_moments(c, word, err))
        return err->code;
    it.file = (enum weft_series_file)file;
    c->files |= 1u << file;
    if (file == WEFT_SERIES_BUFFER)
        return add_nodes(c, &it, err);
    return file == WEFT_SERIES_QP || file == WEFT_SERIES_CONTROL ? add_qps(c, &it, err)
                                                                 : add_ports(c, &it, err);
}

struct weft_series_choice *weft_series_choose(const struct weft_sample_params *p,
                                              const struct weft_fabric *fabric,
                                              const struct weft_cc_ops *cc, const char *beside,
                                              uint64_t pack_above_bytes, struct weft_err *err)
{
    struct weft_list list = {p->what, weft_sample_param_table.params[1].list, 0};
    struct weft_list_item item;
    struct weft_series_choice *c = (struct weft_series_choice *)calloc(1, sizeof *c);
    if (!c) {
        weft_err_no_memory(err, "series");
        return NULL;
    }
    c->fabric = fabric;
    c->interval_ps = p->interval_ps;
    c->pack_above_bytes = pack_above_bytes;
    c->on_change = p->on == WEFT_SAMPLE_CHANGE;
    c->ports = (struct weft_port_wanted *)calloc((size_t)fabric->nports + 1, sizeof *c->ports);
    c->nodes = (uint8_t *)calloc((size_t)fabric->nnodes + 1, 1);
    int code = c->ports && c->nodes ? find_controls(c, cc, beside, err)
                                    : weft_err_no_memory(err, "series");
    while (!code && (code = weft_list_next(&list, &item, err)) > 0)
        code = add_item(c, &item, err);
    if (!code)
        return c;
    weft_series_choice_free(c);
    return NULL;
}

void weft_series_choice_free(struct weft_series_choice *c)
{
    if (!c)
        return;
    free(c->ports);
    free(c->nodes);
    free(c->rules);
    free(c->controls);
    free(c);
}
