/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of switch.balance, and the balancers of plug-ins. */
#include "topologies/balancer.h"

#include "base/plugin.h"

#include <stdio.h>
#include <string.h>

/* Longest name of a balancer. */
#define BALANCER_NAME_MAX 64

char weft_balance_words[WEFT_PLUGIN_ROOM * (BALANCER_NAME_MAX + 1) + 256] =
#define BALANCE(number, word, title, pick, per_packet, shared, steer, path) "|" word
#include "balances.def"
#undef BALANCE
    ;

static const struct weft_balancer_help own[] = {
#define BALANCE(number, word, title, pick, per_packet, shared, steer, path)                        \
    {word, title, "balance=" word},
#include "balances.def"
#undef BALANCE
};
#define OWN (sizeof own / sizeof *own)

static const struct weft_balancer_ops *table[WEFT_PLUGIN_ROOM];
static size_t table_n;

static const char *balancer_name_of(size_t i)
{
    return i < OWN ? own[i].name : table[i - OWN]->name;
}

int weft_balancer_add(const void *member, struct weft_err *err)
{
    const struct weft_balancer_ops *ops = (const struct weft_balancer_ops *)member;
    const size_t used = strlen(weft_balance_words);
    const int rc = weft_plugin_check_name(ops->name, balancer_name_of, OWN + table_n,
                                          OWN + WEFT_PLUGIN_ROOM, "balancer", err);
    if (rc)
        return rc;
    if (!ops->pick || strlen(ops->name) > BALANCER_NAME_MAX)
        return weft_err_set(err, WEFT_E_INPUT, "the balancer '%.64s' %s", ops->name,
                            ops->pick ? "has too long a name" : "has no 'pick'");
    snprintf(weft_balance_words + used, sizeof weft_balance_words - used, "|%s", ops->name);
    table[table_n++] = ops;
    return 0;
}

bool weft_balancer_help(size_t number, struct weft_balancer_help *out)
{
    if (number >= OWN + table_n)
        return false;
    const struct weft_balancer_ops *o = weft_balancer_at(number);
    *out = o ? (struct weft_balancer_help){o->name, o->title, NULL} : own[number];
    return true;
}

const struct weft_balancer_ops *weft_balancer_at(size_t number)
{
    return number - OWN < table_n ? table[number - OWN] : NULL;
}
