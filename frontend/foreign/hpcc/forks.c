/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys of forks: forks.def. */
#include "foreign/hpcc/forks.h"

#include <string.h>

static const struct fork {
    const char *key, *off, *meaning;
} forks[] = {
#define WEFT_HPCC_FORK(key, off, meaning) {#key, off, meaning},
#include "foreign/hpcc/forks.def"
#undef WEFT_HPCC_FORK
};

int weft_hpcc_fork_find(const char *key)
{
    for (size_t i = 0; i < sizeof forks / sizeof forks[0]; i++)
        if (strcmp(forks[i].key, key) == 0)
            return (int)i;
    return -1;
}

int weft_hpcc_fork_read(struct weft_scan *s, int row, struct weft_err *err)
{
    const struct fork *f = &forks[row];
    if (!f->off)
        return weft_scan_err(s, err, WEFT_E_INPUT, "%s is %s: weft doesn't have it", f->key,
                             f->meaning);
    const int rc = weft_scan_need(s, f->key, err);
    if (rc || strcmp(s->tok, f->off) == 0)
        return rc;
    return weft_scan_err(s, err, WEFT_E_INPUT,
                         "%s is %s: weft doesn't have it; with %s %s the rest is read", f->key,
                         f->meaning, f->key, f->off);
}
