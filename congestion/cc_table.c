/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of congestion controls, made from cc_table.def.
 */
#include "congestion/cc.h"
#include "congestion/cc_marking.h"
#include "congestion/cc_table.h"
#include "congestion/cc_switch.h"

#include "base/family.h"
#include "base/scale.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WEFT_CC(x) extern const struct weft_cc_ops weft_cc_##x;
#include "cc_table.def"
#undef WEFT_CC

/* Their number. */
enum {
#define WEFT_CC(x) TABLE_OF_##x,
#include "cc_table.def"
#undef WEFT_CC
    TABLE_OWN
};

/* Those of the program, then those that are loaded at run time. */
static const struct weft_cc_ops *table[TABLE_OWN + WEFT_PLUGIN_ROOM] = {
#define WEFT_CC(x) &weft_cc_##x,
#include "cc_table.def"
#undef WEFT_CC
};
WEFT_FAMILY(weft_cc, "congestion control")

int weft_cc_check_ops(const struct weft_cc_ops *o, struct weft_err *err)
{
    const struct {
        const char *what;
        bool wanted, there;
    } parts[] = {
        {"init", true, o->init},
#define WEFT_CC_NEED(symbol, bit, word, part, there)                                               \
    {part, o->needs & WEFT_CC_NEEDS_##symbol, there},
#include "cc_needs.def"
#undef WEFT_CC_NEED
        {"observe", o->observables, o->observe},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].wanted && !parts[i].there)
            return weft_err_set(
                err, WEFT_E_INTERNAL, "the congestion control '%s' has no '%s', which %s requires",
                o->name, parts[i].what, i == 0 ? "each" : "what it needs or offers");
    if (o->starts_with_cnp &&
        (!o->on_cnp || o->on_ack || o->on_rto || o->on_timer || o->credit || o->supply))
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "the congestion control '%s' starts with a CNP, so that it has an "
                            "'on_cnp' and acts on nothing else that comes in",
                            o->name);
    size_t n = 0;
    while (o->observables && o->observables[n].name)
        n++;
    return n <= WEFT_CC_OBSERVABLES_MAX
               ? 0
               : weft_err_set(err, WEFT_E_INTERNAL,
                              "the congestion control '%s' has more than %d observables", o->name,
                              WEFT_CC_OBSERVABLES_MAX);
}

const char *weft_cc_marking_text(const struct weft_cc_marking *m, const char *name)
{
    return strcmp(name, "kmin") == 0   ? m->kmin
           : strcmp(name, "kmax") == 0 ? m->kmax
           : strcmp(name, "pmax") == 0 ? m->pmax
                                       : NULL;
}

unsigned weft_cc_needs(const struct weft_cc_ops *ops, const void *params)
{
    unsigned needs = ops->needs_now ? ops->needs_now(params) : ops->needs;
    if (weft_params_scaled_by(&ops->params, params, WEFT_BASIS_BASE_RTT))
        needs |= WEFT_CC_NEEDS_BASE_RTT;
    return needs & ops->needs;
}

size_t weft_cc_state_bytes(const struct weft_cc_ops *ops, const struct weft_cc_signals *signals,
                           uint32_t hops)
{
    return signals->head_bytes ? signals->head_bytes + weft_cc_stamps(hops) * signals->hop_bytes
                               : ops->state_size;
}

const char *weft_cc_signal_names(const struct weft_cc_ops *ops, const void *params, char *buf,
                                 size_t size)
{
    static const char *const words[] = {
#define WEFT_CC_NEED(symbol, bit, word, part, there) [bit] = word,
#include "cc_needs.def"
#undef WEFT_CC_NEED
    };
    unsigned needs = weft_cc_needs(ops, params);
    struct weft_cc_cnp how = {0};
    size_t used = 0;
    buf[0] = '\0';
    if (ops->cnp)
        ops->cnp(params, &how);
    for (unsigned i = 0; i < sizeof words / sizeof words[0] && used < size; i++) {
        if (!(needs >> i & 1))
            continue;
        const char *packet = 1u << i == WEFT_CC_NEEDS_CNP && how.separate ? ", cnp-packet" : "";
        used +=
            (size_t)snprintf(buf + used, size - used, "%s%s%s", used ? ", " : "", words[i], packet);
    }
    if (!used)
        snprintf(buf, size, "none");
    return buf;
}

const struct weft_cc_ops *weft_cc_preset_owner(const char *name)
{
    for (size_t i = 0; i < table_n; i++)
        for (const struct weft_preset *p = table[i]->presets; p && p->name; p++)
            if (strcmp(p->name, name) == 0)
                return table[i];
    return NULL;
}
