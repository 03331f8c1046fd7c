/* SPDX-License-Identifier: GPL-2.0-only */
/* What all processes say of one thing: peers.h. */
#include "context.h"
#include "peers.h"

#include <string.h>

/* Gives p->all to all; p->came has what they gave. */
void peers_give_all(struct weft_engine *e)
{
    struct peers *p = e->peers;
    struct weft_err err = {0};
    for (unsigned k = 0; k < p->link.n; k++)
        p->mail[k] = (struct weft_mail){p->all.bytes, p->all.n};
    if (p->link.exchange(p->link.ctx, p->mail, p->came, &err)) {
        engine_fail(e, err.code, "%s", err.msg);
        p->failed = true;
        for (unsigned k = 0; k < p->link.n; k++)
            p->came[k].n = 0;
    }
}

int64_t peers_least(struct weft_engine *e, int64_t value)
{
    struct peers *p = e->peers;
    int64_t least = value, other;
    p->all.n = 0;
    pouch_add(e, &p->all, &value, sizeof value);
    peers_give_all(e);
    for (unsigned k = 0; k < p->link.n; k++)
        if (k != p->link.me && p->came[k].n == sizeof other) {
            memcpy(&other, p->came[k].bytes, sizeof other);
            least = other < least ? other : least;
        }
    return least;
}

uint64_t peers_sum(struct weft_engine *e, uint64_t value)
{
    struct peers *p = e->peers;
    uint64_t sum = value, other;
    p->all.n = 0;
    pouch_add(e, &p->all, &value, sizeof value);
    peers_give_all(e);
    for (unsigned k = 0; k < p->link.n; k++)
        if (k != p->link.me && p->came[k].n == sizeof other) {
            memcpy(&other, p->came[k].bytes, sizeof other);
            sum += other;
        }
    return sum;
}

void peers_links_changed(struct weft_engine *e, struct weft_link_change *list, size_t n)
{
    struct peers *p = e->peers;
    p->all.n = 0;
    for (size_t i = 0; i < n; i++)
        pouch_add(e, &p->all, &list[i].lost_packets, sizeof list[i].lost_packets);
    peers_give_all(e);
    for (unsigned k = 0; k < p->link.n; k++)
        for (size_t i = 0; k != p->link.me && i < n && p->came[k].n == p->all.n; i++) {
            uint64_t lost;
            memcpy(&lost, (const char *)p->came[k].bytes + i * sizeof lost, sizeof lost);
            list[i].lost_packets += lost;
        }
}

int peers_agree(struct weft_engine *e, int code, struct weft_err *err)
{
    struct peers *p = e->peers;
    struct weft_err own = {0};
    if (code && err)
        own = *err;
    own.code = code;
    p->all.n = 0;
    pouch_add(e, &p->all, &own, sizeof own);
    peers_give_all(e);
    for (unsigned k = 0; k < p->link.n && !code; k++)
        if (k != p->link.me && p->came[k].n == sizeof own) {
            memcpy(&own, p->came[k].bytes, sizeof own);
            if (own.code)
                code = weft_err_set(err, own.code, "process %u: %s", k, own.msg);
        }
    return code;
}
