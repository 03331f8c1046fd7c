/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of parallelisation policies of ASTRA-sim 1.0 workloads, from policies.def. */
#include "workload/astra_text/astra_text.h"

static const struct {
    const char *word;
    enum weft_astra_loop loop;
    enum weft_astra_scope model, data;
} policies[WEFT_ASTRA_POLICIES] = {
#define WEFT_ASTRA_POLICY(symbol, word, loop, model, data)                                         \
    {word, WEFT_ASTRA_LOOP_##loop, WEFT_ASTRA_##model, WEFT_ASTRA_##data},
#include "workload/astra_text/policies.def"
#undef WEFT_ASTRA_POLICY
};

const char *weft_astra_policy_word(enum weft_astra_policy policy)
{
    return policies[policy].word;
}

enum weft_astra_loop weft_astra_policy_loop(enum weft_astra_policy policy)
{
    return policies[policy].loop;
}

enum weft_astra_scope weft_astra_policy_scope(enum weft_astra_policy policy,
                                              enum weft_astra_part part)
{
    return part == WEFT_ASTRA_WEIGHT_GRADIENT ? policies[policy].data : policies[policy].model;
}

const char *weft_astra_scope_name(enum weft_astra_scope scope)
{
    static const char *const names[WEFT_ASTRA_SCOPES] = {"none", "all", "first", "rest",
                                                         "tp",   "dp",  "ep",    "dp_ep"};
    return names[scope];
}
