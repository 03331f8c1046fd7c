/* SPDX-License-Identifier: GPL-2.0-only */
/* Scenarios by file, folder or name, resolved with the overrides of the command line. */
#include "run/source.h"

#include "base/compare.h"
#include "base/place.h"
#include "base/scale.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SCENARIOS = 256 };

/* The folder of shipped scenarios. */
static int scenario_root(char root[WEFT_PATH_MAX], struct weft_err *err)
{
    const char *env = getenv("WEFT_SCENARIOS");
    if (env && env[0])
        return weft_path_join(root, "", env, err);
    return weft_file_is_dir("scenarios") ? weft_path_join(root, "", "scenarios", err)
                                         : weft_place_folder(WEFT_PLACE_SCENARIOS, root, err);
}

/* The scenario that an entry of a folder is: a folder's scenario.xml, or of clusters NAME.xml,
 * whose suffix is cut off. */
static bool is_scenario(const char *root, bool clusters, char *name, char file[WEFT_PATH_MAX])
{
    struct weft_err quiet = {0};
    char path[WEFT_PATH_MAX], *suffix = strrchr(name, '.');
    if (name[0] == '.' || weft_path_join(path, root, name, &quiet))
        return false;
    if (!clusters)
        return !weft_path_join(file, path, "scenario.xml", &quiet) && weft_file_is_regular(file);
    if (!suffix || strcmp(suffix, ".xml") != 0 || !weft_file_is_regular(path))
        return false;
    *suffix = '\0';
    memcpy(file, path, sizeof path);
    return true;
}

static int each_of(bool clusters, void (*fn)(void *ctx, const char *name, const char *file),
                   void *ctx, struct weft_err *err)
{
    char *names[MAX_SCENARIOS];
    char top[WEFT_PATH_MAX], root[WEFT_PATH_MAX], file[WEFT_PATH_MAX], name[300];
    size_t n = 0;
    int code = scenario_root(top, err);
    if (!code)
        code = weft_path_join(root, top, clusters ? "clusters" : "", err);
    if (code)
        return code;
    DIR *d = opendir(root);
    if (!d) /* a program that was installed without them has none */
        return errno == ENOENT ? 0 : weft_file_error(err, root, "list the scenarios of", errno);
    for (struct dirent *e; !code && n < MAX_SCENARIOS && (e = readdir(d));) {
        snprintf(name, sizeof name, "%s", e->d_name);
        if (!is_scenario(root, clusters, name, file))
            continue;
        names[n] = strdup(e->d_name);
        if (!names[n])
            code = weft_err_no_memory(err, "the names of scenarios");
        else
            n++;
    }
    closedir(d);
    qsort(names, n, sizeof names[0], weft_by_text);
    for (size_t i = 0; i < n; i++) {
        if (!code && is_scenario(root, clusters, names[i], file))
            fn(ctx, names[i], file);
        free(names[i]);
    }
    return code;
}

int weft_source_each(void (*fn)(void *ctx, const char *name, const char *file), void *ctx,
                     struct weft_err *err)
{
    return each_of(false, fn, ctx, err);
}

int weft_source_each_cluster(void (*fn)(void *ctx, const char *name, const char *file), void *ctx,
                             struct weft_err *err)
{
    return each_of(true, fn, ctx, err);
}

/* The nearest shipped name to the one that was not found. */
struct near {
    const char *given;
    char best[128];
};

static void consider(void *ctx, const char *name, const char *file)
{
    struct near *n = (struct near *)ctx;
    if (!n->best[0] && weft_nearest(n->given, &name, 1))
        snprintf(n->best, sizeof n->best, "%s", name);
}

/* Whether a file of scenarios/clusters has this name; its path. */
static bool is_cluster(const char *name, char path[WEFT_PATH_MAX])
{
    char root[WEFT_PATH_MAX], dir[WEFT_PATH_MAX], file[128];
    struct weft_err quiet = {0};
    return snprintf(file, sizeof file, "%s.xml", name) < (int)sizeof file &&
           !scenario_root(root, &quiet) && !weft_path_join(dir, root, "clusters", &quiet) &&
           !weft_path_join(path, dir, file, &quiet) && weft_file_is_regular(path);
}

