/* SPDX-License-Identifier: GPL-2.0-only */
/* What sweeps read beside scenarios: run.json of a point, and the text of --find. */
#include "scenario.h"
#include "target.h"

#include "sweep/find.h"

#include <math.h>
#include <string.h>

static void count_row(void *ctx, uint64_t row, const char *reason)
{
    REQUIRE(row > 0 && reason);
    ++*(size_t *)ctx;
}

/* What is said of a run is asked of it in every way. */
void weft_fuzz_result(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_metric_choice c;
    size_t n = 0, lists = 0;
    double v;
    struct weft_result *r = weft_result_parse((const char *)data, size, "run.json", &err);
    REQUIRE(r || err.code);
    if (!weft_fuzz_ok(r ? 0 : err.code, &err))
        return;
    REQUIRE(weft_outcome_name(weft_result_outcome(r)));
    static const char *const names[] = {"end-to-end", "drops", "wall-time-s", "job.a.fct-p99"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        REQUIRE(weft_metric_choose(names[i], &c, &err) == 0);
        REQUIRE(weft_result_metric(r, &c, &v) || isnan(v));
    }
    while (weft_result_text(r, "sweep", "vary", lists))
        lists++;
    weft_result_failed_rows(r, count_row, &n);
    (void)weft_result_setting(r, "switch", "buffer");
    weft_result_free(r);
}

/* A search ends, whatever holds where: every row is taken for one that finished. */
void weft_fuzz_search(const uint8_t *data, size_t size)
{
    static const char *const vary[] = {"switch.buffer=1MiB..64MiB*2", "switch.balance=flow|spray"};
    const struct weft_sweep_texts texts = {.vary = vary, .nvary = 2};
    struct weft_cli cli = {.nbackends = 0};
    struct weft_err err = {0};
    struct weft_sweep s;
    struct weft_sweep_find f;
    size_t point, runs = 0;
    char *text = weft_fuzz_text(data, size);
    cli.backends = weft_fuzz_backends(&cli.nbackends);
    REQUIRE(weft_sweep_plan(&s, &cli, &texts, &err) == 0);
    if (weft_fuzz_ok(weft_sweep_find_read(&f, &s, text, &err), &err)) {
        REQUIRE(f.nsearches == 2 && f.nconditions > 0);
        while (weft_sweep_find_next(&f, &s, &point)) {
            REQUIRE(point < s.npoints && ++runs <= s.npoints);
            s.point[point].state = WEFT_POINT_DONE;
            s.point[point].outcome = WEFT_OUTCOME_FINISHED;
            s.point[point].summed_up = true;
            for (size_t m = 0; m < s.nmetrics; m++)
                s.point[point].metric[m] = (double)(point * 7919 % 13);
        }
        for (size_t i = 0; i < f.nsearches; i++)
            REQUIRE(f.search[i].over);
        REQUIRE(runs <= 2 * 5);
    }
    weft_sweep_free(&s);
    free(text);
}
