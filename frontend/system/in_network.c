/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations of the switches as the NPUs see them: each member posts a part and gets the result as
 * a message of its own.
 *
 * The result can't come before the last member has posted, so what led to it (causal_path.h) is the
 * way of that member. A joint is an operation from its first part until its last part is over, with
 * the causal_path of the latest post. Like causal_paths it says what happened and decides nothing.
 */
#include "system/system_internal.h"

#include <stdlib.h>

struct weft_joint {
    struct weft_site_group *group;
    uint64_t tag;
    struct weft_causal_path *causal_path; /* of the latest post */
    int64_t post_ps;                      /* when that was */
    uint32_t unposted;                    /* members that have not posted their part */
    uint32_t parts;                       /* members whose part is not over */
    struct weft_joint *prev, *next;
};

/* The operation with this tag, made by the first that posts. NULL: out of memory. */
static struct weft_joint *joint_of(struct weft_site_group *g, uint64_t tag, uint32_t members)
{
    void *found = NULL;
    if (weft_u64map_get(&g->posting, tag, &found))
        return found;
    struct weft_joint *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    if (weft_u64map_put(&g->posting, tag, j)) {
        free(j);
        return NULL;
    }
    *j = (struct weft_joint){
        .group = g, .tag = tag, .unposted = members, .parts = members, .next = g->joints};
    if (g->joints)
        g->joints->prev = j;
    g->joints = j;
    return j;
}

void weft_joint_post(struct weft_npu *npu, uint32_t op, struct weft_site_group *g, uint32_t members,
                     const struct weft_part *part)
{
    struct weft_system *s = npu->sys;
    struct weft_err err = {0};
    struct weft_joint *j = joint_of(g, part->tag, members);
    if (!j) {
        weft_npu_no_memory(npu, "a collective");
        return;
    }
    weft_causal_path_drop(s, j->causal_path);
    j->causal_path = weft_causal_path_take(npu, op);
    j->post_ps = weft_now_ps(s);
    if (--j->unposted == 0)
        weft_u64map_take(&g->posting, part->tag, NULL);
    struct weft_part own = *part;
    own.token.object = j;
    own.token_type = WEFT_TOKEN_JOINT;
    if (s->net->ops->contribute(s->net, &own, &err)) {
        weft_err_prepend(&err, "rank %u", npu->rank);
        weft_system_fail(s, &err);
    }
}

void weft_joint_arrival(struct weft_active *a, const struct weft_completion *done)
{
    const struct weft_joint *j = weft_token_joint(done);
    struct weft_completion last = *done; /* as seen from the latest post */
    last.post_ps = j->post_ps;
    last.ideal_ps = done->post_ps + done->ideal_ps - j->post_ps;
    weft_npu_arrival(a, j->causal_path, &last);
}

void weft_joint_sent(struct weft_system *s, const struct weft_completion *done)
{
    struct weft_joint *j = weft_token_joint(done);
    WEFT_REQUIRE(j->parts > 0);
    if (--j->parts > 0)
        return;
    weft_causal_path_drop(s, j->causal_path);
    if (j->prev)
        j->prev->next = j->next;
    else
        j->group->joints = j->next;
    if (j->next)
        j->next->prev = j->prev;
    free(j);
}

void weft_joints_free(struct weft_site_group *g)
{
    for (struct weft_joint *j = g->joints, *next; j; j = next) {
        next = j->next;
        free(j);
    }
    weft_u64map_release(&g->posting);
}