int weft_source_find(const char *name, char path[WEFT_PATH_MAX], struct weft_err *err)
{
    char root[WEFT_PATH_MAX], dir[WEFT_PATH_MAX];
    if (weft_file_is_dir(name)) {
        if (weft_path_join(path, name, "scenario.xml", err))
            return err->code;
        if (!weft_file_is_regular(path))
            return weft_err_at(err, WEFT_E_IO, name, 0, 0,
                               "the folder has no scenario.xml; 'weft import %s' says what its "
                               "files are",
                               name);
        return 0;
    }
    if (!weft_file_is_regular(name) && !strchr(name, '/') && is_cluster(name, path))
        return 0;
    if (!weft_file_is_regular(name) && !strchr(name, '/')) {
        if (scenario_root(root, err) || weft_path_join(dir, root, name, err) ||
            weft_path_join(path, dir, "scenario.xml", err))
            return err->code;
        if (weft_file_is_regular(path))
            return 0;
        struct near n = {.given = name};
        if (weft_source_each(consider, &n, err) || weft_source_each_cluster(consider, &n, err))
            return err->code;
        if (n.best[0])
            return weft_err_set(err, WEFT_E_IO, "no file and no scenario '%s'; did you mean '%s'?",
                                name, n.best);
        return weft_err_set(
            err, WEFT_E_IO,
            "no file and no scenario '%s'; see 'weft list scenarios' and 'weft list clusters'",
            name);
    }
    static const char shipped[] = "scenarios/";
    if (strncmp(name, shipped, sizeof shipped - 1) == 0 && !weft_file_is_regular(name))
        return weft_err_at(err, WEFT_E_IO, name, 0, 0,
                           "no such file here; scenarios that weft brings need no folder: '%s'",
                           name + sizeof shipped - 1);
    int w = snprintf(path, WEFT_PATH_MAX, "%s", name);
    return w < WEFT_PATH_MAX ? 0 : weft_err_set(err, WEFT_E_LIMIT, "the path is too long");
}

int weft_source_shorts(const struct weft_source_opts *o, const char **sets, size_t *n, char **texts,
                       struct weft_err *err)
{
    static const char seed_key[] = "run.seed=", pcap_key[] = "capture.links=";
    const char *seed = o->seed ? o->seed : "", *pcap = o->pcap ? o->pcap : "";
    const size_t seed_size = sizeof seed_key + strlen(seed);
    const size_t pcap_size = sizeof pcap_key + strlen(pcap);
    *texts = (char *)malloc(seed_size + pcap_size);
    if (!*texts)
        return weft_err_no_memory(err, "settings");
    if (o->seed) {
        sets[(*n)++] = *texts;
        snprintf(*texts, seed_size, "%s%s", seed_key, seed);
    }
    if (o->pcap) {
        sets[(*n)++] = *texts + seed_size;
        snprintf(*texts + seed_size, pcap_size, "%s%s", pcap_key, pcap);
    }
    if (o->allow_deadlock)
        sets[(*n)++] = "pfc.allow-deadlock=true";
    return 0;
}

/* A scenario by settings that are implied, then those of options. */
static int source_load(const struct weft_cli *cli, const struct weft_source_opts *o,
                       const char *const *implied, size_t nimplied, const char *file,
                       struct weft_scenario **out, struct weft_err *err)
{
    char *texts = NULL;
    size_t n = nimplied;
    const char **sets = (const char **)calloc(n + o->set.n + WEFT_SOURCE_SHORTS, sizeof *sets);
    if (!sets)
        return weft_err_no_memory(err, "settings");
    for (size_t i = 0; i < nimplied; i++)
        sets[i] = implied[i];
    for (size_t i = 0; i < o->set.n; i++)
        sets[n++] = o->set.list[i];
    int code = weft_source_shorts(o, sets, &n, &texts, err);
    const struct weft_scenario_options so = {cli->backends, cli->nbackends, sets, n,
                                             nimplied,      o->no_workloads};
    if (!code)
        code = weft_scenario_load(file, &so, out, err);
    free(texts);
    free(sets);
    for (size_t i = 0; !code && i < (*out)->nwarnings; i++)
        weft_log(cli->log, WEFT_LOG_WARNING, "%s", (*out)->warnings[i]);
    return code;
}

