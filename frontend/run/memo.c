/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of run.replay-memo: its key, reading and writing it. */
#include "run/memo.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/plugin.h"
#include "command/versions.h"
#include "topologies/write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "weft memo 1\n"
#define KEY_MOST (UINT64_C(1) << 20) /**< bytes of a key */
#define FILE_MOST ((size_t)1 << 30)  /**< bytes of a file that a setting or --plugin names */

struct head {
    uint64_t nkey, size, hash;
};
enum { HEAD = sizeof MAGIC - 1 + sizeof(struct head) };

/* ---- the key ---- */

/* Adds the fingerprint of the graph, as weft writes it down. */
static int memo_add_fabric(FILE *key, const struct weft_fabric *f, struct weft_err *err)
{
    struct weft_memfile text;
    if (weft_memfile_open(&text, "a fabric", err))
        return err->code;
    int code = weft_fabric_write_xml(f, text.f, err);
    if (weft_memfile_close(&text, "a fabric", code ? NULL : err))
        return err->code;
    fprintf(key, "fabric %016" PRIx64 "\n", weft_hash64(text.data, text.size));
    free(text.data);
    return code;
}

/* Adds "NAME fingerprint of the file". */
static int memo_add_file(FILE *key, const char *name, const char *path, struct weft_err *err)
{
    char *data = NULL;
    size_t size = 0;
    if (weft_file_read(path, FILE_MOST, &data, &size, err))
        return err->code;
    fprintf(key, "%s %016" PRIx64 "\n", name, weft_hash64(data, size));
    free(data);
    return 0;
}

/* Whether a setting of an element may change how long a message takes that has its place. */
static bool memo_setting_matters(const char *element, const char *name)
{
    static const char *const others[] = {"workload", "system", "output", "sample"};
    return !WEFT_IS_ONE_OF(element, others) &&
           (strcmp(element, "run") != 0 || strcmp(name, "seed") == 0);
}

static int memo_add_group(FILE *key, const struct weft_scenario_group *g, struct weft_err *err)
{
    void *defaults = calloc(1, g->table->struct_size + 1);
    int code = defaults ? weft_params_defaults(g->table, defaults, err)
                        : weft_err_no_memory(err, "settings");
    if (g->selector && memo_setting_matters(g->element, g->selector))
        fprintf(key, "%s.%s=%s\n", g->element, g->selector, g->selected);
    for (size_t i = 0; i < g->table->n && !code; i++) {
        const struct weft_param *p = &g->table->params[i];
        char a[WEFT_PARAM_TEXT_MAX], b[WEFT_PARAM_TEXT_MAX], name[160];
        const bool text = p->type == WEFT_PARAM_STRING;
        const char *value = text ? *(const char *const *)((const char *)g->values + p->offset)
                                 : weft_params_format(p, g->values, a, sizeof a);
        const char *usual = text ? p->def : weft_params_format(p, defaults, b, sizeof b);
        if (!memo_setting_matters(g->element, p->name) || !value ||
            strcmp(value, usual ? usual : "") == 0)
            continue;
        snprintf(name, sizeof name, "%s.%s", g->prefix, p->name);
        if (!text || !weft_scenario_key_is_path(p->name))
            fprintf(key, "%s=%s\n", name, value);
        else if (strcmp(g->element, "topology") != 0) /* the fabric says all */
            code = memo_add_file(key, name, value, err);
    }
    free(defaults);
    return code;
}

static int memo_make_key(struct weft_memo *m, const struct weft_cli *cli,
                         const struct weft_scenario *s, const struct weft_fabric *fabric,
                         struct weft_err *err)
{
    struct weft_version v[WEFT_VERSIONS];
    struct weft_memfile text;
    size_t n = 0;
    if (weft_memfile_open(&text, "the key of a memo", err))
        return err->code;
    weft_versions(cli, v);
    fprintf(text.f, "weft %s, commit %s\n", v[0].value, v[WEFT_VERSIONS - 1].value);
    const char *const *plugins = weft_plugin_files(&n);
    int code = 0;
    for (size_t i = 0; i < n && !code; i++)
        code = memo_add_file(text.f, "plug-in", plugins[i], err);
    for (size_t i = 0; i < s->ngroups && !code; i++)
        code = memo_add_group(text.f, &s->groups[i], err);
    code = code ? code : memo_add_fabric(text.f, fabric, err);
    if (weft_memfile_close(&text, "the key of a memo", code ? NULL : err))
        return err->code;
    m->key = text.data;
    m->nkey = text.size;
    if (!code && m->nkey > KEY_MOST)
        code = weft_err_set(err, WEFT_E_LIMIT, "run.replay-memo: the settings take %zu bytes",
                            m->nkey);
    return code;
}

/* ---- reading ---- */

#define AGAIN "; remove it, and the next run writes it anew"

