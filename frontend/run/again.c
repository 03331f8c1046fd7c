/* SPDX-License-Identifier: GPL-2.0-only */
/* Repeats a run without replay and threads after an internal error of these. */
#include "run/again.h"

/* Whether an optimisation took part in what a net did. */
static bool optimised(struct weft_net *net)
{
    struct weft_replay_figures r = {0};
    struct weft_thread_figures t = {0};
    if (net->ops->replay)
        net->ops->replay(net, &r);
    if (net->ops->threads)
        net->ops->threads(net, &t);
    return r.looks || r.jumps || r.copies || r.plays || r.taken || t.windows;
}

bool weft_again_wanted(const struct weft_cli *cli, const struct weft_scenario *s,
                       struct weft_net *net, const struct weft_err *err)
{
    return err->code == WEFT_E_INTERNAL && !s->plain && !cli->peers && !cli->no_fallback &&
           optimised(net);
}

void weft_again_begin(const struct weft_cli *cli, struct weft_scenario *s, struct weft_err *err)
{
    s->plain = weft_arena_strdup(s->arena, err->msg);
    s->plain = s->plain ? s->plain : "out of memory for the reason";
    weft_log(cli->log, WEFT_LOG_WARNING,
             "run.replay or run.threads met what they did not foresee (%s): the run begins again "
             "without them; results are right, but please report this",
             s->plain);
    *err = (struct weft_err){0};
}

void weft_again_summarize(const struct weft_scenario *s, struct weft_summary *m)
{
    m->fallbacks = s->plain != NULL;
    m->fallback = s->plain;
    m->replay_auto = s->replay_auto;
    m->train = (uint32_t)weft_scenario_number(s, "transport", "train");
}