int weft_source_load(const struct weft_cli *cli, const struct weft_source_opts *o, char **args,
                     int nargs, struct weft_scenario **out, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    *out = NULL;
    if (nargs > 1)
        return weft_err_set(err, WEFT_E_USAGE, "one scenario at a time; '%s' is one too many",
                            args[1]);
    if (nargs == 0 && o->set.n == 0)
        return weft_err_set(err, WEFT_E_USAGE, "no scenario given, and nothing --set");
    if (nargs && weft_source_find(args[0], path, err))
        return err->code;
    if (nargs && weft_file_is_regular(args[0]) && cli->is_foreign_config &&
        cli->is_foreign_config(args[0]))
        return weft_err_at(err, WEFT_E_INPUT, args[0], 0, 0,
                           "this is a configuration of the HPCC simulator, not a scenario: weft "
                           "run, check and sweep take it");
    return source_load(cli, o, NULL, 0, nargs ? path : NULL, out, err);
}

int weft_source_resolve(const struct weft_cli *cli, const struct weft_source_opts *o,
                        const char *const *implied, size_t nimplied, const char *name,
                        struct weft_scenario **out, struct weft_err *err)
{
    *out = NULL;
    if (source_load(cli, o, implied, nimplied, NULL, out, err))
        return err->code;
    (*out)->name = weft_arena_strdup((*out)->arena, name);
    return (*out)->name ? 0 : weft_err_no_memory(err, "a name");
}

/* The name of a setting of the command line in a group; NULL: it has none. */
static const char *set_in(const struct weft_scenario_group *g)
{
    if (g->selected_from.kind == WEFT_ORIGIN_OVERRIDE)
        return g->selector;
    if (g->preset_from.kind == WEFT_ORIGIN_OVERRIDE)
        return "preset";
    for (size_t k = 0; k < g->table->n; k++)
        if (g->origins[k].kind == WEFT_ORIGIN_OVERRIDE)
            return g->table->params[k].name;
    return NULL;
}

int weft_source_check_uses(const struct weft_scenario *s, const char *command,
                           const char *const *uses, size_t n, struct weft_err *err)
{
    char list[256] = "";
    for (size_t i = 0, at = 0; i < n && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", uses[i]);
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        const char *name = set_in(g);
        size_t k = 0;
        while (k < n && strcmp(uses[k], g->element) != 0)
            k++;
        if (name && k == n)
            return weft_err_set(err, WEFT_E_INPUT,
                                "--set %s.%s: weft %s does not use it; it uses settings of %s",
                                name == g->selector ? g->element : g->prefix, name, command, list);
    }
    return 0;
}

const char *const *weft_source_job_names(const struct weft_scenario *s, struct weft_err *err)
{
    const char **names = (const char **)weft_arena_calloc(s->arena, s->njobs, sizeof *names);
    if (!names)
        weft_err_no_memory(err, "names of workloads");
    for (uint32_t i = 0; names && i < s->njobs; i++)
        names[i] = s->jobs[i].name;
    return names;
}

