/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reasons for paused ports: deadlocks, the roots of pauses, and their head-of-line victims.
 *
 * Wait-for graph of one priority: the nodes are egress ports. A paused port P waits for the switch
 * S at the end of its link, whose ingress from P holds too much; those packets sit in egress queues
 * of S, so P waits for each port Q of S that has one of them queued. A Q that is paused waits in
 * turn; a Q that is not is a root of the pauses: it drains at its own speed.
 *
 * Deadlock: the largest set of paused ports such that the ingress behind each would not resume even
 * after all its packets bound for ports outside the set have left. (The ingress looks at its
 * threshold only when a packet of its own leaves; one whose packets all wait inside the set never
 * looks again.) Each port of the set waits for another of it, so a set that is not empty contains a
 * cycle. A port to which the resume is on its way, or was lost, is not in it.
 *
 * A port without credit (credit.c) counts as paused; it goes on when its buffer at the far end has
 * room for a frame again.
 */
#include "diagnose.h"
#include "all_parts.h"
#include "core/context.h"
#include "core/names.h"
#include "switch/credit.h"
#include "switch/mmu.h"
#include "core/executor.h"
#include "victims.h"
#include "core/walk.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_ROOTS 3u
#define MAX_VICTIMS 5u

/* Bytes that came into a switch through @p in and wait for egress @p out. */
static uint64_t waiting(const struct weft_engine *e, uint32_t in, uint32_t out, uint32_t prio)
{
    uint64_t bytes = 0;
    WALK_PKTS(e, i, diagnose_first(e, out, prio), "packets of a queue")
        bytes += pkt_at(e, i)->in_port == in ? pkt_at(e, i)->frame : 0;
    return bytes;
}

/* Per ingress port, the bytes that came in through it and wait for ports marked in @p dead. */
static void count_stuck(const struct weft_engine *e, const uint8_t *dead, uint32_t prio,
                        uint64_t *stuck)
{
    memset(stuck, 0, e->fabric->nports * sizeof *stuck);
    for (uint32_t q = 0; q < e->fabric->nports; q++) {
        if (!dead[q])
            continue;
        WALK_PKTS(e, i, diagnose_first(e, q, prio), "packets of a queue")
            if (diagnose_passing(e, i, prio))
                stuck[pkt_at(e, i)->in_port] += credit_guards(e, pkt_at(e, i)->in_port, prio)
                                                    ? credit_cost(e, pkt_at(e, i))
                                                    : pkt_at(e, i)->frame;
    }
}

/* The shared pool in use at a switch when only packets for dead ports are left in it. */
static uint64_t stuck_shared(const struct weft_engine *e, const uint64_t *stuck, uint32_t node,
                             uint32_t prio)
{
    const struct weft_fabric_node *s = &e->fabric->nodes[node];
    uint64_t shared = 0;
    for (uint32_t in = s->first_port; in < s->first_port + s->nports; in++) {
        if (credit_guards(e, in, prio))
            continue;
        uint64_t normal = e->ports[in].lane[prio].in_bytes;
        uint64_t bytes = stuck[in] < normal ? stuck[in] : normal;
        shared += bytes > e->p.sw.reserve_bytes ? bytes - e->p.sw.reserve_bytes : 0;
    }
    return shared;
}

/* Whether a paused port will be resumed when all that waits outside the dead ports has left. */
static bool will_resume(const struct weft_engine *e, const uint64_t *stuck, uint32_t port,
                        uint32_t prio)
{
    const uint32_t in = e->ends[port].peer;
    const struct port *p = &e->ports[in];
    if (credit_blocks(e, port, prio))
        return credit_returns(e, port, prio, stuck[in]);
    if (!(p->xoff_sent >> prio & 1))
        return true;
    uint64_t leaving = (uint64_t)p->lane[prio].in_bytes + p->lane[prio].in_hdrm - stuck[in];
    if (leaving == 0 && e->ends[port].fly.head == NIL)
        return false;
    uint64_t headroom = p->lane[prio].in_hdrm > leaving ? p->lane[prio].in_hdrm - leaving : 0;
    return mmu_would_resume(e, in, prio, stuck[in] - headroom, headroom,
                            stuck_shared(e, stuck, p->node, prio));
}

/* Marks the deadlocked ports of a priority; returns how many. @p stuck: room for a number per port.
 */
