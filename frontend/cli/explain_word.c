/* SPDX-License-Identifier: GPL-2.0-only */
/* weft explain WORD: metrics, columns and members of families that the word names. */
#include "cli/cli_internal.h"

#include "command/listing.h"
#include "report/columns.h"
#include "report/summary.h"
#include "system/system.h"

#include <string.h>
#include <strings.h>

enum { MOST_OF_TABLE = 3 };

/* What tables of commands have beside metrics, and other words for metrics. */
static const struct {
    const char *word, *what;
} others[] = {
    {"speed-up", "column of 'weft sweep': end-to-end time with the first value of the last --vary, "
                 "everything else the same, divided by that of the row"},
    {"congestion-control.name", "setting: the congestion control, one of 'weft list cc'"},
    {"congestion-control.preset",
     "setting: constants of the control in use, one of 'weft list presets'"},
    {"system.preset", "setting: accelerators of a machine, one of 'weft list presets'"},
    {"topology.type", "setting: the fabric, one of 'weft list topologies'"},
    {"workload.type", "setting: the traffic, one of 'weft list workloads'"},
    {"network.backend", "setting: what carries messages, one of 'weft list backends'"},
    {"label.", "in 'weft sweep --vary \'label.NAME=A|B & KEY=C|D\'': the table names each value of "
               "KEY by the label in its place, in a column NAME"},
    {"irn",
     "RoCE with selective repeat: transport.recovery=selective-repeat, and transport.bdp-fc; "
     "its paper's timeouts are transport.rto=320us and transport.rto-low=100us"},
    {"busbw", "bus bandwidth of nccl-tests: metrics *-bus-bandwidth, and 'weft nccl-tests'"},
};

/* Whether it is @p word, or begins with it where that ends with a dot: a label has any name. */
static bool is_other(const char *text, const char *word)
{
    const size_t n = strlen(word);
    return strncasecmp(text, word, n) == 0 && (!text[n] || word[n - 1] == '.');
}

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

/* Lines of one kind. A scope of metrics and a file of columns show the first few each. */
struct word_lines {
    FILE *out;
    const char *kind, *list; /* "metric", and the command that lists all */
    size_t all, shown, of_table;
};

static void word_line(struct word_lines *l, const char *word, const char *prefix, const char *name,
                      const char *of, const char *help)
{
    if (!names(name, word))
        return;
    l->all++;
    if (++l->of_table > MOST_OF_TABLE)
        return;
    l->shown++;
    fprintf(l->out, "%s %s%s%s: %s\n", l->kind, prefix, name, of, help);
}

static size_t word_lines_end(const struct word_lines *l)
{
    if (l->all > l->shown)
        fprintf(l->out, "and %zu more %s%s: '%s'\n", l->all - l->shown, l->kind,
                l->all - l->shown > 1 ? "s" : "", l->list);
    return l->all;
}

static size_t metrics(FILE *out, const char *word)
{
    struct word_lines l = {.out = out, .kind = "metric", .list = "weft list metrics"};
    for (int scope = WEFT_METRIC_OF_RUN; scope <= WEFT_METRIC_OF_CLASS; scope++) {
        size_t n;
        const struct weft_metric *m = weft_metrics_of((enum weft_metric_scope)scope, &n);
        l.of_table = 0;
        for (size_t i = 0; i < n; i++)
            word_line(&l, word, weft_metric_scope_prefix((enum weft_metric_scope)scope), m[i].name,
                      "", m[i].help);
    }
    return word_lines_end(&l);
}

static size_t columns(FILE *out, const char *word)
{
    struct word_lines l = {.out = out, .kind = "column", .list = "weft show output"};
    char of[96];
    for (size_t f = 0; f < WEFT_CSV_FILES; f++) {
        snprintf(of, sizeof of, " of %s", weft_csv_files[f]->name);
        l.of_table = 0;
        for (size_t i = 0; i < weft_csv_files[f]->n; i++)
            word_line(&l, word, "", weft_csv_files[f]->columns[i].name, of,
                      weft_csv_files[f]->columns[i].help);
    }
    return word_lines_end(&l);
}

static size_t members(const struct weft_cli *cli, const char *word)
{
    size_t n, lines = 0;
    struct weft_listed e;
    const struct weft_listing *l = weft_listings(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; l[i].get(cli, k, &e); k++) {
            if (strcasecmp(e.name, word) == 0 && ++lines)
                fprintf(cli->out, "%s %s: %s; 'weft show %s %s'\n", l[i].singular, e.name, e.title,
                        l[i].singular, e.name);
        }
    return lines;
}

size_t weft_explain_word(const struct weft_cli *cli, const char *word)
{
    size_t all = members(cli, word), n;
    const struct weft_command *const *c = weft_commands(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(c[i]->name, word) == 0 && ++all)
            fprintf(cli->out, "command %s: %s; 'weft %s --help'\n", word, c[i]->summary, word);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (is_other(word, others[i].word) && ++all)
            fprintf(cli->out, "%s: %s\n", word, others[i].what);
    for (unsigned c = 0; c < WEFT_CAUSES; c++)
        if (strcmp(weft_cause_name((enum weft_cause)c), word) == 0 && ++all)
            fprintf(cli->out, "%s: cause of waiting: %s\n", word,
                    weft_cause_meaning((enum weft_cause)c));
    return all + metrics(cli->out, word) + columns(cli->out, word);
}
