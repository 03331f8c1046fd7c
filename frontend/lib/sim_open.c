/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a network from a scenario, and closing it. */
#include "lib/sim.h"

#include "base/units.h"

#include <stdlib.h>

/* Kinds of events that are always taken, and all that there are. */
#define OPEN_KINDS (WEFT_DELIVERED | WEFT_ACKNOWLEDGED | WEFT_MATCHED | WEFT_TIMER)
#define OPEN_NIC_KINDS (WEFT_STARTED | WEFT_SENT)

static bool open_never_over(void *ctx)
{
    return false;
}

/* What needs a folder, without one. */
static int open_check_folder(const struct weft_sim *s, const char *folder, struct weft_err *err)
{
    if (folder || !s->parts.series)
        return 0;
    return weft_err_set(err, WEFT_E_INPUT,
                        "sample.what writes files: the network has to be opened with a folder");
}

static int open_net(struct weft_sim *s, const struct weft_sim_options *o, struct weft_err *err)
{
    struct weft_net_config config = weft_scenario_net_config(s->scenario, s->parts.fabric);
    config.out_dir = o->folder;
    if (open_check_folder(s, o->folder, err) || s->scenario->backend->create(&config, &s->net, err))
        return err->code;
    if (s->kinds & OPEN_NIC_KINDS && sim_nics_new(s, err))
        return err->code;
    if (o->receives && !(s->match = sim_match_new(err)))
        return err->code;
    if (s->parts.series && !(s->series = weft_series_new(s->parts.series, s->net, o->folder, err)))
        return err->code;
    const struct weft_fault_play faults = {
        .plan = s->parts.faults, .net = s->net, .over = open_never_over};
    if (s->parts.faults && !(s->faults = weft_fault_player_new(&faults, err)))
        return err->code;
    weft_watch_init(&s->watch, s->net, s->scenario->run->stall_after_ps);
    return 0;
}

static int open_options(const struct weft_sim_options *o, struct weft_err *err)
{
    bool known = !(o->events & ~(uint32_t)(OPEN_KINDS | OPEN_NIC_KINDS));
    for (size_t i = 0; i < sizeof o->reserved / sizeof *o->reserved; i++)
        known &= o->reserved[i] == 0;
    return known ? 0
                 : weft_err_set(err, WEFT_E_USAGE,
                                "the network is opened with options that this library does not "
                                "know");
}

static int open_all(struct weft_sim *s, const char *scenario,
                    const struct weft_scenario_options *how, const struct weft_sim_options *o,
                    struct weft_err *err)
{
    int rc = open_options(o, err);
    rc = rc ? rc : weft_scenario_load(scenario, how, &s->scenario, err);
    rc = rc ? rc : weft_scenario_build_net(s->scenario, &s->parts, err);
    return rc ? rc : open_net(s, o, err);
}

weft_sim *sim_open(const struct weft_net_backend *const *backends, size_t nbackends,
                   const char *scenario, const char *const *settings, size_t n,
                   const struct weft_sim_options *options, struct weft_error *error)
{
    const struct weft_sim_options defaults = {0};
    const struct weft_scenario_options how = {.backends = backends,
                                              .nbackends = nbackends,
                                              .sets = settings,
                                              .nsets = n,
                                              .no_workloads = true};
    struct weft_err err = {0};
    struct weft_sim *s = (struct weft_sim *)calloc(1, sizeof *s);
    if (s) {
        *s = (struct weft_sim){.items = WEFT_SLOTS_OF(struct sim_item),
                               .armed_ps = WEFT_NEVER,
                               .kinds = OPEN_KINDS | (options ? options->events : 0)};
        open_all(s, scenario, &how, options ? options : &defaults, &err);
    } else {
        weft_err_no_memory(&err, "a network");
    }
    if (error) {
        *error = (struct weft_error){.code = err.code};
        if (err.code)
            weft_err_format(&err, error->text, sizeof error->text);
    }
    if (err.code) {
        weft_sim_close(s);
        return NULL;
    }
    return s;
}

void weft_sim_close(weft_sim *s)
{
    if (!s)
        return;
    weft_series_free(s->series);
    weft_fault_player_free(s->faults);
    if (s->net)
        s->net->ops->free(s->net);
    sim_changes_free(s);
    sim_match_free(s->match);
    sim_nics_free(s->nics);
    weft_scenario_parts_free(&s->parts);
    weft_scenario_free(s->scenario);
    sim_pending_release(&s->pending);
    weft_slots_release(&s->items);
    free(s->events);
    free(s);
}

uint32_t weft_sim_abi(void)
{
    return WEFT_SIM_ABI;
}
