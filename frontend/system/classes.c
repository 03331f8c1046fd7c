/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The traffic class and the number of QPs of each type of communication.
 *
 * Both are lists such as all-to-all:2,send:5; "send" is SEND and RECV, all others are collectives.
 * Messages of a collective take the QPs of a pair in turn, by step and chunk. Messages between
 * SENDs and RECVs take the one that their tag picks, so that equal tags stay in order. SENDs that
 * name a port of their host have QPs of that port's own.
 * With qp-ports=in-turn all others take the ports of their host one after the other.
 *
 * With intra-dimension=priority collectives of different priority have QPs of their own, since an
 * urgent message that queues behind others on a QP is not urgent any more.
 */
#include "system/system_internal.h"
#include "system/lists.h"

#include <stdlib.h>
#include <string.h>

/* Most QPs between two ranks for one type (weft_qps_form). */
enum { QPS_MAX = 256 };

static int read_map(const struct weft_list_form *form, const char *text,
                    uint32_t out[WEFT_COMM_TYPES], struct weft_err *err)
{
    struct weft_list map = {.text = text, .form = form};
    struct weft_list_item item;
    int rc;
    while ((rc = weft_list_next(&map, &item, err)) > 0)
        out[item.field[0].value.index] = (uint32_t)item.field[1].value.u64;
    return rc;
}

int weft_read_classes(const struct weft_system_params *p, struct weft_classes *out,
                      struct weft_err *err)
{
    for (int k = 0; k < WEFT_COMM_TYPES; k++) {
        out->prio[k] = WEFT_PRIO_DEFAULT;
        out->qps[k] = 1;
    }
    out->nurgencies = 0;
    if (read_map(&weft_priorities_form, p->priorities, out->prio, err))
        return weft_err_prepend(err, "system.priorities");
    if (read_map(&weft_qps_form, p->qps, out->qps, err))
        return weft_err_prepend(err, "system.qps");
    return 0;
}

void weft_read_urgencies(const struct weft_workload *w, const struct weft_system_params *p,
                         struct weft_classes *out)
{
    for (uint32_t r = 0; p->intra_dimension == WEFT_INTRA_PRIORITY && r < w->nranks; r++)
        for (uint32_t i = 0; i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            uint32_t at = 0, n = out->nurgencies;
            if (op->kind != WEFT_OP_COLL)
                continue;
            while (at < n && out->urgency[at] < op->priority)
                at++;
            if ((at < n && out->urgency[at] == op->priority) || n == WEFT_URGENCIES_MAX)
                continue;
            memmove(&out->urgency[at + 1], &out->urgency[at], (n - at) * sizeof out->urgency[0]);
            out->urgency[at] = op->priority;
            out->nurgencies++;
        }
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
    return b ? divisor(b, a % b) : a;
}

/* Rates of the ports of a host that its cheapest links are at; 0: too many, or only one. */
static uint32_t port_rates(const struct weft_fabric *f, uint32_t node, uint64_t *rate)
{
    uint32_t n = 0, least = UINT32_MAX;
    for (uint32_t i = 0; i < f->nodes[node].nports; i++) {
        const struct weft_fabric_link *l = &f->links[f->ports[f->nodes[node].first_port + i].link];
        if (l->cost > least)
            continue;
        if (l->cost < least)
            n = 0;
        least = l->cost;
        if (n < WEFT_TURNS_MAX)
            rate[n] = l->rate_bps;
        n++;
    }
    return n > 1 && n <= WEFT_TURNS_MAX ? n : 0;
}

/* Rates of 5, 5 and 4 make 14 turns: the port that is furthest behind its share is next. Where that
 * is too many, each port has one. */
static void take_turns(const struct weft_fabric *f, uint32_t node, struct weft_turns *out)
{
    uint64_t rate[WEFT_TURNS_MAX], unit = 0, sum = 0;
    int64_t ahead[WEFT_TURNS_MAX] = {0};
    const uint32_t n = port_rates(f, node, rate);
    for (uint32_t i = 0; i < n; i++)
        unit = divisor(rate[i], unit);
    for (uint32_t i = 0; i < n; i++)
        sum += rate[i] / unit;
    const bool even = sum > WEFT_TURNS_MAX;
    out->n = (uint8_t)(even ? n : sum);
    for (uint32_t t = 0; t < out->n; t++) {
        uint32_t best = 0;
        for (uint32_t i = 0; i < n; i++) {
            ahead[i] += even ? 1 : (int64_t)(rate[i] / unit);
            best = ahead[i] > ahead[best] ? i : best;
        }
        ahead[best] -= out->n;
        out->port[t] = (uint8_t)(best + 1);
    }
}

int weft_read_turns(const struct weft_system_env *env, const struct weft_system_params *p,
                    uint32_t nranks, struct weft_classes *out, struct weft_err *err)
{
    const struct weft_fabric *f = env && p->qp_ports ? env->net_fabric : NULL;
    if (!f)
        return 0;
    out->turns = calloc((size_t)nranks + 1, sizeof *out->turns);
    if (!out->turns)
        return weft_err_no_memory(err, "the ports of ranks");
    for (uint32_t r = 0; r < nranks; r++)
        take_turns(f, f->hosts[env->hosts ? env->hosts[r] : r], &out->turns[r]);
    return 0;
}

void weft_classify(const struct weft_classes *c, const struct weft_op *op, uint64_t turn,
                   struct weft_msg *msg)
{
    int type = op->kind == WEFT_OP_COLL ? (int)op->coll : WEFT_COLL_KINDS;
    uint32_t urgency = 0;
    while (op->kind == WEFT_OP_COLL && urgency + 1 < c->nurgencies &&
           c->urgency[urgency] < op->priority)
        urgency++;
    msg->prio = c->prio[type];
    msg->qp = QPS_MAX * urgency + (c->qps[type] == 1 ? 0 : (uint32_t)(turn % c->qps[type]));
    msg->nic = op->nic;
    if (c->turns && !op->nic && c->turns[msg->src].n)
        msg->nic = c->turns[msg->src].port[msg->qp % QPS_MAX % c->turns[msg->src].n];
    msg->qp += QPS_MAX * WEFT_URGENCIES_MAX * op->nic;
}

void weft_classify_channel(uint32_t channel, struct weft_msg *msg)
{
    if (channel)
        msg->qp += channel % QPS_MAX;
}