static uint32_t mark_dead(struct weft_engine *e, uint32_t prio, uint8_t *dead, uint64_t *stuck,
                          uint8_t *alive)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        n += dead[i] = diagnose_paused(e, i, prio);
    for (bool changed = n > 0; changed;) {
        changed = false;
        count_stuck(e, dead, prio, stuck);
        for (uint32_t i = 0; i < e->fabric->nports; i++)
            alive[i] = dead[i] && part_own(e, far_node(e, i)) && will_resume(e, stuck, i, prio);
        if (e->peers)
            part_union(e, alive, e->fabric->nports);
        for (uint32_t i = 0; i < e->fabric->nports; i++) {
            dead[i] &= !alive[i];
            n -= alive[i];
            changed |= alive[i];
        }
    }
    return n;
}

/* The first dead port that a dead port waits for, and 1; 0: none. */
static uint32_t waits_for(const struct weft_engine *e, const uint8_t *dead, uint32_t port,
                          uint32_t prio)
{
    const uint32_t in = e->fabric->ports[port].peer;
    const struct weft_fabric_node *s = &e->fabric->nodes[far_node(e, port)];
    for (uint32_t q = s->first_port; q < s->first_port + s->nports; q++)
        if (dead[q] && waiting(e, in, q, prio))
            return q + 1;
    return 0;
}

/* The same for all dead ports: next[port]. */
static void look_all(struct weft_engine *e, const uint8_t *dead, uint32_t prio, uint32_t *next)
{
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        next[i] = dead[i] ? waits_for(e, dead, i, prio) : 0; /* at switches of others nothing is */
    part_union(e, (uint8_t *)next, e->fabric->nports * (uint32_t)sizeof *next);
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        next[i]--; /* NIL: none */
}

/* Appends to @p text; what does not fit is cut. */
static void diagnose_append(char *text, size_t size, size_t *used, const char *what)
{
    int n = *used < size ? snprintf(text + *used, size - *used, "%s", what) : 0;
    *used += n > 0 ? (size_t)n : 0;
}

/* Writes the cycle that the first dead port leads to, from its lowest port. */
static void write_cycle(const struct weft_engine *e, uint8_t *dead, const uint32_t *next,
                        uint32_t prio, char *text, size_t size)
{
    uint32_t at = 0;
    while (!dead[at])
        at++;
    while (at != NIL && dead[at] != 2) { /* 2: passed; the first one met again is on the cycle */
        dead[at] = 2;
        at = next[at];
    }
    if (at == NIL)
        return;
    uint32_t first = at;
    for (uint32_t q = next[at]; q != at && q != NIL; q = next[q])
        first = q < first ? q : first;
    char name[PORT_NAME_MAX];
    size_t used = 0;
    int n = snprintf(text, size, "%s deadlock at priority %u: ",
                     credit_blocks(e, first, prio) ? "credit" : "PFC", prio);
    used += n > 0 ? (size_t)n : 0;
    uint32_t q = first;
    do {
        diagnose_append(text, size, &used, q == first ? "" : " waits for ");
        diagnose_append(text, size, &used, port_name(e, q, name));
        q = next[q];
    } while (q != first && q != NIL);
}

/* The first priority with a deadlock, of which @p text says the cycle; WEFT_PRIOS: there is none.
 */
static uint32_t find_deadlock(struct weft_engine *e, char *text, size_t size)
{
    const size_t n = (size_t)e->fabric->nports + 1;
    posts_flush(e);
    if (text && size)
        text[0] = '\0';
    uint8_t *dead = calloc(n, 1), *alive = calloc(n, 1);
    uint64_t *stuck = calloc(n, sizeof *stuck);
    uint32_t *next = calloc(n, sizeof *next);
    uint32_t found = WEFT_PRIOS;
    all_parts_borrow(e);
    for (uint32_t prio = 0; dead && alive && stuck && next && prio < found; prio++) {
        if (!mark_dead(e, prio, dead, stuck, alive))
            continue;
        found = prio;
        if (text && size) {
            look_all(e, dead, prio, next);
            write_cycle(e, dead, next, prio, text, size);
        }
    }
    all_parts_give_back(e);
    free(dead);
    free(alive);
    free(stuck);
    free(next);
    return found;
}

int weft_engine_find_deadlock(struct weft_engine *e, char *text, size_t size)
{
    return find_deadlock(e, text, size) < WEFT_PRIOS;
}

/* ---- roots ---- */

/* "root of the pauses: s3->h7 (its queue 1.2 MB, not paused itself), ...; first paused ...";
 * @p circle: ports wait for each other. */
