/* SPDX-License-Identifier: GPL-2.0-only */
/* Section output of a scenario. */
#include "scenario/output.h"

#include "base/list.h"

#include <stdint.h>
#include <string.h>

/* The files of report/columns.h, which a test compares. */
static const struct weft_param item[] = {
    {.type = WEFT_PARAM_ENUM,
     .choices = "flows|ops|links|pfc|collectives|ranks|dimensions|critical_path|faults|"
                "tcp_connections|jobs|classes|requests"}};

static const struct weft_list_form tables_form = {
    .like = "TABLE,..., such as flows,links; or all, or none",
    .fields = item,
    .nfields = 1,
    .words = "all|none",
    .unique = true};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct weft_output_params, tables, "tables", "all"),
     .help = "the tables that are written (flows, ops, links, pfc, collectives, ranks, dimensions, "
             "critical_path, faults, tcp_connections, jobs, classes, requests), or all, or none; "
             "run.json and series are written in any case",
     .list = &tables_form},
    {WEFT_ROW_ENUM(struct weft_output_params, compress, "compress", "auto", "auto|none|zstd"),
     .help = "which tables are compressed with zstd (FILE.csv.zst): those that outgrow "
             "compress-above, none, or all"},
    {WEFT_ROW_SIZE(struct weft_output_params, compress_above_bytes, "compress-above", "64MiB", NULL,
                   NULL),
     .help = "size of a table from which on it is compressed", .needs = "compress=auto"},
};
const struct weft_param_table weft_output_param_table =
    WEFT_PARAM_TABLE(params, struct weft_output_params);

bool weft_output_has(const struct weft_output_params *p, const char *file)
{
    struct weft_list list = {p->tables, &tables_form, 0};
    struct weft_list_item of;
    const int word = weft_list_is_word(&tables_form, p->tables);
    while (word < 0 && weft_list_next(&list, &of, &(struct weft_err){0}) > 0)
        if (strncmp(file, of.text, of.len) == 0 && strcmp(file + of.len, ".csv") == 0)
            return true;
    return word == 0;
}

uint64_t weft_output_pack_above(const struct weft_output_params *p)
{
    switch (p->compress) {
    case WEFT_OUTPUT_AUTO:
        return p->compress_above_bytes;
    case WEFT_OUTPUT_ZSTD:
        return 0;
    case WEFT_OUTPUT_NONE:
        break;
    }
    return UINT64_MAX;
}
