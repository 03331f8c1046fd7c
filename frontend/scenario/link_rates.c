/* SPDX-License-Identifier: GPL-2.0-only */
/* Rates of links in place of those that the topology gives them: run.link-rates. */
#include "base/units.h"
#include "scenario/resolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SELECTOR_MAX = 256 };

/* A rate, or "x2": that times the link's own. */
struct change {
    uint64_t rate_bps; /* 0: factor counts */
    double factor;
};

static int read_change(const char *text, struct change *out, struct weft_err *err)
{
    *out = (struct change){0};
    if (*text != 'x')
        return weft_parse_rate_bps(text, &out->rate_bps, err);
    if (weft_parse_f64(text + 1, &out->factor, err))
        return err->code;
    if (out->factor > 0 && out->factor <= 1000)
        return 0;
    return weft_err_set(err, WEFT_E_INPUT, "'%s': the factor is above 0 and at most 1000", text);
}

static void change_link(struct weft_fabric_link *link, const struct change *c)
{
    const double rate = (double)link->rate_bps * c->factor;
    link->rate_bps = c->rate_bps ? c->rate_bps : (uint64_t)fmax(1, floor(rate + 0.5));
}

/* Links that join a host to the fabric, or switches to each other. */
static bool change_class(struct weft_fabric *f, const char *name, const struct change *c)
{
    const bool hosts = strcmp(name, "hosts") == 0, all = strcmp(name, "all") == 0;
    if (!hosts && !all && strcmp(name, "switches") != 0)
        return false;
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        const bool host =
            f->nodes[l->a].kind == WEFT_NODE_HOST || f->nodes[l->b].kind == WEFT_NODE_HOST;
        if (all || host == hosts)
            change_link(&f->links[i], c);
    }
    return true;
}

static int change_named(struct weft_fabric *f, const char *selector, const struct change *c,
                        struct weft_err *err)
{
    struct weft_fault_plan links = {.fabric = f};
    const struct weft_fault_stretch any = {.end_ps = WEFT_NEVER};
    const int code = weft_fault_plan_add_links(&links, &any, selector, err);
    for (size_t i = 0; !code && i < links.nstretches; i++)
        change_link(&f->links[links.stretches[i].link], c);
    free(links.stretches);
    return code;
}

/* "SELECTOR:RATE", @p len bytes of it. */
static int change_by(struct weft_fabric *f, const char *text, size_t len, struct weft_err *err)
{
    char entry[SELECTOR_MAX];
    struct change c;
    while (len && text[len - 1] == ' ')
        len--;
    for (; len && *text == ' '; text++)
        len--;
    if (len == 0)
        return 0;
    if (len >= sizeof entry)
        return weft_err_set(err, WEFT_E_INPUT, "'%.60s...' is longer than %d bytes", text,
                            SELECTOR_MAX - 1);
    memcpy(entry, text, len);
    entry[len] = '\0';
    char *colon = strrchr(entry, ':');
    if (!colon)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%s': write LINKS:RATE, such as hosts:200Gbps, switches:x2 or "
                            "s16-s20:100Gbps",
                            entry);
    *colon = '\0';
    if (read_change(colon + 1, &c, err))
        return err->code;
    return change_class(f, entry, &c) ? 0 : change_named(f, entry, &c, err);
}

/* A dimension has the rate of the first link of its first NPU. */
static void refresh_dims(struct weft_fabric *f)
{
    bool seen[WEFT_FABRIC_DIMS_MAX] = {false};
    for (uint32_t h = 0; h < f->nhosts; h++) {
        const struct weft_fabric_node *n = &f->nodes[f->hosts[h]];
        for (uint32_t p = 0; p < n->nports; p++) {
            const struct weft_fabric_link *l = &f->links[f->ports[n->first_port + p].link];
            if (l->dim < f->ndims && !seen[l->dim])
                f->dims[l->dim].rate_bps = l->rate_bps;
            if (l->dim < f->ndims)
                seen[l->dim] = true;
        }
    }
}

int weft_scenario_set_link_rates(const struct weft_scenario *s, struct weft_fabric *f,
                                 struct weft_err *err)
{
    const char *text = s->run->link_rates;
    if (!*text)
        return 0;
    while (*text) {
        const size_t len = strcspn(text, ";");
        if (change_by(f, text, len, err))
            return weft_err_prepend(err, "run.link-rates");
        text += len + (text[len] == ';');
    }
    refresh_dims(f);
    return 0;
}