static void write_roots(const struct weft_engine *e, uint32_t prio, uint32_t first, bool circle,
                        const uint8_t *root, char *text, size_t size)
{
    char name[PORT_NAME_MAX], unit[WEFT_UNIT_TEXT_MAX], item[160];
    size_t used = 0;
    uint32_t n = 0;
    diagnose_append(text, size, &used, "root of the pauses: ");
    for (uint32_t q = 0; q < e->fabric->nports; q++) {
        if (!root[q] || n++ >= MAX_ROOTS)
            continue;
        snprintf(item, sizeof item, "%s%s (its queue %s, not paused itself)", n > 1 ? ", " : "",
                 port_name(e, q, name), weft_human_size(e->ports[q].lane[prio].qbytes, unit));
        diagnose_append(text, size, &used, item);
    }
    if (n == 0)
        diagnose_append(text, size, &used,
                        circle ? "the ports that wait for each other"
                               : "no congested port, a resume is missing or on its way");
    if (n > MAX_ROOTS) {
        snprintf(item, sizeof item, " and %u more", n - MAX_ROOTS);
        diagnose_append(text, size, &used, item);
    }
    snprintf(item, sizeof item, "; priority %u; first paused: %s at %s", prio,
             port_name(e, first, name), weft_human_time(e->pfc.since[first].ps[prio], unit));
    diagnose_append(text, size, &used, item);
}

/* ---- victims, see victims.c ---- */

/* "victims: h1->h9, h2->h9 and 3 more"; returns how many there are. */
static uint32_t write_victims(const struct weft_engine *e, const uint8_t *victim, char *text,
                              size_t size)
{
    char item[64];
    size_t used = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        if (!victim[i] || n++ >= MAX_VICTIMS)
            continue;
        snprintf(item, sizeof item, "%sh%u->h%u", n > 1 ? ", " : "victims: ", qp_at(e, i)->src_host,
                 qp_at(e, i)->dst_host);
        diagnose_append(text, size, &used, item);
    }
    if (n > MAX_VICTIMS) {
        snprintf(item, sizeof item, " and %u more", n - MAX_VICTIMS);
        diagnose_append(text, size, &used, item);
    }
    return n;
}

uint64_t diagnose_pauses(struct weft_engine *e, uint64_t max, void (*fn)(void *, const char *),
                         void *ctx)
{
    char text[1024];
    uint64_t nlines = 0;
    if (!max)
        return 0;
    const uint32_t dead = find_deadlock(e, text, sizeof text);
    if (dead < WEFT_PRIOS) {
        fn(ctx, text);
        nlines++;
    }
    uint8_t *root = calloc((size_t)e->fabric->nports + 1, 1);
    uint8_t *victim = calloc((size_t)e->qps.pool.n + 1, 1);
    all_parts_borrow(e);
    for (uint32_t prio = 0; root && victim && prio < WEFT_PRIOS; prio++) {
        uint32_t first = victims_roots(e, prio, root);
        if (first == NIL)
            continue;
        if (nlines < max) {
            write_roots(e, prio, first, prio == dead, root, text, sizeof text);
            fn(ctx, text);
            nlines++;
        }
        victims_mark(e, prio, root, victim);
        if (nlines < max && write_victims(e, victim, text, sizeof text)) {
            fn(ctx, text);
            nlines++;
        }
    }
    all_parts_give_back(e);
    free(root);
    free(victim);
    return nlines;
}

/* ---- partitions ---- */

#define PARTITION_NAMED 4u /**< links in the sentence */

uint64_t diagnose_partition(struct weft_engine *e, uint64_t max, void (*fn)(void *, const char *),
                            void *ctx)
{
    const struct weft_fabric *f = e->fabric;
    char text[640], a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX], at[WEFT_UNIT_TEXT_MAX];
    uint32_t parked = 0, named = 0;
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        parked += qp_at(e, i)->snd->state == QP_PARKED && qp_at(e, i)->head_msg != NIL;
    parked = (uint32_t)part_sum(e, parked);
    if (!parked || !max)
        return 0;
    size_t used = (size_t)snprintf(
        text, sizeof text, "the fabric is partitioned: %u QPs have no path; links down:", parked);
    for (uint32_t l = 0; l < f->nlinks; l++) {
        if (!e->links.down[l] || named++ >= PARTITION_NAMED)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s-%s since %s",
                                 named > 1 ? "," : "", weft_fabric_node_name(f, f->links[l].a, a),
                                 weft_fabric_node_name(f, f->links[l].b, b),
                                 weft_format_time(e->links.since_ps[l], at));
    }
    if (named > PARTITION_NAMED)
        snprintf(text + used, sizeof text - used, " and %u more", named - PARTITION_NAMED);
    fn(ctx, text);
    return 1;
}
