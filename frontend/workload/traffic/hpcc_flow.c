/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading HPCC's flow lists. */
#include "workload/traffic/hpcc_flow.h"

#include "base/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NODES (UINT32_C(1) << 24)

static int read_flow(struct weft_scan *s, enum weft_hpcc_flow_format format,
                     struct weft_hpcc_flow *w, struct weft_err *err)
{
    uint64_t src, dst = 0, pg = 0, dport = WEFT_HPCC_DPORT;
    int rc = weft_scan_u64(s, "the source node of a flow", UINT32_MAX - 1, &src, err);
    if (rc)
        return rc;
    w->line = s->tok_line;
    rc = weft_scan_u64(s, "the destination node of a flow", UINT32_MAX - 1, &dst, err);
    if (!rc && src == dst)
        rc = weft_scan_err(s, err, WEFT_E_INPUT, "the flow goes from node %" PRIu64 " to itself",
                           src);
    if (!rc)
        rc = weft_scan_u64(s, "the priority group of a flow", 7, &pg, err);
    if (!rc && format == WEFT_HPCC_FLOW_HPCC)
        rc = weft_scan_u64(s, "the destination port of a flow", UINT16_MAX, &dport, err);
    if (!rc)
        rc = weft_scan_u64(s, "the size of a flow", UINT64_MAX >> 8, &w->bytes, err);
    if (!rc)
        rc = weft_scan_time(s, "the start of a flow", "s", &w->start_ps, err);
    w->src = (uint32_t)src;
    w->dst = (uint32_t)dst;
    w->pg = (uint32_t)pg;
    w->dport = (uint16_t)dport;
    return rc;
}

/* How many tokens the line has that text[at] begins, and where the next one begins. */
static size_t columns(const struct weft_scan *s, size_t *at)
{
    static const char blank[] = " \t\r\v\f";
    size_t n = 0;
    while (*at < s->len && s->text[*at] != '\n') {
        n += !strchr(blank, s->text[*at]) && (*at == 0 || strchr(" \t\r\v\f\n", s->text[*at - 1]));
        ++*at;
    }
    *at += *at < s->len;
    return n;
}

/* The format by the columns of the first flow. Nothing has been read. */
static enum weft_hpcc_flow_format detect(const struct weft_scan *s)
{
    size_t at = 0, lines = 0, n = 0;
    while (at < s->len && lines < 2)
        lines += (n = columns(s, &at)) > 0;
    return lines == 2 && n == 5 ? WEFT_HPCC_FLOW_CONWEAVE : WEFT_HPCC_FLOW_HPCC;
}

bool weft_hpcc_flows_are_rdma(const char *text)
{
    char number[6][32];
    const int n = sscanf(text, "%*u %31s %31s %31s %31s %31s %31s", number[0], number[1], number[2],
                         number[3], number[4], number[5]);
    char *end[3];
    const double packets = n == 6 ? strtod(number[3], &end[0]) : 0;
    const double start = n == 6 ? strtod(number[4], &end[1]) : 0,
                 stop = n == 6 ? strtod(number[5], &end[2]) : 0;
    return n == 6 && !*end[0] && !*end[1] && !*end[2] && stop > start &&
           (packets > UINT16_MAX || strchr(number[4], '.'));
}

static int hpcc_flow_read_all(struct weft_scan *s, enum weft_hpcc_flow_format format,
                              struct weft_hpcc_flows *l, struct weft_err *err)
{
    uint64_t n;
    if (format == WEFT_HPCC_FLOW_AUTO && weft_hpcc_flows_are_rdma(s->text))
        return weft_err_at(err, WEFT_E_INPUT, s->file, 0, 0,
                           "this is a flow list of ns3-rdma, the ancestor of HPCC's simulator: "
                           "source, destination, priority, packets, start, stop; HPCC's has a port "
                           "and the size in bytes (packets x PACKET_PAYLOAD_SIZE) in place of "
                           "packets, and no stop");
    if (format == WEFT_HPCC_FLOW_AUTO)
        format = detect(s);
    l->format = format;
    int rc = weft_scan_u64(s, "the number of flows", UINT32_MAX - 1, &n, err);
    if (rc)
        return rc;
    if (n > s->len / 2)
        return weft_scan_err(s, err, WEFT_E_INPUT,
                             "the file announces %" PRIu64 " flows, but is too short for them", n);
    l->list = (struct weft_hpcc_flow *)calloc(n ? n : 1, sizeof *l->list);
    if (!l->list)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %" PRIu64 " flows", n);
    l->sorted = true;
    for (; l->n < n; l->n++) {
        if ((rc = read_flow(s, format, &l->list[l->n], err))) {
            weft_err_prepend(err, "flow %zu of %" PRIu64, l->n + 1, n);
            return rc;
        }
        if (l->n && l->list[l->n].start_ps < l->list[l->n - 1].start_ps)
            l->sorted = false;
    }
    if (weft_scan_next(s))
        l->trailing_line = s->tok_line;
    return 0;
}

