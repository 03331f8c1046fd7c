/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of the rows of a sweep: a line that several rows print is shown once. */
#include "sweep/log.h"
#include "base/hash_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct weft_sweep_line {
    UT_hash_handle hh;
    bool lost; /* not in the table, for want of memory */
    char text[];
};

/* Whether a line is there already; else it is from now on. */
static bool known(struct weft_sweep_log *s, const char *text, size_t len)
{
    struct weft_sweep_line *line = NULL;
    HASH_FIND(hh, s->lines, text, len, line);
    if (line)
        return true;
    line = (struct weft_sweep_line *)calloc(1, sizeof *line + len + 1);
    if (!line)
        return false;
    memcpy(line->text, text, len);
    HASH_ADD_KEYPTR(hh, s->lines, line->text, len, line);
    if (line->lost)
        free(line);
    return false;
}

void weft_sweep_log_print(struct weft_sweep_log *s, const char *text, FILE *out)
{
    while (*text) {
        const size_t len = strcspn(text, "\n"), whole = len + (text[len] == '\n');
        if (known(s, text, len))
            s->again++;
        else
            fwrite(text, 1, whole, out);
        text += whole;
    }
}

void weft_sweep_log_free(struct weft_sweep_log *s)
{
    struct weft_sweep_line *line, *next;
    HASH_ITER(hh, s->lines, line, next)
    {
        HASH_DEL(s->lines, line);
        free(line);
    }
    *s = (struct weft_sweep_log){0};
}