int weft_source_check_metrics(const struct weft_scenario *s, const struct weft_metric_choice *m,
                              size_t n, unsigned *needs, struct weft_err *err)
{
    const char *const *names = weft_source_job_names(s, err);
    for (size_t i = 0; names && i < n; i++) {
        if (weft_metric_check(&m[i], names, s->njobs, err))
            return err->code;
        if (!s->run->victims_ps && strncmp(m[i].text, "victim", strlen("victim")) == 0)
            return weft_err_set(err, WEFT_E_INPUT,
                                "metric '%s' needs a time between looks for victims, such as "
                                "--set run.victims=1us",
                                m[i].text);
        *needs |= weft_metric_needs(&m[i]);
    }
    return names ? 0 : err->code;
}

int weft_source_advise(const struct weft_cli *cli, struct weft_scenario *s,
                       const struct weft_scenario_parts *parts, struct weft_err *err)
{
    size_t i = s->nwarnings;
    int code = weft_scenario_advise(s, parts, err);
    for (; i < s->nwarnings; i++)
        weft_log(cli->log, WEFT_LOG_WARNING, "%s", s->warnings[i]);
    return code;
}

void weft_source_scaled_notes(const struct weft_cli *cli, const struct weft_scenario *s)
{
    char value_buf[WEFT_PARAM_TEXT_MAX], rate_buf[WEFT_PARAM_TEXT_MAX];
    const struct weft_scenario_group *g = s->groups;
    while (g < s->groups + s->ngroups && strcmp(g->element, "ecn") != 0)
        g++;
    if (g == s->groups + s->ngroups)
        return;
    const size_t rate = (size_t)(weft_params_find(g->table, "scale-rate") - g->table->params);
    for (size_t k = 0; k < g->table->n && g->origins[rate].kind == WEFT_ORIGIN_DEFAULT; k++) {
        const char *value = weft_scenario_value_text(g, k, value_buf);
        if (g->origins[k].kind > WEFT_ORIGIN_PRESET && g->reasons[k] &&
            strncmp(g->reasons[k], value, strlen(value)) != 0)
            weft_log(cli->log, WEFT_LOG_INFO,
                     "ecn.%s=%s is for a port of %s (ecn.scale-rate) and comes to %s; "
                     "ecn.scale-rate=0 takes it as it is",
                     g->table->params[k].name, value, weft_scenario_value_text(g, rate, rate_buf),
                     g->reasons[k]);
    }
}

static void print_notes(const struct weft_cli *cli, const char *notes, const char *what)
{
    enum { MOST = 20 };
    uint32_t n = 0;
    for (const char *p = notes; p && *p; n++) {
        size_t len = strcspn(p, "\n");
        if (n < MOST)
            weft_log(cli->log, WEFT_LOG_WARNING, "%.*s", (int)len, p);
        p += len + (p[len] == '\n');
    }
    if (n > MOST)
        weft_log(cli->log, WEFT_LOG_WARNING, "... and %u more remarks on the %s", n - MOST, what);
}

void weft_source_fabric_notes(const struct weft_cli *cli, const struct weft_fabric *f)
{
    print_notes(cli, f->notes, "topology file");
}

void weft_source_workload_notes(const struct weft_cli *cli, const struct weft_scenario_parts *parts)
{
    for (uint32_t i = 0; i < parts->njobs; i++)
        print_notes(cli,
                    parts->jobs[i].workload ? parts->jobs[i].workload->notes
                    : parts->jobs[i].flows  ? parts->jobs[i].flows->notes
                                            : NULL,
                    "workload's file");
}

void weft_source_config_json(struct weft_json *j, const struct weft_scenario *s)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    weft_json_object(j);
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        weft_json_kv_object(j, g->label);
        if (g->selector)
            weft_json_kv_str(j, g->selector, g->selected);
        if (g->preset)
            weft_json_kv_str(j, "preset", g->preset);
        for (size_t k = 0; k < g->table->n; k++)
            weft_json_kv_str(j, g->table->params[k].name, weft_scenario_value_text(g, k, buf));
        weft_json_end_object(j);
    }
    weft_json_end_object(j);
}

