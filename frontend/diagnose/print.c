/* SPDX-License-Identifier: GPL-2.0-only */
/* A diagnosis for people, and for programs. */
#include "diagnose/diagnose.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 12 };

static const char *measure_text(const struct weft_diagnosis *d, const struct weft_trial *t,
                                size_t i, char buf[WEFT_METRIC_TEXT_MAX])
{
    if (t->unfinished)
        return "not finished";
    return weft_sweep_metric_text(d->measures[i].metric, t->measure[i], buf);
}

static bool helps(const struct weft_trial *t)
{
    return weft_trial_gain(t) >= WEFT_DIAGNOSE_LEAST_GAIN;
}

/* A pair is worth a row where the two do clearly more than either alone. */
static bool is_worth_a_row(const struct weft_diagnosis *d, const struct weft_trial *t)
{
    double best = 0;
    if (!helps(t) || !t->second)
        return helps(t);
    for (size_t i = 0; i < d->ntrials; i++) {
        const struct weft_trial *o = &d->trials[i];
        if (!o->second && (o->change == t->change || o->change == t->second))
            best = fmax(best, weft_trial_gain(o));
    }
    return weft_trial_gain(t) > best + 0.05;
}

static void gain_text(const struct weft_diagnosis *d, const struct weft_trial *t, char *buf,
                      size_t size)
{
    if (d->base.unfinished)
        snprintf(buf, size, "finishes");
    else if (t->ratio < 0.1)
        snprintf(buf, size, "%.3g times as fast", 1 / t->ratio);
    else
        snprintf(buf, size, "-%.1f %%%s", 100 * weft_trial_gain(t),
                 d->nmeasures > 1 ? " in the mean" : "");
}

static void print_trial(FILE *out, const struct weft_diagnosis *d, const struct weft_trial *t,
                        size_t number)
{
    char buf[WEFT_METRIC_TEXT_MAX], gain[WEFT_METRIC_TEXT_MAX];
    gain_text(d, t, gain, sizeof gain);
    fprintf(out, "%3zu. %s%s%s\n", number, t->change->what, t->second ? ", and " : "",
            t->second ? t->second->what : "");
    fprintf(out, "     %s", gain);
    for (size_t i = 0; i < d->nmeasures; i++)
        fprintf(out, ", %s %s", d->measures[i].text, measure_text(d, t, i, buf));
    fprintf(out, "  [%s%s%s]\n", weft_change_class_name(t->change->class), t->second ? " + " : "",
            t->second ? weft_change_class_name(t->second->class) : "");
    if (t->second)
        return;
    fprintf(out, "     %s\n     tried as:", t->change->advice);
    for (size_t i = 0; i < t->change->nsets; i++)
        fprintf(out, " --set '%s'", t->change->sets[i]);
    fputc('\n', out);
}

static void print_others(FILE *out, const struct weft_diagnosis *d, enum weft_trial_state state,
                         const char *title)
{
    size_t n = 0;
    for (size_t i = 0; i < d->ntrials; i++) {
        const struct weft_trial *t = &d->trials[i];
        if (t->state != state || t->second || (state == WEFT_TRIAL_PLAYED && helps(t)))
            continue;
        const double loss = 100 * (t->ratio - 1);
        if (n++ == 0)
            fprintf(out, "\n%s\n", title);
        if (state == WEFT_TRIAL_PLAYED && !isinf(t->ratio))
            fprintf(out, "  %+6.1f %%  %s\n", loss > -0.05 && loss < 0 ? 0 : loss, t->change->what);
        else
            fprintf(out, "  %s%s%s%s\n", state == WEFT_TRIAL_PLAYED ? "not finished  " : "",
                    t->change->what, state == WEFT_TRIAL_FAILED && t->why ? ": " : "",
                    state == WEFT_TRIAL_FAILED && t->why ? t->why : "");
    }
}

/* Which single link, host or rank helps most at the speed of its peers. */
static void print_best_part(FILE *out, const struct weft_diagnosis *d)
{
    const struct weft_trial *best = NULL;
    char gain[WEFT_METRIC_TEXT_MAX];
    for (size_t i = 0; i < d->ntrials; i++) {
        const struct weft_trial *t = &d->trials[i];
        if (!t->second && t->change->part && helps(t) && (!best || t->ratio < best->ratio))
            best = t;
    }
    if (!best)
        return;
    gain_text(d, best, gain, sizeof gain);
    const bool fault = best->change->class == WEFT_CHANGE_FAULT; /* "without the fault ..." */
    fprintf(out, "\nThe single %slink, host or rank that costs most: %s, %s%s",
            fault ? "fault, " : "", best->change->what + (fault ? strlen("without ") : 0), gain,
            fault ? " without it" : "");
    if (best->change->cost > 0)
        fprintf(out, " (%s was in use %.1f %% of the run longer than at the speed of its peers)",
                fault ? "its link" : "it", 100 * best->change->cost);
    fprintf(out, ".\n");
    if (d->changes.nrest)
        fprintf(
            out,
            "Of %zu more that are slower than their peers, none was in use more than %.1f %% of "
            "the run longer.\n",
            d->changes.nrest, 100 * d->changes.rest_cost);
}

