/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload `goal`: a schedule from a file. */
#include "workload/goal/goal_internal.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

struct params {
    const char *file;
    struct weft_goal_play play;
};

static const struct weft_param table[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL),
     .help = "the schedule, text or binary; its ranks are the first hosts of the fabric"},
    {WEFT_ROW_TIME(struct params, play.calc_ps, "calc-scale", "1ns", "1ps", "1s"),
     .help = "time of a unit of calc; files of Schedgen's resnet pattern are in 1us",
     .source = "GOAL does not say; LogGOPSim's traces are in nanoseconds"},
    {WEFT_ROW_TIME(struct params, play.overhead_ps, "overhead", "0", "0ps", "1s"),
     .help = "o: how long each message occupies the cpu that its send names, and that of its recv",
     .source = "Hoefler et al., LogGOPSim, HPDC 2010; 200 ns in the AI set of ATLAHS"},
    {WEFT_ROW_TIME(struct params, play.byte_ps, "byte-overhead", "0", "0ps", "1ms"),
     .help = "O: the same for each byte behind the first",
     .source = "Hoefler et al., LogGOPSim, HPDC 2010"},
    {WEFT_ROW_SIZE(struct params, play.eager_bytes, "eager", "0", NULL, NULL),
     .help = "S: what waits for a send of so many bytes or fewer goes on when its cpu is done with "
             "it; after larger ones, when it has been delivered",
     .source = "0 in the AI set of ATLAHS, 65535 B in LogGOPSim"},
    {WEFT_ROW_BOOL(struct params, play.nics_as_hosts, "nics-as-hosts", "false"),
     .help = "NIC k of rank r is a host of its own, r * NICs + k; a message goes to the host of "
             "the same NIC. False: it is port k of host r",
     .source = "ATLAHS's endpoints on htsim (spcl/HTSIM, atlahs_htsim_api.cpp)"},
};

/* " of 4 NICs, a host each", or nothing. */
static const char *nics_text(uint64_t each, char text[64])
{
    text[0] = '\0';
    if (each > 1)
        snprintf(text, 64, " of %" PRIu64 " NICs, which are hosts", each);
    return text;
}

static int load(const void *params, uint32_t nranks, struct weft_workload **out,
                struct weft_err *err)
{
    const struct params *p = params;
    struct weft_goal *g = NULL;
    char text[64];
    if (!p->file || !*p->file)
        return weft_err_set(err, WEFT_E_INPUT, "workload 'goal' needs 'file', the schedule");
    int rc = weft_goal_read(p->file, &g, err);
    const uint64_t each = !rc && p->play.nics_as_hosts ? g->nnics : 1;
    if (!rc && each > WEFT_GOAL_NICS_MAX)
        rc = weft_err_at(err, WEFT_E_INPUT, p->file, 0, 0,
                         "nics-as-hosts: NIC %" PRIu64 " is above %u", each - 1,
                         WEFT_GOAL_NICS_MAX - 1);
    if (!rc && nranks && g->nranks * each > nranks)
        rc = weft_err_at(err, WEFT_E_INPUT, p->file, 0, 0,
                         "the schedule has %u ranks%s, but there are %u hosts for them", g->nranks,
                         nics_text(each, text), nranks);
    if (!rc)
        rc = weft_goal_workload(g, &p->play, out, err);
    weft_goal_free(g);
    return rc;
}

const struct weft_workload_ops weft_workload_goal = {
    .name = "goal",
    .title = "a GOAL schedule of LogGOPSim or ATLAHS, text or binary",
    .source = "Hoefler et al., LogGOPSim, HPDC 2010; spcl/atlahs",
    .params = WEFT_PARAM_TABLE(table, struct params),
    .load = load,
};
