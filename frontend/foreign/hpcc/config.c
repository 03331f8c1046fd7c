/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading HPCC's config.txt by the table config.def. */
#include "foreign/hpcc/config.h"
#include "foreign/hpcc/forks.h"

#include "base/arena.h"
#include "base/units.h"
#include "base/scan.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum type {
    BOOL,
    U64,
    F64,
    US,
    S,
    S_CLAMPED,
    NS_CLAMPED,
    RATE,
    TEXT,
    KB_MAP,
    P_MAP,
    DOWN,
    WORD,
    PAIR,
    LIST
};

struct key {
    const char *name;
    enum type type;
    size_t offset;
    enum weft_hpcc_effect effect;
};

static const struct key keys[] = {
#define WEFT_HPCC_KEY(key, type, field, effect)                                                    \
    {#key, type, offsetof(struct weft_hpcc_config, field), WEFT_HPCC_##effect},
#include "foreign/hpcc/config.def"
#undef WEFT_HPCC_KEY
};

const char *weft_hpcc_key_name(enum weft_hpcc_key key)
{
    return keys[key].name;
}

enum weft_hpcc_effect weft_hpcc_key_effect(enum weft_hpcc_key key)
{
    return keys[key].effect;
}

const char *weft_hpcc_effect_reason(enum weft_hpcc_effect effect)
{
    static const char *const reasons[WEFT_HPCC_EFFECTS] = {
        [WEFT_HPCC_UNREAD] = "the simulator does nothing with it, either",
        [WEFT_HPCC_FILES_OF_ITS_OWN] = "weft doesn't write these files of the simulator; --set "
                                       "sample.what=... samples queues, "
                                       "links, pauses and controls",
        [WEFT_HPCC_LABEL] = "only a name for the results",
        [WEFT_HPCC_FORKS] = "settings of what a fork adds, and weft doesn't have"};
    return reasons[effect];
}

const char *weft_hpcc_value_text(const struct weft_hpcc_config *c, enum weft_hpcc_key key,
                                 char buf[WEFT_HPCC_VALUE_MAX])
{
    const void *field = (const char *)c + keys[key].offset;
    char text[WEFT_UNIT_TEXT_MAX] = "";
    const char *from = text;
    switch (keys[key].type) {
    case BOOL:
        from = *(const int *)field ? "true" : "false";
        break;
    case U64:
        snprintf(text, sizeof text, "%" PRIu64, *(const uint64_t *)field);
        break;
    case F64:
        weft_format_f64(*(const double *)field, text);
        break;
    case US:
    case S:
    case S_CLAMPED:
    case NS_CLAMPED:
        weft_format_time(*(const int64_t *)field, text);
        break;
    case RATE:
        weft_format_rate(*(const uint64_t *)field, text);
        break;
    case TEXT:
    case KB_MAP:
    case P_MAP:
    case DOWN:
    case WORD:
    case PAIR:
    case LIST:
        break;
    }
    snprintf(buf, WEFT_HPCC_VALUE_MAX, "%s", from);
    return buf;
}

const struct weft_hpcc_map_entry *weft_hpcc_map_find(const struct weft_hpcc_map *m,
                                                     uint64_t rate_bps)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->entries[i].rate_bps == rate_bps)
            return &m->entries[i];
    return NULL;
}