/* By start; the line decides among equals, which makes it stable. */
static int by_start(const void *va, const void *vb)
{
    const struct weft_hpcc_flow *a = (const struct weft_hpcc_flow *)va;
    const struct weft_hpcc_flow *b = (const struct weft_hpcc_flow *)vb;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    return a->qp < b->qp ? -1 : a->qp > b->qp; /* qp holds the place in the file meanwhile */
}

static int by_pair(const void *va, const void *vb)
{
    const struct weft_hpcc_flow *a = *(struct weft_hpcc_flow *const *)va;
    const struct weft_hpcc_flow *b = *(struct weft_hpcc_flow *const *)vb;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* ConWeave's ports: counted per source and per destination, in launch order. */
static int number_ports(struct weft_hpcc_flows *l, struct weft_err *err)
{
    uint32_t nodes = 0;
    for (size_t i = 0; i < l->n; i++) {
        nodes = l->list[i].src > nodes ? l->list[i].src : nodes;
        nodes = l->list[i].dst > nodes ? l->list[i].dst : nodes;
    }
    if (nodes >= MAX_NODES)
        return 0; /* no fabric has it: that is said when the flows are checked against theirs */
    uint16_t *from = (uint16_t *)calloc((size_t)nodes + 1, 2 * sizeof *from);
    if (!from)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %zu flows", l->n);
    uint16_t *to = from + nodes + 1;
    for (size_t i = 0; i < l->n; i++) {
        struct weft_hpcc_flow *w = &l->list[i];
        w->sport = (uint16_t)(WEFT_HPCC_FIRST_SPORT + from[w->src]++);
        w->dport = (uint16_t)(WEFT_HPCC_DPORT + to[w->dst]++);
    }
    free(from);
    return 0;
}

/* Sorts if need be and numbers the flows of each pair. */
static int hpcc_flow_number(struct weft_hpcc_flows *l, struct weft_err *err)
{
    if (!l->sorted) {
        for (size_t i = 0; i < l->n; i++)
            l->list[i].qp = (uint32_t)i;
        qsort(l->list, l->n, sizeof *l->list, by_start);
    }
    struct weft_hpcc_flow **order =
        (struct weft_hpcc_flow **)malloc((l->n + 1) * sizeof(struct weft_hpcc_flow *));
    if (!order)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %zu flows", l->n);
    for (size_t i = 0; i < l->n; i++)
        order[i] = &l->list[i];
    qsort(order, l->n, sizeof *order, by_pair);
    for (size_t i = 0; i < l->n; i++) {
        struct weft_hpcc_flow *w = order[i];
        const struct weft_hpcc_flow *before = i ? order[i - 1] : NULL;
        w->qp = before && before->src == w->src && before->dst == w->dst ? before->qp + 1 : 0;
        w->sport = (uint16_t)(WEFT_HPCC_FIRST_SPORT + w->qp);
    }
    free(order);
    return l->format == WEFT_HPCC_FLOW_CONWEAVE ? number_ports(l, err) : 0;
}

struct weft_hpcc_flows *weft_hpcc_flows_read(const char *path, enum weft_hpcc_flow_format format,
                                             struct weft_err *err)
{
    struct weft_scan s = {0};
    struct weft_hpcc_flows *l = (struct weft_hpcc_flows *)calloc(1, sizeof *l);
    if (l)
        l->file = strdup(path);
    if (!l || !l->file) {
        weft_hpcc_flows_free(l);
        weft_err_no_memory(err, "a flow list");
        return NULL;
    }
    int rc = weft_scan_open(&s, l->file, err);
    if (!rc)
        rc = hpcc_flow_read_all(&s, format, l, err);
    if (!rc)
        rc = hpcc_flow_number(l, err);
    weft_scan_close(&s);
    if (rc) {
        weft_hpcc_flows_free(l);
        return NULL;
    }
    return l;
}

void weft_hpcc_flows_free(struct weft_hpcc_flows *l)
{
    if (!l)
        return;
    free(l->file);
    free(l->list);
    free(l);
}
