/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranks onto hosts. */
#include "jobs/placement.h"

#include "base/list.h"
#include "base/rng.h"
#include "base/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct place {
    const struct weft_placement *p;
    const struct weft_fabric *f;
    uint8_t *taken;
    uint32_t nranks;
    uint32_t *hosts;
};

static bool is_free(const struct place *a, uint32_t host)
{
    return a->p->shares || !a->taken[host];
}

static uint32_t count_free(const struct place *a)
{
    uint32_t n = 0;
    for (uint32_t h = 0; h < a->f->nhosts; h++)
        n += is_free(a, h);
    return n;
}

static int packed(struct place *a, struct weft_err *err)
{
    uint32_t n = 0;
    for (uint32_t h = 0; n < a->nranks; h++)
        if (is_free(a, h))
            a->hosts[n++] = h;
    return 0;
}

/* The number of the hosts near @p host: its server, or its switch. */
static uint32_t neighbours_of(const struct weft_fabric *f, uint32_t host)
{
    if (f->ndims > 1)
        return host / f->dims[0].size;
    return f->ports[f->ports[f->nodes[f->hosts[host]].first_port].peer].node;
}

static int placement_spread(struct place *a, struct weft_err *err)
{
    const uint32_t n = a->f->nhosts;
    uint8_t *used = (uint8_t *)calloc(n, 1);              /* hosts taken in this call */
    uint32_t *seen = (uint32_t *)calloc(n, sizeof *seen); /* neighbourhoods of this round */
    if (!used || !seen) {
        free(used);
        free(seen);
        return weft_err_no_memory(err, "the placement of a job");
    }
    for (uint32_t r = 0; r < a->nranks;) {
        uint32_t nseen = 0;
        for (uint32_t h = 0; h < n && r < a->nranks; h++) {
            if (used[h] || !is_free(a, h))
                continue;
            const uint32_t near = neighbours_of(a->f, h);
            uint32_t k = nseen; /* hosts of a neighbourhood follow each other, mostly */
            while (k > 0 && seen[k - 1] != near)
                k--;
            if (k > 0)
                continue;
            seen[nseen++] = near;
            used[h] = 1;
            a->hosts[r++] = h;
        }
    }
    free(used);
    free(seen);
    return 0;
}

/* Takes the first m places that are free in each of as many servers as it takes; false: there are
 * too few. */
static bool on_rails(struct place *a, uint32_t m, uint32_t *slots)
{
    const uint32_t size = a->f->dims[0].size, servers = a->f->nhosts / size;
    const uint32_t want = a->nranks / m;
    for (uint32_t first = 0; first + want <= servers; first++) {
        uint32_t nslots = 0, found = 0;
        for (uint32_t k = 0; k < size && nslots < m; k++)
            if (is_free(a, first * size + k))
                slots[nslots++] = k;
        if (nslots < m)
            continue;
        for (uint32_t s = first; s < servers && found < want; s++) {
            bool all = true;
            for (uint32_t k = 0; k < m; k++)
                all = all && is_free(a, s * size + slots[k]);
            for (uint32_t k = 0; all && k < m; k++)
                a->hosts[found * m + k] = s * size + slots[k];
            found += all;
        }
        if (found == want)
            return true;
    }
    return false;
}

static int rail_aligned(struct place *a, struct weft_err *err)
{
    if (a->f->ndims < 2)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "placement rail-aligned needs a fabric with several dimensions, such as "
            "'hgx-rail-optimised'; nearest: packed");
    const uint32_t size = a->f->dims[0].size;
    uint32_t *slots = (uint32_t *)calloc(size, sizeof *slots);
    if (!slots)
        return weft_err_no_memory(err, "the placement of a job");
    bool found = false;
    for (uint32_t m = size; m > 0 && !found; m--)
        found = a->nranks % m == 0 && on_rails(a, m, slots);
    free(slots);
    return found ? 0
                 : weft_err_set(err, WEFT_E_INPUT,
                                "no servers have the same free places for %u ranks; nearest: "
                                "packed",
                                a->nranks);
}

static int drawn(struct place *a, struct weft_err *err)
{
    struct weft_rng rng = weft_rng_stream(a->p->seed, "placement", 0);
    const uint32_t n = count_free(a);
    uint32_t *all = (uint32_t *)malloc((n ? n : 1) * sizeof *all);
    if (!all)
        return weft_err_no_memory(err, "the placement of a job");
    for (uint32_t h = 0, i = 0; h < a->f->nhosts; h++)
        if (is_free(a, h))
            all[i++] = h;
    for (uint32_t r = 0; r < a->nranks; r++) {
        const uint32_t k = r + (uint32_t)weft_rng_below(&rng, n - r);
        a->hosts[r] = all[k];
        all[k] = all[r];
    }
    free(all);
    return 0;
}

/* Receives the hosts of a list, one by one. */
struct listed {
    struct place *a; /* hosts NULL: only counted */
    uint32_t n;
};

