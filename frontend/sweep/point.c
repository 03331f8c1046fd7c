/* SPDX-License-Identifier: GPL-2.0-only */
/* One point of a sweep, run in this process. */
#include "foreign/subject.h"
#include "run/interrupt.h"
#include "run/run_json.h"
#include "scenario/families.h"
#include "sweep/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *weft_sweep_setting(struct weft_arena *arena, const char *dir, const char *key,
                               const char *value)
{
    const bool here =
        !dir || !weft_scenario_key_is_path(key) || value[0] == '/' || value[0] == '\0';
    return weft_arena_printf(arena, "%s=%s%s%s", key, here ? "" : dir, here ? "" : "/", value);
}

/* Whether the section of a setting, its first @p n bytes, is @p value. */
static bool sweep_is_section(const char *set, size_t n, const char *value)
{
    return strlen(value) == n && strncmp(value, set, n) == 0;
}

static bool sweep_is_selector(const char *key)
{
    for (int f = 0; f < WEFT_FAMILIES; f++) {
        const size_t n = strlen(weft_families[f].element);
        if (strncmp(key, weft_families[f].element, n) == 0 && key[n] == '.' &&
            strcmp(key + n + 1, weft_families[f].selector) == 0)
            return true;
    }
    return false;
}

/* Whether a setting of all rows belongs to a plug-in that other rows choose, and this one doesn't:
 * hpcc.target-util=0.9 where congestion-control.name=dcqcn|hpcc is varied. */
static bool sweep_of_other_rows(const struct weft_sweep *s, size_t row, const char *set)
{
    const size_t n = strcspn(set, ".");
    for (size_t a = 0; a < s->naxes; a++)
        for (size_t k = 0; k < s->axis[a].nkeys; k++) {
            if (!sweep_is_selector(s->axis[a].key[k]) ||
                sweep_is_section(set, n, weft_sweep_axis_value(s, a, k, row)))
                continue;
            for (size_t i = 0; i < s->axis[a].n; i++)
                if (sweep_is_section(set, n, s->axis[a].value[k].list[i]))
                    return true;
        }
    return false;
}

int weft_sweep_settings(const struct weft_sweep_base *b, const struct weft_sweep *s, size_t point,
                        struct weft_source_opts *out, struct weft_err *err)
{
    const size_t row = weft_sweep_row_of(s, point), n = b->source.set.n;
    const char *seed = weft_sweep_seed_of(s, point);
    size_t own = 1 + (b->own ? b->own[point].n : 0);
    for (size_t a = 0; a < s->naxes; a++)
        own += s->axis[a].nkeys;
    const char **list = (const char **)weft_arena_calloc(s->arena, n + own, sizeof *list);
    *out = b->source;
    bool ok = list != NULL;
    out->set = (struct weft_strings){list, 0};
    for (size_t i = 0; ok && i < n; i++)
        if (!sweep_of_other_rows(s, row, b->source.set.list[i]))
            list[out->set.n++] = b->source.set.list[i];
    for (size_t a = 0; a < s->naxes; a++)
        for (size_t k = 0; ok && k < s->axis[a].nkeys; k++) {
            if (s->axis[a].label[k])
                continue;
            list[out->set.n] = weft_sweep_setting(s->arena, b->dir, s->axis[a].key[k],
                                                  weft_sweep_axis_value(s, a, k, row));
            ok = list[out->set.n++] != NULL;
        }
    for (size_t i = 0; ok && b->own && i < b->own[point].n; i++)
        list[out->set.n++] = b->own[point].list[i];
    if (ok && seed) {
        list[out->set.n] = weft_arena_printf(s->arena, "run.seed=%s", seed);
        ok = list[out->set.n++] != NULL;
    }
    return ok ? 0 : weft_err_no_memory(err, "settings");
}

int weft_sweep_folder(const struct weft_sweep_base *b, size_t point, char dir[WEFT_PATH_MAX],
                      struct weft_err *err)
{
    char name[32];
    snprintf(name, sizeof name, "%zu", point + 1);
    return weft_path_join(dir, b->out, name, err);
}

void weft_sweep_prepend(const struct weft_sweep *s, size_t point, struct weft_err *err)
{
    const char *seed = weft_sweep_seed_of(s, point);
    if (seed)
        weft_err_prepend(err, "run.seed=%s", seed);
    for (size_t c = s->ncolumns; c-- > 0;) {
        const char *value = weft_sweep_value(s, c, weft_sweep_row_of(s, point));
        const bool alone = s->axis[s->column[c].axis].n == 1 && strchr(value, ',');
        weft_err_prepend(err, "%s=%s%s", weft_sweep_key(s, c), value,
                         alone ? " (one value: '|' stands between values)" : "");
    }
}

/* Whose errors say of which row they are; what explains them follows as it is. */
struct row_log {
    const struct weft_sweep *s;
    size_t point;
    struct weft_log *to;
};

