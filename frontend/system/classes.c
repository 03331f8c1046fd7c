/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The traffic class and the number of QPs of each type of communication.
 *
 * Both are lists such as all-to-all:2,send:5; "send" is SEND and RECV, all others are collectives.
 * Messages of a collective take the QPs of a pair in turn, by step and chunk. Messages between
 * SENDs and RECVs take the one that their tag picks, so that equal tags stay in order. SENDs that
 * name a port of their host have QPs of that port's own.
 *
 * With intra-dimension=priority collectives of different priority have QPs of their own, since an
 * urgent message that queues behind others on a QP is not urgent any more.
 */
#include "system/internal.h"
#include "system/lists.h"

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
    msg->qp += QPS_MAX * WEFT_URGENCIES_MAX * op->nic;
}