static int one_listed(struct listed *l, uint64_t host, struct weft_err *err)
{
    if (host >= l->a->f->nhosts)
        return weft_err_set(err, WEFT_E_INPUT,
                            "there is no host %" PRIu64 "; the fabric's are 0 to %u", host,
                            l->a->f->nhosts - 1);
    for (uint32_t r = 0; l->a->hosts && r < l->n && r < l->a->nranks; r++)
        if (l->a->hosts[r] == host)
            return weft_err_set(err, WEFT_E_INPUT, "host %" PRIu64 " is listed twice", host);
    if (!is_free(l->a, (uint32_t)host))
        return weft_err_set(
            err, WEFT_E_INPUT,
            "host %" PRIu64 " is another workload's already; share=true puts both on it", host);
    if (l->a->hosts && l->n < l->a->nranks)
        l->a->hosts[l->n] = (uint32_t)host;
    if (l->n == UINT32_MAX - 1)
        return weft_err_set(err, WEFT_E_LIMIT, "too many hosts");
    l->n++;
    return 0;
}

static int listed_text(struct listed *l, const char *text, struct weft_err *err)
{
    struct weft_list list = {text, &weft_ranges_form, 0};
    struct weft_list_item it;
    int rc;
    while ((rc = weft_list_next(&list, &it, err)) == 1)
        for (uint64_t h = it.field[0].value.u64; h <= it.to; h++)
            if (one_listed(l, h, err))
                return err->code;
    return rc;
}

static int listed_file(struct listed *l, const char *path, struct weft_err *err)
{
    struct weft_scan s = {0};
    int rc = weft_scan_open(&s, path, err);
    while (!rc && weft_scan_next(&s)) {
        struct weft_err why = {0};
        size_t len = strlen(s.tok);
        while (len && s.tok[len - 1] == ',')
            s.tok[--len] = '\0';
        if (listed_text(l, s.tok, &why))
            rc = weft_scan_err(&s, err, why.code, "%s", why.msg);
    }
    weft_scan_close(&s);
    return rc;
}

static bool has_list(const struct weft_placement *p)
{
    return p->hosts[0] || p->hosts_file[0];
}

static int list(struct listed *l, struct weft_err *err)
{
    const struct weft_placement *p = l->a->p;
    if (p->hosts[0] && p->hosts_file[0])
        return weft_err_set(err, WEFT_E_INPUT, "give one of 'hosts' and 'hosts-file'");
    return p->hosts[0] ? listed_text(l, p->hosts, err) : listed_file(l, p->hosts_file, err);
}

static int from_list(struct place *a, struct weft_err *err)
{
    struct listed l = {a, 0};
    if (list(&l, err))
        return err->code;
    return l.n == a->nranks ? 0
                            : weft_err_set(err, WEFT_E_INPUT, "%u hosts are listed for %u ranks",
                                           l.n, a->nranks);
}

int weft_place_room(const struct weft_placement *p, const struct weft_fabric *f,
                    const uint8_t *taken, uint32_t *out, struct weft_err *err)
{
    struct place a = {.p = p, .f = f, .taken = (uint8_t *)(uintptr_t)taken};
    struct listed l = {&a, 0};
    if (!has_list(p)) {
        *out = count_free(&a);
        return 0;
    }
    if (list(&l, err))
        return err->code;
    *out = l.n;
    return 0;
}

int weft_place(const struct weft_placement *p, const struct weft_fabric *f, uint32_t nranks,
               uint8_t *taken, uint32_t *hosts, struct weft_err *err)
{
    static int (*const policies[])(struct place * a, struct weft_err * err) = {
        [WEFT_PLACE_PACKED] = packed,
        [WEFT_PLACE_SPREAD] = placement_spread,
        [WEFT_PLACE_RAIL] = rail_aligned,
        [WEFT_PLACE_RANDOM] = drawn,
    };
    struct place a = {p, f, taken, nranks, hosts};
    const uint32_t room = count_free(&a);
    if (!has_list(p) && room < nranks)
        return weft_err_set(err, WEFT_E_INPUT,
                            "%u ranks, but %u of the fabric's %u hosts are free; share=true takes "
                            "those of other workloads, too",
                            nranks, room, f->nhosts);
    const int rc = has_list(p) ? from_list(&a, err) : policies[p->policy](&a, err);
    for (uint32_t r = 0; !rc && !p->shares && r < nranks; r++)
        taken[hosts[r]] = 1;
    return rc;
}

/* The places that hosts have in one dimension: how many there are, and the index of each place. */
static uint32_t places(const uint32_t *hosts, uint32_t n, uint32_t stride, uint32_t size,
                       uint32_t *index)
{
    uint32_t k = 0;
    memset(index, 0, size * sizeof *index);
    for (uint32_t r = 0; r < n; r++)
        index[hosts[r] / stride % size] = 1;
    for (uint32_t i = 0; i < size; i++)
        if (index[i])
            index[i] = k++;
    return k;
}

void weft_place_dims(const struct weft_dims *fabric, const uint32_t *hosts, uint32_t nranks,
                     struct weft_dims *out)
{
    uint64_t stride = 1, inner = 1;
    bool grid = fabric->n > 0 && nranks > 0;
    *out = *fabric;
    for (uint32_t d = 0; grid && d < fabric->n; stride *= fabric->size[d++]) {
        uint32_t *index = (uint32_t *)calloc(fabric->size[d], sizeof *index);
        if (!index)
            break; /* of so small a table: the dimensions count as not known */
        out->size[d] = places(hosts, nranks, (uint32_t)stride, fabric->size[d], index);
        for (uint32_t r = 0; r < nranks; r++)
            grid = grid && index[hosts[r] / stride % fabric->size[d]] == r / inner % out->size[d];
        inner *= out->size[d];
        free(index);
    }
    if (!grid || inner != nranks || stride == 0)
        out->n = 0;
}