void weft_source_warnings_json(struct weft_json *j, const struct weft_scenario *s)
{
    weft_json_array(j);
    for (size_t i = 0; i < s->nwarnings; i++)
        weft_json_str(j, s->warnings[i]);
    weft_json_end_array(j);
}

/* @p rule: how the default follows from the path, why it is implied, or what the value comes to;
 * NULL: nothing of these. */
static void config_line(FILE *out, const char *prefix, const char *name, const char *value,
                        const struct weft_origin *o, const char *rule)
{
    char key[128];
    snprintf(key, sizeof key, "%s.%s", prefix, name);
    fprintf(out, "%-32s = %-20s", key, value);
    if (o->kind == WEFT_ORIGIN_FILE)
        fprintf(out, " (line %" PRId64 "%s%s)\n", o->line, rule ? ": " : "", rule ? rule : "");
    else
        fprintf(out, " (%s%s%s)\n",
                o->kind == WEFT_ORIGIN_OVERRIDE ? "--set" : weft_origin_name(o->kind),
                rule ? ": " : "", rule ? rule : "");
}

/* Prints a line unless it is of a default and only others are wanted; counts those left out. */
static void config_choose(FILE *out, const char *prefix, const char *name, const char *value,
                          const struct weft_origin *o, const char *rule, bool all, size_t *left)
{
    if (all || o->kind != WEFT_ORIGIN_DEFAULT)
        config_line(out, prefix, name, value, o, rule);
    else
        ++*left;
}

/* "priorities 6, 7" of a bit mask of priorities; NULL: it is none, or has no bit. */
static const char *mask_text(const struct weft_param *p, const void *values, char *buf, size_t size)
{
    const char *end = strrchr(p->name, '-');
    uint64_t mask;
    size_t used = 0;
    if (p->type != WEFT_PARAM_U64 || strcmp(end ? end + 1 : p->name, "prios") != 0)
        return NULL;
    memcpy(&mask, (const char *)values + p->offset, sizeof mask);
    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1 && used + 16 < size)
            used +=
                (size_t)snprintf(buf + used, size - used, "%s%u", used ? ", " : "priorities ", i);
    return used ? buf : NULL;
}

void weft_source_config_text(FILE *out, const struct weft_scenario *s, bool all)
{
    char buf[WEFT_PARAM_TEXT_MAX], def[WEFT_DEFAULT_TEXT_MAX], mask[48];
    size_t left = 0;
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        if (g->selector)
            config_choose(out, g->label, g->selector, g->selected, &g->selected_from, NULL, all,
                          &left);
        if (g->preset)
            config_choose(out, g->label, "preset", g->preset, &g->preset_from, NULL, all, &left);
        for (size_t k = 0; k < g->table->n; k++) {
            const struct weft_param *p = &g->table->params[k];
            const char *rule = weft_param_is_auto(p, g->values)
                                   ? weft_param_default_text(p, def, sizeof def)
                               : g->reasons[k] ? g->reasons[k]
                                               : mask_text(p, g->values, mask, sizeof mask);
            config_choose(out, g->prefix, p->name, weft_scenario_value_text(g, k, buf),
                          &g->origins[k], rule, all, &left);
        }
    }
    if (left)
        fprintf(out, "%zu more settings are at their defaults; --all prints them\n", left);
}

void weft_source_offered_text(FILE *out, const char *title, const struct weft_scenario *s)
{
    for (size_t i = 0; i < s->noffered; i++)
        fprintf(out, "%s%s %.1f %%", i ? ", " : title, s->offered[i].tier,
                100 * s->offered[i].load);
    if (s->noffered)
        fputs(" (payload by the rate of links; of generators as set, which a short run may miss)\n",
              out);
}

void weft_source_offered_json(struct weft_json *j, const struct weft_scenario *s)
{
    weft_json_array(j);
    for (size_t i = 0; i < s->noffered; i++) {
        weft_json_object(j);
        weft_json_kv_str(j, "tier", s->offered[i].tier);
        weft_json_kv_f64(j, "load", s->offered[i].load);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}