static void set_defaults(struct weft_hpcc_config *c)
{
    c->enable_qcn = c->dynamic_pfc = c->has_win = c->global_t = c->fast_react = c->rate_bound = 1;
    c->enable_trace = c->multi_rate = c->enable_pfc = 1;
    c->headroom_factor = 3;
    c->pause_time_ps = 5 * WEFT_PS_PER_US;
    c->payload_bytes = 1000;
    c->ack_interval_bytes = 1;
    c->stop_ps = 3010 * WEFT_PS_PER_MS;
    c->alpha_resume_ps = 55 * WEFT_PS_PER_US;
    c->rp_timer_ps = 300 * WEFT_PS_PER_US;
    c->ewma_gain = 1.0 / 256;
    c->fast_recovery_times = 5;
    c->rate_ai_bps = UINT64_C(5000000);
    c->rate_hai_bps = UINT64_C(50000000);
    c->cc_mode = 1;
    c->rate_decrease_ps = 4 * WEFT_PS_PER_US;
    c->min_rate_bps = UINT64_C(100000000);
    c->mi_thresh = 5;
    c->u_target = 0.95;
    c->int_multi = 1;
    c->dctcp_rate_ai_bps = UINT64_C(1000000000);
    c->buffer_mib = 16;
    c->qlen_mon_start_ps = 2 * WEFT_PS_PER_S;
    c->qlen_mon_end_ps = 2100 * WEFT_PS_PER_MS;
    c->flowgen_start_ps = 2 * WEFT_PS_PER_S;
    c->flowgen_stop_ps = 2500 * WEFT_PS_PER_MS;
    c->conweave_expiry_ps = 1000 * WEFT_PS_PER_US;
    c->conweave_reply_ps = 4 * WEFT_PS_PER_US;
    c->conweave_pause_ps = 8 * WEFT_PS_PER_US;
    c->conweave_flush_ps = 32 * WEFT_PS_PER_US;
    c->conweave_wait_ps = 500 * WEFT_PS_PER_US;
    c->random_seed = 1;
    c->pint_log_base = 1.05;
    c->pint_prob = 1.0;
    c->topology_file = c->flow_file = c->trace_file = c->trace_output_file = c->qlen_mon_file = "";
    c->fct_output_file = "fct.txt";
    c->pfc_output_file = "pfc.txt";
    c->skipped = c->offs = "";
}

