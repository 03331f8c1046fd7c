/* SPDX-License-Identifier: GPL-2.0-only */
/* Everything that auto can take. */
#ifndef WEFT_TESTS_CLI_AUTO_CHOICES_H
#define WEFT_TESTS_CLI_AUTO_CHOICES_H

#include "collective/algorithm.h"

#include <cstring>
#include <string>
#include <vector>

/** All algorithms that say what they cost and play @p kind over a whole group; of those, with two
 * dimensions every pair, with more the same in each. */
inline std::vector<std::string> AutoChoices(const std::string &kind, size_t dims)
{
    const std::vector<std::pair<std::string, weft_coll_kind>> kinds = {
        {"all-reduce", WEFT_COLL_ALL_REDUCE},
        {"all-gather", WEFT_COLL_ALL_GATHER},
        {"reduce-scatter", WEFT_COLL_REDUCE_SCATTER},
        {"all-to-all", WEFT_COLL_ALL_TO_ALL},
        {"broadcast", WEFT_COLL_BROADCAST}};
    std::vector<std::string> whole, phase, all;
    size_t n;
    const weft_coll_ops *const *ops = weft_coll_table(&n);
    const auto supports = [](const char *written, weft_coll_kind k) {
        weft_coll_algorithm a;
        weft_coll_call c = {};
        c.kind = k;
        c.n = 8;
        if (weft_coll_algorithm_parse(written, strlen(written), "", &a, nullptr))
            return false;
        weft_coll_use(&c, &a);
        const bool can = a.ops->supports(&c, nullptr);
        weft_coll_algorithm_release(&a);
        return can;
    };
    weft_coll_kind k = WEFT_COLL_ALL_REDUCE;
    for (const auto &one : kinds)
        k = one.first == kind ? one.second : k;
    for (size_t i = 0; i < n; i++) {
        const char *const alone[] = {ops[i]->name, nullptr};
        for (const char *const *t = ops[i]->tries ? ops[i]->tries : alone; ops[i]->cost && *t;
             t++) {
            /* a ring of a thousand relays takes a day, and nobody's all-to-all */
            if (!supports(*t, k) ||
                (k == WEFT_COLL_ALL_TO_ALL && std::string(*t).find("ring") == 0))
                continue;
            whole.push_back(*t);
            if (k != WEFT_COLL_ALL_REDUCE ||
                (supports(*t, WEFT_COLL_REDUCE_SCATTER) && supports(*t, WEFT_COLL_ALL_GATHER)))
                phase.push_back(*t);
        }
    }
    all = whole;
    for (size_t i = 0; i < phase.size() && k != WEFT_COLL_BROADCAST; i++) {
        for (size_t j = 0; dims == 2 && j < phase.size(); j++)
            all.push_back(phase[i] + "," + phase[j]);
        if (dims == 3)
            all.push_back(phase[i] + "," + phase[i] + "," + phase[i]);
    }
    return all;
}

#endif
