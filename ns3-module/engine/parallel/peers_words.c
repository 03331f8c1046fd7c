/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages that wait until all processes know of them: peers_user.c. */
#include "core/context.h"
#include "core/grow.h"
#include "peers.h"

bool peers_words_add(struct peers *p, const struct peers_word *w)
{
    if (!GROW(p->words, p->nwords, &p->words_cap))
        return false;
    p->words[p->nwords++] = *w;
    return true;
}

int peers_words_post(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio,
                     struct weft_err *err)
{
    struct peers *p = e->peers;
    const unsigned owner = p->owner[e->fabric->hosts[msg->src]];
    if (owner != p->link.me)
        return weft_err_set(err, WEFT_E_INPUT,
                            "host %u is of rank %u: rank %u can't post its messages", msg->src,
                            owner, p->link.me);
    struct peers_word w = {
        .t_ps = e->now, .order = p->told, .seq = p->nposted++, .post = true, .msg = *msg};
    w.msg.prio = prio;
    return peers_words_add(p, &w) ? 0 : weft_err_no_memory(err, "messages that wait");
}
