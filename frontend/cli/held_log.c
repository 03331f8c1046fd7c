/* SPDX-License-Identifier: GPL-2.0-only */
/* See held_log.h. */
#include "cli/held_log.h"

#include <stdlib.h>
#include <string.h>

struct line {
    struct line *next;
    enum weft_log_level level;
    char text[];
};

static struct weft_log *held, before;
static struct line *first, **last = &first;

static void keep(void *user, enum weft_log_level level, const char *text)
{
    const size_t size = strlen(text) + 1;
    struct line *l = (struct line *)malloc(sizeof *l + size);
    (void)user;
    if (!l) {
        before.sink(before.user, level, text); /* sooner than not at all */
        return;
    }
    l->next = NULL;
    l->level = level;
    memcpy(l->text, text, size);
    *last = l;
    last = &l->next;
}

void weft_held_log_hold(struct weft_log *log)
{
    if (held || !log || !log->sink)
        return;
    held = log;
    before = *log;
    log->sink = keep;
}

/* Gives the log its sink back; @p say: what waits. */
static void let_go(bool say)
{
    while (first) {
        struct line *l = first;
        first = l->next;
        if (say)
            before.sink(before.user, l->level, l->text);
        free(l);
    }
    last = &first;
    if (held)
        held->sink = before.sink;
    held = NULL;
}

void weft_held_log_release(void)
{
    let_go(true);
}

void weft_held_log_drop(void)
{
    if (held)
        memcpy(held->count, before.count, sizeof before.count);
    let_go(false);
}