void weft_diagnosis_text(FILE *out, const struct weft_diagnosis *d)
{
    char buf[WEFT_METRIC_TEXT_MAX];
    size_t rows = 0;
    fprintf(out, "The run as it is:");
    for (size_t i = 0; i < d->nmeasures; i++)
        fprintf(out, "%s %s %s", i ? "," : "", d->measures[i].text,
                measure_text(d, &d->base, i, buf));
    if (d->slice)
        fprintf(out, "\nAll of this is of a slice of the run (%s), which is long.", d->slice);
    fputc('\n', out);
    if (d->nplayed)
        fprintf(out, "%zu run%s with one or two things changed took %.1f s.\n", d->nplayed,
                WEFT_PLURAL(d->nplayed), d->wall_s);
    for (size_t i = 0; i < d->ntrials && rows < MOST_ROWS; i++) {
        if (!is_worth_a_row(d, &d->trials[i]))
            continue;
        if (rows == 0)
            fprintf(out, "\nWhat would make it faster, causes first:\n");
        print_trial(out, d, &d->trials[i], ++rows);
    }
    if (rows == 0 && d->nplayed)
        fprintf(out, "\nNo change that was tried makes it faster by more than %.0f %%.\n",
                100 * WEFT_DIAGNOSE_LEAST_GAIN);
    print_best_part(out, d);
    print_others(out, d, WEFT_TRIAL_PLAYED, "What would not, by time:");
    print_others(out, d, WEFT_TRIAL_FAILED, "What could not be played, or took too long:");
    print_others(out, d, WEFT_TRIAL_NOT_TRIED,
                 "Not tried, for want of time, or not to the end (--budget gives more):");
}

int weft_diagnosis_check(const struct weft_diagnosis *d, struct weft_err *err)
{
    const double s = ceil(d->needs_s);
    char enough[80] = "give more";
    if (d->nplayed || !d->nuntried)
        return 0;
    if (s > 0)
        snprintf(enough, sizeof enough, "about --budget %.0fs is enough for all of them",
                 s < 100 ? s : ceil(s / 10) * 10);
    return weft_err_set(err, WEFT_E_LIMIT,
                        "none of %zu changes was tried: %s%s; %s, or diagnose a shorter run (fewer "
                        "layers, bytes or messages)",
                        d->nuntried, d->slice ? "even a slice of the run" : "the run",
                        d->base.state == WEFT_TRIAL_NOT_TRIED
                            ? " did not end within the budget, so there is nothing to compare with"
                            : " took all of the budget",
                        enough);
}

static void put_measures(struct weft_json *j, const struct weft_diagnosis *d,
                         const struct weft_trial *t)
{
    char key[WEFT_METRIC_KEY_MAX];
    for (size_t i = 0; i < d->nmeasures; i++) {
        weft_json_key(j, weft_metric_choice_key(&d->measures[i], key));
        weft_json_f64(j, t->state == WEFT_TRIAL_PLAYED ? t->measure[i] : NAN);
    }
}

static void put_trial(struct weft_json *j, const struct weft_diagnosis *d,
                      const struct weft_trial *t)
{
    static const char *const states[] = {"not tried", "failed", "played"};
    const struct weft_change *const both[] = {t->change, t->second};
    weft_json_object(j);
    weft_json_kv_str(j, "change", t->change->what);
    if (t->second)
        weft_json_kv_str(j, "second_change", t->second->what);
    weft_json_kv_str(j, "class", weft_change_class_name(t->change->class));
    weft_json_kv_bool(j, "part", t->change->part);
    weft_json_kv_f64(j, "cost", t->change->cost > 0 ? t->change->cost : NAN);
    weft_json_kv_str(j, "state", states[t->state]);
    weft_json_kv_array(j, "settings");
    for (size_t k = 0; k < 2 && both[k]; k++)
        for (size_t i = 0; i < both[k]->nsets; i++)
            weft_json_str(j, both[k]->sets[i]);
    weft_json_end_array(j);
    weft_json_kv_bool(j, "finished", t->state == WEFT_TRIAL_PLAYED && !t->unfinished);
    put_measures(j, d, t);
    weft_json_key(j, "ratio");
    weft_json_f64(j, t->state == WEFT_TRIAL_PLAYED && !isinf(t->ratio) ? t->ratio : NAN);
    weft_json_kv_str(j, "advice", t->change->advice);
    weft_json_kv_bool(j, "worth_a_row", t->state == WEFT_TRIAL_PLAYED && is_worth_a_row(d, t));
    weft_json_end_object(j);
}

void weft_diagnosis_json(struct weft_json *j, const struct weft_diagnosis *d)
{
    weft_json_object(j);
    weft_json_kv_u64(j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(j, "command", "diagnose");
    weft_json_kv_str(j, "slice", d->slice);
    weft_json_kv_object(j, "run");
    weft_json_kv_bool(j, "finished", !d->base.unfinished);
    put_measures(j, d, &d->base);
    weft_json_end_object(j);
    weft_json_kv_array(j, "changes");
    for (size_t i = 0; i < d->ntrials; i++)
        put_trial(j, d, &d->trials[i]);
    weft_json_end_array(j);
    weft_json_end_object(j);
}
