/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are one experiment of another tool, as the command that runs it: those of ASTRA-sim
 * (traces, system, network, memory ...), and of SimAI (list of layers, topology, SimAI.conf). An
 * experiment has each kind once; what it needs and is not there is left to fill in.
 */
#include "foreign/import.h"

#include <string.h>

static const struct {
    const char *command;
    unsigned needed; /* of its options: those at the first places */
    const char *absent[3];
} tools[WEFT_IMPORT_TOOLS] = {
    [WEFT_IMPORT_ASTRA_SIM] = {"weft astra-sim",
                               3,
                               {"--workload-configuration=...", "--system-configuration=...",
                                "--network-configuration=..."}},
    [WEFT_IMPORT_SIMAI] = {"weft simai", 2, {"-w WORKLOAD", "-n TOPOLOGY"}},
};

/* What of the files is at each place. */
struct parts {
    const char *option[WEFT_IMPORT_PLACES], *arg[WEFT_IMPORT_PLACES];
    size_t n; /* places that are taken */
    bool sure, twice;
};

static struct parts parts_of(enum weft_import_tool tool, const struct weft_import_found *files,
                             size_t n)
{
    struct parts p = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        unsigned place;
        bool sure;
        const char *option =
            files[i].kind ? weft_import_option(files[i].kind, tool, &place, &sure) : NULL;
        if (!option)
            continue;
        p.sure = p.sure || sure;
        p.twice = p.twice || (p.arg[place] && strcmp(p.arg[place], files[i].arg) != 0);
        p.n += !p.arg[place];
        p.option[place] = option;
        p.arg[place] = files[i].arg;
    }
    return p;
}

static void import_experiment_print(FILE *out, enum weft_import_tool tool, const struct parts *p)
{
    fputs(tools[tool].command, out);
    for (unsigned i = 0; i < WEFT_IMPORT_PLACES; i++) {
        const char *at = p->arg[i] ? strstr(p->option[i], "%s") : NULL;
        if (at)
            fprintf(out, " %.*s%s", (int)(at - p->option[i]), p->option[i], p->arg[i]);
        else if (i < tools[tool].needed)
            fprintf(out, " %s", tools[tool].absent[i]);
    }
    fputc('\n', out);
}

bool weft_import_experiment(FILE *out, struct weft_import_found *files, size_t n)
{
    for (int tool = 0; tool < WEFT_IMPORT_TOOLS; tool++) {
        const struct parts p = parts_of((enum weft_import_tool)tool, files, n);
        /* a list of layers with SimAI's topology is SimAI's, also without SimAI.conf */
        const bool both = tool == WEFT_IMPORT_SIMAI && p.arg[0] && p.arg[1];
        if (p.twice || p.n < 2 || !(p.sure || both))
            continue;
        import_experiment_print(out, (enum weft_import_tool)tool, &p);
        for (size_t i = 0; i < n; i++) {
            unsigned place;
            bool sure;
            if (files[i].kind &&
                weft_import_option(files[i].kind, (enum weft_import_tool)tool, &place, &sure))
                files[i].kind = NULL;
        }
        return true;
    }
    return false;
}