/* The first line of @p a that @p b lacks, cut where it is long; "": none. */
static const char *memo_own_line(char buf[200], const char *a, size_t na, const char *b, size_t nb)
{
    for (size_t i = 0, n; i < na; i += n) {
        const char *end = (const char *)memchr(a + i, '\n', na - i);
        n = end ? (size_t)(end - a) - i + 1 : na - i;
        bool found = false;
        for (size_t k = 0; k + n <= nb && !found; k++)
            found = (k == 0 || b[k - 1] == '\n') && memcmp(a + i, b + k, n) == 0;
        if (!found) {
            snprintf(buf, 200, "%.*s", (int)(n > 200 ? 200 : n - (end != NULL)), a + i);
            return buf;
        }
    }
    return "";
}

#define memo_refuse(m, err, ...) weft_err_at(err, WEFT_E_INPUT, (m)->file, 0, 0, __VA_ARGS__)

int weft_memo_parse(struct weft_memo *m, size_t size, struct weft_err *err)
{
    struct head h;
    char there[200], here[200];
    if (memcmp(m->data, MAGIC, size < sizeof MAGIC - 1 ? size : sizeof MAGIC - 1) != 0)
        return memo_refuse(m, err,
                           "is no memo of weft: run.replay-memo is a file that a run wrote, or "
                           "that does not exist yet");
    if (size < (size_t)HEAD)
        return memo_refuse(m, err, "is cut short: %zu bytes" AGAIN, size);
    memcpy(&h, m->data + sizeof MAGIC - 1, sizeof h);
    const char *key = m->data + HEAD;
    if (h.nkey > KEY_MOST || h.size > WEFT_MEMO_MOST || size != HEAD + h.nkey + h.size)
        return memo_refuse(m, err, "is cut short or damaged: %zu bytes, not those it counts" AGAIN,
                           size);
    if (weft_hash64(key, size - HEAD) != h.hash)
        return memo_refuse(m, err, "is damaged: its fingerprint is another" AGAIN);
    if (h.nkey != m->nkey || memcmp(key, m->key, h.nkey) != 0)
        return memo_refuse(m, err,
                           "is the memo of other runs: it has '%s', this run has '%s'; give "
                           "run.replay-memo another file, or remove this one",
                           memo_own_line(there, key, h.nkey, m->key, m->nkey),
                           memo_own_line(here, m->key, m->nkey, key, h.nkey));
    m->hash = weft_hash64(m->data, size);
    m->size = h.size;
    /* to where the allocator would put it, as entries have numbers of 8 bytes */
    m->entries = memmove(m->data, key + h.nkey, h.size);
    return 0;
}

int weft_memo_open(struct weft_memo *m, const struct weft_cli *cli, const struct weft_scenario *s,
                   const struct weft_fabric *fabric, struct weft_err *err)
{
    char dir[WEFT_PATH_MAX];
    size_t size = 0;
    *m = (struct weft_memo){0};
    if (!*s->run->replay_memo || !s->replay_tolerance || s->plain)
        return 0;
    m->file = s->run->replay_memo;
    if (memo_make_key(m, cli, s, fabric, err) || weft_path_dir(dir, m->file, err))
        return err->code;
    if (!weft_file_is_dir(dir))
        return weft_err_set(err, WEFT_E_INPUT, "run.replay-memo=%s: there is no folder '%s'",
                            m->file, dir);
    if (!weft_file_is_regular(m->file) && !weft_file_is_dir(m->file))
        return 0;
    if (weft_file_read(m->file, HEAD + KEY_MOST + WEFT_MEMO_MOST, &m->data, &size, err))
        return err->code;
    return weft_memo_parse(m, size, err);
}

/* ---- the run ---- */

int weft_memo_give(const struct weft_memo *m, struct weft_net *net, struct weft_err *err)
{
    if (!m->data || !net->ops->memo_set || !net->ops->memo_set(net, m->entries, m->size, err))
        return 0;
    return weft_err_locate(err, m->file, 0, 0);
}

int weft_memo_write(const struct weft_memo *m, struct weft_net *net, struct weft_err *err)
{
    void *entries = NULL;
    struct head h = {.nkey = m->nkey};
    if (!m->file || !net->ops->memo_get)
        return 0;
    if (net->ops->memo_get(net, WEFT_MEMO_MOST, &entries, &h.size, err))
        return err->code;
    const size_t size = HEAD + h.nkey + h.size;
    char *all = (char *)malloc(size);
    if (all) {
        memcpy(all, MAGIC, sizeof MAGIC - 1);
        memcpy(all + HEAD, m->key, h.nkey);
        if (h.size)
            memcpy(all + HEAD + h.nkey, entries, h.size);
        h.hash = weft_hash64(all + HEAD, size - HEAD);
        memcpy(all + sizeof MAGIC - 1, &h, sizeof h);
        weft_file_write(m->file, all, size, err);
    } else {
        weft_err_no_memory(err, "the memo of messages");
    }
    free(all);
    free(entries);
    return err->code;
}

void weft_memo_free(struct weft_memo *m)
{
    free(m->key);
    free(m->data);
    *m = (struct weft_memo){0};
}