static const char *nearest(const char *name)
{
    const char *names[WEFT_HPCC_KEYS];
    for (size_t i = 0; i < WEFT_HPCC_KEYS; i++)
        names[i] = keys[i].name;
    return weft_nearest(name, names, WEFT_HPCC_KEYS);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool hpcc_config_ends(const char *text, const char *with)
{
    const size_t n = strlen(text), m = strlen(with);
    return n > m && strcmp(text + n - m, with) == 0;
}

/* Whether a key that is not known switches something, and is no known one with a letter wrong. */
static bool is_switch(const char *name)
{
    const char *near = nearest(name);
    const size_t n = strlen(name), m = near ? strlen(near) : n + 2;
    return (begins(name, "ENABLE") || begins(name, "USE_") || hpcc_config_ends(name, "_ENABLE") ||
            hpcc_config_ends(name, "_ENABLED") || hpcc_config_ends(name, "Enabled")) &&
           (m > n + 1 || n > m + 1);
}

static int unknown_key(const struct weft_scan *s, struct weft_err *err)
{
    if (s->tok[strspn(s->tok, "0123456789.+-")] == '\0')
        return weft_scan_err(s, err, WEFT_E_INPUT,
                             "'%.64s' stands where a key should: the key before it takes one "
                             "value",
                             s->tok);
    const char *near = nearest(s->tok);
    if (near)
        return weft_scan_err(s, err, WEFT_E_INPUT, "unknown key '%.64s'; did you mean '%s'?",
                             s->tok, near);
    return weft_scan_err(s, err, WEFT_E_INPUT, "unknown key '%.64s'; there are %d, such as %s",
                         s->tok, (int)WEFT_HPCC_KEYS, keys[0].name);
}

/* A key that is not known: a switch of some fork whose value, alone on its line, is off, is passed
 * over. */
static int read_unknown(struct weft_scan *s, struct weft_hpcc_config *c, struct weft_err *err)
{
    static const char *const off[] = {"0", "false", "off"};
    const struct weft_scan key = *s;
    if (!is_switch(key.tok) || !weft_scan_next(s) || s->tok_line != key.tok_line)
        return unknown_key(&key, err);
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        if (strcmp(s->tok, off[i]) == 0) {
            c->offs = weft_arena_printf(c->arena, "%s %s", c->offs, key.tok);
            return c->offs ? 0 : weft_err_no_memory(err, "a configuration");
        }
    return unknown_key(&key, err);
}

/* Reads "n rate value rate value ...". */
static int read_map(struct weft_scan *s, struct weft_hpcc_config *c, const struct key *k,
                    struct weft_hpcc_map *m, struct weft_err *err)
{
    uint64_t n;
    char what[64];
    snprintf(what, sizeof what, "the number of rates of %s", k->name);
    int rc = weft_scan_u64(s, what, 4096, &n, err);
    if (rc)
        return rc;
    *m = (struct weft_hpcc_map){
        (struct weft_hpcc_map_entry *)weft_arena_calloc(c->arena, n, sizeof *m->entries), 0};
    if (!m->entries)
        return weft_err_no_memory(err, "a configuration");
    for (; m->n < n; m->n++) {
        struct weft_hpcc_map_entry *e = &m->entries[m->n];
        snprintf(what, sizeof what, "rate %zu of %" PRIu64 " of %s", m->n + 1, n, k->name);
        if ((rc = weft_scan_rate(s, what, &e->rate_bps, err)))
            return rc;
        const struct weft_hpcc_map_entry *before = weft_hpcc_map_find(m, e->rate_bps);
        const struct weft_scan at = *s;
        snprintf(what, sizeof what, "the value of %s for the rate before it", k->name);
        if ((rc = weft_scan_f64(s, what, &e->value, err)))
            return rc;
        if (before && before->value != e->value)
            return weft_scan_err(&at, err, WEFT_E_INPUT, "%s lists the rate %s twice", k->name,
                                 at.tok);
        const double max = k->type == P_MAP ? 1000 : 1e9; /* marked with min(1, P x ...) */
        if (!(e->value >= 0 && e->value <= max))
            return weft_scan_err(s, err, WEFT_E_INPUT, "%s must be from 0 to %s, got '%s'", k->name,
                                 k->type == P_MAP ? "1000" : "10^9 KB", s->tok);
    }
    return 0;
}

static int read_down(struct weft_scan *s, struct weft_hpcc_down *d, struct weft_err *err)
{
    int rc = weft_scan_u64(s, "the time of LINK_DOWN", UINT64_MAX, &d->after_us, err);
    if (!rc)
        rc = weft_scan_u64(s, "the first node of LINK_DOWN", UINT32_MAX, &d->a, err);
    if (!rc)
        rc = weft_scan_u64(s, "the second node of LINK_DOWN", UINT32_MAX, &d->b, err);
    return rc;
}

/* Reads a whole number as the simulator does: up to the point, the rest is no key. */
static int read_whole(struct weft_scan *s, struct weft_hpcc_config *c, const struct key *k,
                      const char *what, uint64_t *out, struct weft_err *err)
{
    const int rc = weft_scan_need(s, what, err);
    if (rc)
        return rc;
    char *point = strchr(s->tok, '.');
    if (point && point > s->tok && point[1 + strspn(point + 1, "0123456789")] == '\0') {
        c->cut[k - keys] = point[1 + strspn(point + 1, "0")] != '\0';
        *point = '\0';
    }
    s->again = true;
    return weft_scan_u64(s, what, UINT64_MAX, out, err);
}

/* Passes over @p n values. */
static int skip_values(struct weft_scan *s, const char *what, uint64_t n, struct weft_err *err)
{
    int rc = 0;
    for (uint64_t i = 0; !rc && i < n; i++)
        rc = weft_scan_need(s, what, err);
    return rc;
}

static int hpcc_config_read_value(struct weft_scan *s, struct weft_hpcc_config *c,
                                  const struct key *k, struct weft_err *err)
{
    void *field = (char *)c + k->offset;
    uint64_t n;
    char what[64];
    int rc;
    snprintf(what, sizeof what, "the value of %s", k->name);
    switch (k->type) {
    case BOOL:
        if (!(rc = weft_scan_u64(s, what, UINT32_MAX, &n, err)))
            *(int *)field = n != 0;
        return rc;
    case U64:
        return read_whole(s, c, k, what, (uint64_t *)field, err);
    case F64:
        return weft_scan_f64(s, what, (double *)field, err);
    case US:
        return weft_scan_time(s, what, "us", (int64_t *)field, err);
    case S:
        return weft_scan_time(s, what, "s", (int64_t *)field, err);
    case S_CLAMPED:
    case NS_CLAMPED:
        rc = weft_scan_time_clamped(s, what, k->type == S_CLAMPED ? "s" : "ns", (int64_t *)field,
                                    err);
        c->clamped[k - keys] = !rc && *(int64_t *)field == WEFT_NEVER;
        return rc;
    case RATE:
        return weft_scan_rate(s, what, (uint64_t *)field, err);
    case KB_MAP:
    case P_MAP:
        return read_map(s, c, k, (struct weft_hpcc_map *)field, err);
    case DOWN:
        return read_down(s, (struct weft_hpcc_down *)field, err);
    case PAIR:
        return skip_values(s, what, 2, err);
    case LIST:
        rc = weft_scan_u64(s, what, 1 << 20, &n, err);
        return rc ? rc : skip_values(s, what, n, err);
    case TEXT:
    case WORD:
        if ((rc = weft_scan_need(s, what, err)))
            return rc;
        *(const char **)field = weft_arena_strdup(c->arena, s->tok);
        return *(const char **)field ? 0 : weft_err_no_memory(err, "a configuration");
    }
    return 0;
}

#define BAD(key, ...)                                                                              \
    weft_err_at(err, WEFT_E_INPUT, c->file, c->line[WEFT_HPCC_##key], 0, __VA_ARGS__)

/* Checks that the files are named which the simulator reads. */
static int check_files(const struct weft_hpcc_config *c, struct weft_err *err)
{
    if (!c->given[WEFT_HPCC_TOPOLOGY_FILE])
        return BAD(TOPOLOGY_FILE, "TOPOLOGY_FILE must be given");
    if (!c->given[WEFT_HPCC_FLOW_FILE])
        return BAD(FLOW_FILE, "FLOW_FILE must be given%s",
                   c->given[WEFT_HPCC_FLOW_INPUT_FILE]
                       ? "; FLOW_INPUT_FILE names a file that the simulator writes"
                   : c->given[WEFT_HPCC_FLOW_FILE_NAME]
                       ? "; FLOW_FILE_NAME is a name in a folder that is part of hrQAQ/intcc's "
                         "program: --set FLOW_FILE=... names the file itself"
                       : "");
    return 0;
}

/* Checks values that no type rules out. */
static int hpcc_config_check(const struct weft_hpcc_config *c, struct weft_err *err)
{
    if (c->payload_bytes == 0)
        return BAD(PACKET_PAYLOAD_SIZE, "PACKET_PAYLOAD_SIZE must be at least 1");
    if (!(c->error_rate >= 0 && c->error_rate <= 1))
        return BAD(ERROR_RATE_PER_LINK, "ERROR_RATE_PER_LINK must be from 0 to 1");
    if (c->buffer_mib > 1 << 20)
        return BAD(BUFFER_SIZE, "BUFFER_SIZE must be from 0 to 1048576 (MiB)");
    if (c->stop_ps == 0)
        return BAD(SIMULATOR_STOP_TIME, "SIMULATOR_STOP_TIME must be above 0");
    if (c->headroom_factor > 64)
        return BAD(HEADROOM_FACTOR, "HEADROOM_FACTOR must be from 0 to 64");
    return 0;
}
#undef BAD

/* What ConWeave's simulator does without being asked: it ends 10 s after the last start of a flow,
 * ACKs go first, queues are never sampled, and two defaults are others than HPCC's. */
static void set_dialect(struct weft_hpcc_config *c)
{
    c->conweave = c->given[WEFT_HPCC_FLOW_INPUT_FILE] || c->given[WEFT_HPCC_FLOWGEN_START_TIME] ||
                  c->given[WEFT_HPCC_FLOWGEN_STOP_TIME] || c->given[WEFT_HPCC_LB_MODE];
    if (!c->conweave)
        return;
    if (!c->given[WEFT_HPCC_ACK_HIGH_PRIO])
        c->ack_high_prio = 1;
    if (!c->given[WEFT_HPCC_FAST_RECOVERY_TIMES])
        c->fast_recovery_times = 1;
    if (!c->given[WEFT_HPCC_BUFFER_SIZE])
        c->buffer_mib = 0; /* by the ports of a switch */
    if (!c->given[WEFT_HPCC_SIMULATOR_STOP_TIME]) {
        const int64_t after = 10 * WEFT_PS_PER_S;
        c->clamped[WEFT_HPCC_FLOWGEN_STOP_TIME] = c->flowgen_stop_ps >= WEFT_NEVER - after;
        c->stop_ps =
            c->clamped[WEFT_HPCC_FLOWGEN_STOP_TIME] ? WEFT_NEVER : c->flowgen_stop_ps + after;
    }
    c->qlen_mon_end_ps = c->qlen_mon_start_ps;
}

/* Passes over a remark: what stands in braces (HPCC's config_doc.txt has such), or behind # or //
 * up to the end of the line. False: the token is none. */
static bool skip_remark(struct weft_scan *s, bool *open)
{
    const int64_t line = s->tok_line;
    const bool braced = s->tok[0] == '{';
    *open = braced;
    if (!braced && s->tok[0] != '#' && strncmp(s->tok, "//", 2) != 0)
        return false;
    while (braced ? !strchr(s->tok, '}') : s->tok_line == line)
        if (!weft_scan_next(s))
            return true;
    *open = false;
    s->again = !braced;
    return true;
}

static size_t find_key(const char *name, size_t len)
{
    size_t i = 0;
    while (i < WEFT_HPCC_KEYS &&
           (strncmp(keys[i].name, name, len) != 0 || keys[i].name[len] != '\0'))
        i++;
    return i;
}

/* Passes over further numbers of a map's line, which the simulator takes for unknown keys. */
static void skip_rest(struct weft_scan *s, struct weft_hpcc_config *c, size_t i)
{
    const int64_t line = s->tok_line;
    if (keys[i].type != KB_MAP && keys[i].type != P_MAP)
        return;
    while (weft_scan_next(s)) {
        if (s->tok_line != line || s->tok[strspn(s->tok, "0123456789.")] != '\0') {
            s->again = true;
            return;
        }
        c->cut[i] = true;
    }
}

static int read_file(struct weft_scan *s, struct weft_hpcc_config *c, struct weft_err *err)
{
    while (weft_scan_next(s)) {
        bool open;
        if (skip_remark(s, &open)) {
            if (open)
                return weft_scan_err(s, err, WEFT_E_INPUT,
                                     "the file ends within a remark: '}' is "
                                     "missing");
            continue;
        }
        const size_t i = find_key(s->tok, strlen(s->tok));
        const int fork = i < WEFT_HPCC_KEYS ? -1 : weft_hpcc_fork_find(s->tok);
        int rc = 0;
        if (fork >= 0) {
            rc = weft_hpcc_fork_read(s, fork, err);
        } else if (i == WEFT_HPCC_KEYS) {
            rc = read_unknown(s, c, err);
        } else {
            c->given[i] = true;
            c->cut[i] = false;
            c->line[i] = s->tok_line;
            rc = hpcc_config_read_value(s, c, &keys[i], err);
        }
        if (rc)
            return rc;
        if (i < WEFT_HPCC_KEYS)
            skip_rest(s, c, i);
    }
    return 0;
}

bool weft_hpcc_is_override(const char *text)
{
    const char *eq = strchr(text, '='), *dot = strchr(text, '.');
    return eq && (!dot || dot > eq);
}

static int read_override(const char *text, struct weft_hpcc_config *c, struct weft_err *err)
{
    const char *eq = strchr(text, '=');
    const size_t i = eq ? find_key(text, (size_t)(eq - text)) : WEFT_HPCC_KEYS;
    struct weft_scan s;
    if (i == WEFT_HPCC_KEYS) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", eq ? (int)(eq - text) : 63, text);
        const char *near = nearest(name);
        return weft_err_set(err, WEFT_E_INPUT,
                            "--set %s: configurations have no key '%s'%s%s%s; weft's own settings "
                            "have a section: transport.mtu",
                            text, name, near ? "; did you mean '" : "", near ? near : "",
                            near ? "'?" : "");
    }
    const char *name = weft_arena_printf(c->arena, "--set %s", keys[i].name);
    if (!name)
        return weft_err_no_memory(err, "a configuration");
    if (weft_scan_text(&s, name, eq + 1, err))
        return err->code;
    c->given[i] = true;
    c->line[i] = 0;
    c->clamped[i] = c->cut[i] = false;
    int rc = hpcc_config_read_value(&s, c, &keys[i], err);
    if (!rc && weft_scan_next(&s))
        rc = weft_scan_err(&s, err, WEFT_E_INPUT, "'%.64s' stands behind the value", s.tok);
    weft_scan_close(&s);
    return rc;
}

static int hpcc_config_read_all(struct weft_scan *s, const struct weft_hpcc_overrides *o,
                                struct weft_hpcc_config *c, struct weft_err *err)
{
    int rc = read_file(s, c, err);
    for (size_t i = 0; !rc && o && i < o->n; i++)
        rc = read_override(o->list[i], c, err);
    if (rc)
        return rc;
    set_dialect(c);
    return hpcc_config_check(c, err);
}

static bool has_keys(const struct weft_hpcc_config *c)
{
    for (size_t i = 0; i < WEFT_HPCC_KEYS; i++)
        if (c->given[i])
            return true;
    return false;
}

static struct weft_hpcc_config *read_config(const char *path, const struct weft_hpcc_overrides *o,
                                            struct weft_err *err)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_hpcc_config *c =
        a ? (struct weft_hpcc_config *)weft_arena_alloc(a, sizeof *c) : NULL;
    struct weft_scan s;
    if (!c) {
        weft_arena_free(a);
        weft_err_no_memory(err, "a configuration");
        return NULL;
    }
    c->arena = a;
    set_defaults(c);
    c->file = weft_arena_strdup(a, path);
    int rc =
        c->file ? weft_scan_open(&s, c->file, err) : weft_err_no_memory(err, "a configuration");
    if (!rc) {
        rc = hpcc_config_read_all(&s, o, c, err);
        weft_scan_close(&s);
    }
    if (!rc && !has_keys(c))
        rc = weft_err_at(err, WEFT_E_INPUT, c->file, 0, 0,
                         "this is no configuration: it has no key, such as %s", keys[0].name);
    if (rc) {
        weft_hpcc_config_free(c);
        return NULL;
    }
    return c;
}

struct weft_hpcc_config *weft_hpcc_config_read_settings(const char *path, struct weft_err *err)
{
    return read_config(path, NULL, err);
}

struct weft_hpcc_config *
weft_hpcc_config_read(const char *path, const struct weft_hpcc_overrides *o, struct weft_err *err)
{
    struct weft_hpcc_config *c = read_config(path, o, err);
    if (!c || !check_files(c, err))
        return c;
    weft_hpcc_config_free(c);
    return NULL;
}

bool weft_hpcc_config_looks(const char *path)
{
    struct weft_scan s;
    struct weft_err ignored = {0};
    if (weft_scan_open(&s, path, &ignored))
        return false;
    bool found = weft_scan_next(&s), open = false;
    while (found && skip_remark(&s, &open) && !open)
        found = weft_scan_next(&s);
    bool looks = false;
    for (size_t i = 0; found && !open && i < WEFT_HPCC_KEYS; i++)
        looks = looks || strcmp(keys[i].name, s.tok) == 0;
    weft_scan_close(&s);
    return looks;
}

void weft_hpcc_config_free(struct weft_hpcc_config *c)
{
    if (c)
        weft_arena_free(c->arena); /* c itself lives in it */
}

/* Looks for @p name in the folders above @p dir, the second and on; @p dir is spoilt. */
static bool find_above(char dir[WEFT_PATH_MAX], const char *name, char path[WEFT_PATH_MAX])
{
    enum { LEVELS = 12 };
    struct weft_err ignored = {0};
    for (int level = 0; level < LEVELS; level++) {
        char above[WEFT_PATH_MAX];
        if (weft_path_join(above, dir, "..", &ignored))
            return false;
        snprintf(dir, WEFT_PATH_MAX, "%s", above);
        if (weft_path_join(path, dir, name, &ignored))
            return false;
        if (level > 0 && weft_file_is_regular(path))
            return true;
    }
    return false;
}

int weft_hpcc_config_find(const struct weft_hpcc_config *c, enum weft_hpcc_key key,
                          const char *name, char path[WEFT_PATH_MAX], struct weft_err *err)
{
    char dir[WEFT_PATH_MAX], above[WEFT_PATH_MAX];
    if (weft_path_dir(dir, c->file, err) || weft_path_join(above, dir, "..", err))
        return err->code;
    const char *const from[] = {dir, above, ""};
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        if (weft_path_join(path, from[i], name, err))
            return err->code;
        if (weft_file_is_regular(path))
            return 0;
    }
    snprintf(above, sizeof above, "%s", dir);
    if (*name != '/' && find_above(above, name, path))
        return 0;
    if (weft_path_join(path, dir, weft_path_base(name), err)) /* a path of another machine */
        return err->code;
    if (weft_file_is_regular(path))
        return 0;
    return weft_err_at(err, WEFT_E_IO, c->file, c->line[key], 0,
                       "%s %s: no such file in %s, in the folders above it, or in the working "
                       "directory",
                       keys[key].name, name, dir);
}
