/* SPDX-License-Identifier: GPL-2.0-only */
/* weft explain WORD: metrics, columns and members of families that the word names. */
#include "explain_word.h"

#include "command/listing.h"
#include "report/columns.h"
#include "report/summary.h"
#include "system/system.h"

#include <string.h>

enum { MOST_LINES = 8, MOST_OF_SCOPE = 3 };

/* What tables of commands have beside metrics, and other words for metrics. */
static const struct {
    const char *word, *what;
} others[] = {
    {"speed-up", "column of 'weft sweep': end-to-end time with the first value of the last --vary, "
                 "everything else the same, divided by that of the row"},
    {"congestion-control.name", "setting: the congestion control, one of 'weft list cc'"},
    {"topology.type", "setting: the fabric, one of 'weft list topologies'"},
    {"workload.type", "setting: the traffic, one of 'weft list workloads'"},
    {"network.backend", "setting: what carries messages, one of 'weft list backends'"},
    {"busbw", "bus bandwidth of nccl-tests: metrics *-bus-bandwidth, and 'weft nccl-tests'"},
};

/* Whether the word is in a name, whatever stands between its parts. */
static bool names(const char *name, const char *word)
{
    const size_t n = strlen(word);
    for (; n && *name; name++) {
        size_t i = 0;
        while (i < n && name[i] &&
               (name[i] == word[i] || (strchr("-_", name[i]) && strchr("-_", word[i]))))
            i++;
        if (i == n)
            return true;
    }
    return false;
}

static void print(FILE *out, size_t *lines, const char *what, const char *name, const char *text)
{
    if (++*lines <= MOST_LINES)
        fprintf(out, "%s %s: %s\n", what, name, text);
}

/* Says how many lines are not shown; returns how many there are. */
static size_t rest(FILE *out, size_t lines, const char *what)
{
    if (lines > MOST_LINES)
        fprintf(out, "and %zu more %s\n", lines - MOST_LINES, what);
    return lines;
}

static size_t metrics(FILE *out, const char *word)
{
    char name[2 * WEFT_METRIC_TEXT_MAX];
    size_t all = 0, shown = 0, n;
    for (int scope = WEFT_METRIC_OF_RUN; scope <= WEFT_METRIC_OF_CLASS; scope++) {
        const struct weft_metric *m = weft_metrics_of((enum weft_metric_scope)scope, &n);
        size_t of_scope = 0;
        for (size_t i = 0; i < n; i++) {
            if (!names(m[i].name, word))
                continue;
            all++;
            if (++of_scope > MOST_OF_SCOPE)
                continue;
            shown++;
            snprintf(name, sizeof name, "%s%s",
                     weft_metric_scope_prefix((enum weft_metric_scope)scope), m[i].name);
            fprintf(out, "metric %s: %s\n", name, m[i].help);
        }
    }
    if (all > shown)
        fprintf(out, "and %zu more metrics: 'weft list metrics'\n", all - shown);
    return all;
}

static size_t columns(FILE *out, const char *word)
{
    char name[96];
    size_t lines = 0;
    for (size_t f = 0; f < WEFT_CSV_FILES; f++)
        for (size_t i = 0; i < weft_csv_files[f]->n; i++) {
            const struct weft_column *c = &weft_csv_files[f]->columns[i];
            if (!names(c->name, word))
                continue;
            snprintf(name, sizeof name, "%s of %s", c->name, weft_csv_files[f]->name);
            print(out, &lines, "column", name, c->help);
        }
    return rest(out, lines, "columns: 'weft show output'");
}

static size_t members(const struct weft_cli *cli, const char *word)
{
    size_t n, lines = 0;
    struct weft_listed e;
    const struct weft_listing *l = weft_listings(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; l[i].get(cli, k, &e); k++) {
            if (strcmp(e.name, word) == 0 && ++lines)
                fprintf(cli->out, "%s %s: %s; 'weft show %s %s'\n", l[i].singular, e.name, e.title,
                        l[i].singular, e.name);
        }
    return lines;
}

size_t weft_explain_word(const struct weft_cli *cli, const char *word)
{
    size_t all = members(cli, word);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i].word, word) == 0 && ++all)
            fprintf(cli->out, "%s: %s\n", word, others[i].what);
    for (unsigned c = 0; c < WEFT_CAUSES; c++)
        if (strcmp(weft_cause_name((enum weft_cause)c), word) == 0 && ++all)
            fprintf(cli->out, "%s: cause of waiting: %s\n", word,
                    weft_cause_meaning((enum weft_cause)c));
    return all + metrics(cli->out, word) + columns(cli->out, word);
}