static void say_row(void *user, enum weft_log_level level, const char *line)
{
    const struct row_log *r = (const struct row_log *)user;
    struct weft_err e = {0};
    if (level == WEFT_LOG_ERROR && line[0] != ' ') {
        weft_err_set(&e, WEFT_E_OUTCOME, "%s", line);
        weft_sweep_prepend(r->s, r->point, &e);
        line = e.msg;
    }
    weft_log(r->to, level, "%s", line);
}

/* Writes what came of it: 0, or why it could not. */
static int write_result(const struct weft_sweep *s, size_t point, const struct weft_execution *x,
                        struct weft_err *failed, int fd, struct weft_err *err)
{
    struct weft_memfile file;
    struct weft_json j;
    char text[WEFT_ERR_MSG_MAX + WEFT_ERR_FILE_MAX];
    const char *reason = x->end.reason;
    const enum weft_outcome outcome = x->end.summary.outcome;
    if (weft_memfile_open(&file, "the result of a row", err))
        return err->code;
    weft_json_init(&j, file.f, "the result of a row", 0);
    weft_json_object(&j);
    weft_json_kv_str(&j, "message", failed->code ? failed->msg : "");
    if (failed->code) {
        weft_sweep_prepend(s, point, failed);
        reason = weft_err_format(failed, text, sizeof text);
    }
    weft_outcome_json(&j, x->summed_up ? outcome : WEFT_OUTCOME_FAILED, reason);
    if (x->summed_up)
        weft_run_json_results(&j, x);
    weft_json_end_object(&j);
    weft_json_finish(&j, err);
    if (weft_memfile_close(&file, "the result of a row", err->code ? &(struct weft_err){0} : err) ||
        err->code) {
        free(file.data);
        return err->code;
    }
    const bool all = (size_t)weft_fd_write(fd, file.data, file.size) == file.size;
    free(file.data);
    if (all)
        return 0;
    const int why = errno;
    (void)!ftruncate(fd, 0); /* a part of it is none */
    return weft_file_error(err, "the result of a row", "write", why);
}

/* Says that links carried far more than they can, which the table does not show. */
static void print_overuse(const struct weft_cli *cli, const struct weft_execution *x)
{
    enum { FAR = 2 };
    const struct weft_summary *s = &x->end.summary;
    double most = x->summed_up ? s->dim_use_max : 0;
    bool impossible;
    for (int k = 0; x->summed_up && k < WEFT_COLL_KINDS; k++)
        if (weft_summary_beyond_links(s, k, &impossible) && impossible)
            most = fmax(most, s->coll[k].of_links);
    if (most > FAR)
        weft_log(cli->log, WEFT_LOG_WARNING,
                 "links carried more than twice their rate: messages of the ideal backend never "
                 "meet; with ideal.contention=links they share links");
}

int weft_sweep_play(const struct weft_sweep_base *b, struct weft_sweep *s, size_t point,
                    int result_fd)
{
    struct weft_source_opts source;
    struct weft_execution x = {0};
    struct weft_subject subject = {0};
    struct weft_execute_opts eo = {.metrics = s->metric,
                                   .nmetrics = s->nmetrics,
                                   .samples_optional = true,
                                   .memo_stays = true,
                                   .limits = b->limits};
    char dir[WEFT_PATH_MAX];
    struct weft_err err = {0}, unwritten = {0};
    weft_interrupt_set(WEFT_INTERRUPT_SOON);
    int code = weft_sweep_settings(b, s, point, &source, &err);
    if (!code && b->out) {
        code = weft_sweep_folder(b, point, dir, &err);
        eo.out_dir = dir;
    }
    code = code ? code : weft_subject_load(b->cli, &source, b->args, b->nargs, &subject, &err);
    if (!code && *b->cli->interrupted)
        code = weft_err_set(&err, WEFT_E_INTERRUPTED, "%s before it began",
                            weft_signal_reason(*b->cli->interrupted));
    code =
        code ? code : weft_source_check_metrics(subject.s, s->metric, s->nmetrics, &eo.needs, &err);
    struct row_log row = {s, point, b->cli->log};
    struct weft_log log = {.level = WEFT_LOG_DEBUG, .sink = say_row, .user = &row};
    struct weft_cli cli = *b->cli;
    cli.log = &log;
    code = code ? code : weft_subject_execute(&cli, &subject, &eo, &x, &err);
    weft_interrupt_set(WEFT_INTERRUPT_DEFER);
    print_overuse(b->cli, &x);
    code = code ? code : x.end.code;
    if (write_result(s, point, &x, &err, result_fd, &unwritten)) {
        weft_log(b->cli->log, WEFT_LOG_ERROR, "%s", err.code ? err.msg : unwritten.msg);
        code = err.code ? code : unwritten.code;
    }
    weft_execution_free(&x);
    weft_subject_free(&subject);
    return weft_exit_code(code);
}
