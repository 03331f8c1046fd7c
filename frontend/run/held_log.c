/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers log lines of an attempt: they are written if the attempt goes on and dropped if it is
 * repeated.
 */
#include "run/held_log.h"

#include <stdlib.h>
#include <string.h>

struct line {
    struct line *next;
    enum weft_log_level level;
    char text[];
};

static struct weft_log *held, before;
static struct line *first, **last = &first;
static struct weft_log *released; /**< whose lines these are: */
static struct line *log_lines;

static void held_log_keep(void *user, enum weft_log_level level, const char *text)
{
    const size_t size = strlen(text) + 1;
    struct line *l = (struct line *)malloc(sizeof *l + size);
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
    log->sink = held_log_keep;
}

/* What has been said is not said again, once each. */
static void skip(void *user, enum weft_log_level level, const char *text)
{
    for (struct line **at = &log_lines; *at; at = &(*at)->next) {
        struct line *l = *at;
        if (l->level != level || strcmp(l->text, text) != 0)
            continue;
        *at = l->next;
        free(l);
        return;
    }
    before.sink(user, level, text);
}

void weft_held_log_release(void)
{
    if (!held)
        return;
    for (struct line *l = first; l; l = l->next)
        before.sink(before.user, l->level, l->text);
    *last = log_lines;
    log_lines = first;
    first = NULL;
    last = &first;
    held->sink = before.sink;
    released = held;
    held = NULL;
}

void weft_held_log_drop(void)
{
    struct weft_log *log = held ? held : released;
    if (!log)
        return;
    memcpy(log->count, before.count, sizeof before.count);
    log->sink = held ? before.sink : skip;
    while (first) {
        struct line *l = first;
        first = l->next;
        free(l);
    }
    last = &first;
    held = released = NULL;
}
