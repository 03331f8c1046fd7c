/* SPDX-License-Identifier: GPL-2.0-only */
/* From an HPCC configuration to weft's settings. */
#include "foreign/hpcc/profile.h"

#include "base/arena.h"
#include "base/units.h"
#include "congestion/cc.h"
#include "congestion/cc_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SETS = 128, MAX_WARNINGS = 16, MAX_RATES = 64, TEXT_MAX = 4096, LB_CONWEAVE = 9 };

static const struct weft_hpcc_compat compat_table[] = {
#define WEFT_HPCC_COMPAT(key, value, why) {key, value, why},
#include "foreign/hpcc/compat.def"
#undef WEFT_HPCC_COMPAT
};

#define COMPAT_ROWS (sizeof compat_table / sizeof compat_table[0])

static const struct weft_hpcc_compat conweave_table[] = {
#define WEFT_HPCC_COMPAT(key, value, why) {key, value, why},
#include "foreign/hpcc/conweave.def"
#undef WEFT_HPCC_COMPAT
};
#define CONWEAVE_ROWS (sizeof conweave_table / sizeof conweave_table[0])

const struct weft_hpcc_compat *weft_hpcc_compat_table(size_t *n)
{
    *n = COMPAT_ROWS;
    return compat_table;
}

/* The values of CC_MODE, with the bytes that each adds to data packets. */
static const struct cc_mode {
    uint64_t id;
    const char *name;
    unsigned signal_bytes;
} modes[] = {
    {1, "dcqcn", 0}, {3, "hpcc", 42}, {7, "timely", 8}, {8, "dctcp", 0}, {10, "hpcc-pint", 2}};

/* The values of LB_MODE, and their words of switch.balance. */
static const struct lb_mode {
    uint64_t id;
    const char *balance;
} lb_modes[] = {{0, "flow"}, {2, "drill"}, {3, "conga"}, {6, "letflow"}, {LB_CONWEAVE, "conweave"}};

/* NULL: LB_MODE has no row. */
static const char *balance_of(const struct weft_hpcc_config *c)
{
    for (size_t i = 0; i < sizeof lb_modes / sizeof lb_modes[0]; i++)
        if (lb_modes[i].id == c->lb_mode)
            return lb_modes[i].balance;
    return NULL;
}

/* Constants of ConWeave's simulator that its configurations don't name. */
static const struct lb_constant {
    uint64_t mode;
    const char *set;
} lb_constants[] = {{3, "switch.conga-interval=50us"},
                    {3, "switch.conga-decay=0.2"},
                    {3, "switch.conga-age=500us"},
                    {3, "switch.flowlet-gap=100us"},
                    {6, "switch.flowlet-gap=100us"}};

/* And what they name. */
static const struct lb_key {
    uint64_t mode;
    enum weft_hpcc_key key;
    const char *param;
} lb_keys[] = {{LB_CONWEAVE, WEFT_HPCC_CONWEAVE_REPLY_TIMEOUT_EXTRA, "reply"},
               {LB_CONWEAVE, WEFT_HPCC_CONWEAVE_PATH_PAUSE_TIME, "path-busy"},
               {LB_CONWEAVE, WEFT_HPCC_CONWEAVE_TX_EXPIRY_TIME, "inactive"},
               {LB_CONWEAVE, WEFT_HPCC_CONWEAVE_EXTRA_VOQ_FLUSH_TIME, "resume-extra"},
               {LB_CONWEAVE, WEFT_HPCC_CONWEAVE_DEFAULT_VOQ_WAITING_TIME, "resume-default"}};

/* Which key is which parameter of which control. */
static const struct cc_key {
    uint64_t mode;
    enum weft_hpcc_key key;
    const char *param;
} cc_keys[] = {
    {1, WEFT_HPCC_EWMA_GAIN, "gain"},
    {1, WEFT_HPCC_RATE_AI, "rate-ai"},
    {1, WEFT_HPCC_RATE_HAI, "rate-hai"},
    {1, WEFT_HPCC_MIN_RATE, "min-rate"},
    {1, WEFT_HPCC_FAST_RECOVERY_TIMES, "fast-recovery"},
    {1, WEFT_HPCC_ALPHA_RESUME_INTERVAL, "alpha-timer"},
    {1, WEFT_HPCC_RP_TIMER, "rate-timer"},
    {1, WEFT_HPCC_RATE_DECREASE_INTERVAL, "decrease-interval"},
    {1, WEFT_HPCC_CLAMP_TARGET_RATE, "clamp-target"},
    {3, WEFT_HPCC_U_TARGET, "target-util"},
    {3, WEFT_HPCC_MI_THRESH, "max-stage"},
    {3, WEFT_HPCC_RATE_AI, "rate-ai"},
    {3, WEFT_HPCC_MIN_RATE, "min-rate"},
    {3, WEFT_HPCC_FAST_REACT, "fast-react"},
    {3, WEFT_HPCC_MULTI_RATE, "multi-rate"},
    {3, WEFT_HPCC_SAMPLE_FEEDBACK, "sample-feedback"},
    {3, WEFT_HPCC_INT_MULTI, "int-multi"},
    {7, WEFT_HPCC_RATE_AI, "rate-ai"},
    {7, WEFT_HPCC_RATE_HAI, "rate-hai"},
    {7, WEFT_HPCC_MIN_RATE, "min-rate"},
    {8, WEFT_HPCC_EWMA_GAIN, "gain"},
    {8, WEFT_HPCC_DCTCP_RATE_AI, "rate-ai"},
    {8, WEFT_HPCC_MIN_RATE, "min-rate"},
    {10, WEFT_HPCC_U_TARGET, "target-util"},
    {10, WEFT_HPCC_MI_THRESH, "max-stage"},
    {10, WEFT_HPCC_RATE_AI, "rate-ai"},
    {10, WEFT_HPCC_MIN_RATE, "min-rate"},
    {10, WEFT_HPCC_PINT_LOG_BASE, "log-base"},
    {10, WEFT_HPCC_PINT_PROB, "sample"},
};
#define CC_KEYS (sizeof cc_keys / sizeof cc_keys[0])

/* NULL: CC_MODE has no row. */
static const struct cc_mode *mode_of(const struct weft_hpcc_config *c)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (modes[i].id == c->cc_mode)
            return &modes[i];
    return NULL;
}

/* The name of the congestion control that CC_MODE stands for; modes that the simulator doesn't know
 * are a fixed window, or nothing. */
static const char *cc_name(const struct weft_hpcc_config *c)
{
    const struct cc_mode *m = mode_of(c);
    return m ? m->name : c->has_win ? "static-window" : "none";
}

/* The profile being made; the first failure is kept. */
struct maker {
    const struct weft_hpcc_profile_input *in;
    struct weft_hpcc_profile *p;
    struct weft_err *err;
    int rc;
};

static int vadd(struct maker *m, const char **list, size_t *n, size_t max, const char *fmt,
                va_list ap)
{
    char text[TEXT_MAX];
    if (m->rc)
        return m->rc;
    int len = vsnprintf(text, sizeof text, fmt, ap);
    if (*n == max || len < 0 || (size_t)len >= sizeof text)
        return m->rc = weft_err_set(m->err, WEFT_E_INTERNAL, "too many settings for the profile");
    list[*n] = weft_arena_strdup(m->p->arena, text);
    if (!list[*n])
        return m->rc = weft_err_no_memory(m->err, "settings");
    (*n)++;
    return 0;
}

__attribute__((format(printf, 2, 3))) static void set(struct maker *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vadd(m, m->p->sets, &m->p->nsets, MAX_SETS, fmt, ap);
    va_end(ap);
}

__attribute__((format(printf, 2, 3))) static void warn(struct maker *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vadd(m, m->p->warnings, &m->p->nwarnings, MAX_WARNINGS, fmt, ap);
    va_end(ap);
}

/* The control that runs: the one asked for in place of CC_MODE, or CC_MODE's. */
static const char *control_name(const struct maker *m)
{
    return m->in->control ? m->in->control : cc_name(m->in->config);
}

/* The row of CC_MODE when it decides; NULL when another control is asked for, or there is none. */
static const struct cc_mode *deciding_mode(const struct maker *m)
{
    return m->in->control ? NULL : mode_of(m->in->config);
}

/* Refuses a value whose effect weft doesn't have. */
static void hpcc_profile_refuse(struct maker *m, enum weft_hpcc_key key, const char *what)
{
    const struct weft_hpcc_config *c = m->in->config;
    if (!m->rc)
        m->rc = weft_err_at(m->err, WEFT_E_INPUT, c->file, c->line[key], 0, "%s: %s",
                            weft_hpcc_key_name(key), what);
}

/* Where a key was given: "file:line", of an override "file". Returns @p buf. */
static const char *hpcc_profile_place(const struct maker *m, enum weft_hpcc_key key,
                                      char buf[TEXT_MAX / 2])
{
    const struct weft_hpcc_config *c = m->in->config;
    if (c->line[key])
        snprintf(buf, TEXT_MAX / 2, "%s:%" PRId64, c->file, c->line[key]);
    else
        snprintf(buf, TEXT_MAX / 2, "%s", c->file);
    return buf;
}

/* LINK_DOWN must name two nodes with a link between them. */
static void check_down(struct maker *m)
{
    const struct weft_hpcc_down *d = &m->in->config->link_down;
    const struct weft_fabric *f = m->in->fabric;
    char why[128], where[TEXT_MAX / 2];
    if (!d->after_us) {
        if (d->a || d->b)
            warn(m, "%s: LINK_DOWN: without effect: at time 0 no link fails",
                 hpcc_profile_place(m, WEFT_HPCC_LINK_DOWN, where));
        return;
    }
    if (d->after_us > (uint64_t)(WEFT_NEVER / WEFT_PS_PER_US) / 2)
        hpcc_profile_refuse(m, WEFT_HPCC_LINK_DOWN, "the time is too long");
    for (uint32_t l = 0; l < f->nlinks; l++)
        if ((f->links[l].a == d->a && f->links[l].b == d->b) ||
            (f->links[l].a == d->b && f->links[l].b == d->a))
            return;
    snprintf(why, sizeof why, "the topology has no link between nodes %" PRIu64 " and %" PRIu64,
             d->a, d->b);
    hpcc_profile_refuse(m, WEFT_HPCC_LINK_DOWN, why);
}

static void check_supported(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    check_down(m);
    if (!balance_of(c))
        hpcc_profile_refuse(m, WEFT_HPCC_LB_MODE,
                            "must be 0 (ECMP), 2 (DRILL), 3 (CONGA), 6 (LetFlow) or 9 (ConWeave)");
    if (c->enable_irn && c->back_to_zero)
        hpcc_profile_refuse(m, WEFT_HPCC_ENABLE_IRN, "excludes L2_BACK_TO_ZERO");
    if (c->nic_pause_us)
        hpcc_profile_refuse(m, WEFT_HPCC_NIC_TOTAL_PAUSE_TIME,
                            "NICs that pause are not modelled; say 0");
    const struct cc_mode *mode = deciding_mode(m);
    if (mode && mode->id == 10 && !c->fast_react)
        hpcc_profile_refuse(m, WEFT_HPCC_FAST_REACT, "HPCC-PINT always reacts to each ACK; say 1");
}

/* Whether a key means something to the chosen control. */
static bool cc_uses(const struct maker *m, enum weft_hpcc_key key)
{
    const struct weft_hpcc_config *c = m->in->config;
    if (m->in->control)
        return false;
    if (key == WEFT_HPCC_HAS_WIN)
        return true;
    if (key == WEFT_HPCC_VAR_WIN)
        return c->has_win && mode_of(c);
    if (key == WEFT_HPCC_INT_MULTI && !m->in->compat)
        return false;
    for (size_t i = 0; i < CC_KEYS; i++)
        if (cc_keys[i].mode == c->cc_mode && cc_keys[i].key == key)
            return true;
    return key == WEFT_HPCC_FAST_REACT && c->cc_mode == 10;
}

/* Whether a key that means something in other runs means nothing in this one, whatever the
 * congestion control. */
static bool is_idle(const struct maker *m, enum weft_hpcc_key key)
{
    const struct weft_hpcc_config *c = m->in->config;
    switch (key) {
    case WEFT_HPCC_L2_CHUNK_SIZE:
        return !c->back_to_zero;
    case WEFT_HPCC_L2_ACK_INTERVAL:
        return m->in->compat;
    case WEFT_HPCC_TRACE_FILE:
    case WEFT_HPCC_ENABLE_TRACE:
        return !c->given[WEFT_HPCC_TRACE_OUTPUT_FILE];
    case WEFT_HPCC_HEADROOM_FACTOR:
        return !m->in->compat || !c->enable_pfc || c->conweave;
    case WEFT_HPCC_QLEN_MON_FILE:
    case WEFT_HPCC_QLEN_MON_START:
    case WEFT_HPCC_QLEN_MON_END:
        return c->conweave;
    case WEFT_HPCC_CONWEAVE_TX_EXPIRY_TIME:
    case WEFT_HPCC_CONWEAVE_REPLY_TIMEOUT_EXTRA:
    case WEFT_HPCC_CONWEAVE_PATH_PAUSE_TIME:
    case WEFT_HPCC_CONWEAVE_EXTRA_VOQ_FLUSH_TIME:
    case WEFT_HPCC_CONWEAVE_DEFAULT_VOQ_WAITING_TIME:
        return c->lb_mode != LB_CONWEAVE;
    default:
        return false;
    }
}

/* Why a key of the file does nothing. */
enum why_not { BY_EFFECT, BY_OTHERS = WEFT_HPCC_EFFECTS, BY_CONTROL, WHY_NOTS };

static bool is_of_files(enum weft_hpcc_key key)
{
    static const enum weft_hpcc_key of_files[] = {
        WEFT_HPCC_TRACE_FILE,    WEFT_HPCC_TRACE_OUTPUT_FILE, WEFT_HPCC_ENABLE_TRACE,
        WEFT_HPCC_QLEN_MON_FILE, WEFT_HPCC_QLEN_MON_START,    WEFT_HPCC_QLEN_MON_END};
    for (size_t i = 0; i < sizeof of_files / sizeof of_files[0]; i++)
        if (of_files[i] == key)
            return true;
    return false;
}

/* 0: it does something. */
static unsigned why_unused(const struct maker *m, enum weft_hpcc_key key)
{
    const enum weft_hpcc_effect effect = weft_hpcc_key_effect(key);
    if (!m->in->config->given[key])
        return BY_EFFECT;
    if (weft_hpcc_effect_reason(effect))
        return effect;
    if (m->in->other_traffic && is_of_files(key))
        return WEFT_HPCC_FILES_OF_ITS_OWN;
    if (is_idle(m, key))
        return BY_OTHERS;
    return effect == WEFT_HPCC_CC && !cc_uses(m, key) ? BY_CONTROL : BY_EFFECT;
}

/* Reports the given keys that have no effect, all in one line per reason. */
static void warn_unused(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    char lists[WHY_NOTS][TEXT_MAX / 2] = {""};
    size_t lens[WHY_NOTS] = {0};
    for (int k = 0; k < WEFT_HPCC_KEYS; k++) {
        const unsigned why = why_unused(m, (enum weft_hpcc_key)k);
        if (why)
            lens[why] += (size_t)snprintf(lists[why] + lens[why], sizeof lists[why] - lens[why],
                                          " %s", weft_hpcc_key_name((enum weft_hpcc_key)k));
    }
    for (unsigned why = 1; why < WEFT_HPCC_EFFECTS; why++)
        if (lens[why])
            warn(m, "%s: without effect:%s: %s", c->file, lists[why],
                 weft_hpcc_effect_reason((enum weft_hpcc_effect)why));
    if (lens[BY_OTHERS])
        warn(m, "%s: without effect beside the other keys:%s", c->file, lists[BY_OTHERS]);
    if (lens[BY_CONTROL] && m->in->control)
        warn(m, "%s: without effect under --control %s:%s", c->file, m->in->control,
             lists[BY_CONTROL]);
    else if (lens[BY_CONTROL])
        warn(m, "%s: without effect under CC_MODE %" PRIu64 " (%s):%s", c->file, c->cc_mode,
             cc_name(c), lists[BY_CONTROL]);
}

/* Says which file is read in place of one that is not where the configuration has it. */
static void warn_elsewhere(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    const struct {
        const char *key, *named, *read;
    } files[] = {{"TOPOLOGY_FILE", c->topology_file, m->in->topology_path},
                 {"FLOW_FILE", c->flow_file, m->in->flows->file}};
    for (size_t i = 0; i < (m->in->other_traffic ? 1 : 2); i++) {
        const size_t named = strlen(files[i].named), read = strlen(files[i].read);
        if (named && (named > read || strcmp(files[i].read + read - named, files[i].named) != 0))
            warn(m, "%s: %s %s: not there; %s is read", c->file, files[i].key, files[i].named,
                 files[i].read);
    }
}

/* Says which times were beyond the clock. */
static void warn_clamped(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    char where[TEXT_MAX / 2];
    for (int k = 0; k < WEFT_HPCC_KEYS; k++)
        if (c->clamped[k])
            warn(m, "%s: %s lies beyond weft's clock of 106 days and is taken as its end",
                 hpcc_profile_place(m, (enum weft_hpcc_key)k, where),
                 weft_hpcc_key_name((enum weft_hpcc_key)k));
}

/* Says of which values a part was left away. */
static void warn_cut(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    char where[TEXT_MAX / 2], value[WEFT_HPCC_VALUE_MAX];
    for (int k = 0; k < WEFT_HPCC_KEYS; k++) {
        const enum weft_hpcc_key key = (enum weft_hpcc_key)k;
        if (!c->cut[k])
            continue;
        if (key == WEFT_HPCC_TRACE_FILE)
            warn(m, "%s: TRACE_FILE %s: not there, so that nothing is traced, as in the simulator",
                 hpcc_profile_place(m, key, where), c->trace_file);
        else if (*weft_hpcc_value_text(c, key, value))
            warn(m, "%s: %s is a whole number, and read as %s, as by the simulator",
                 hpcc_profile_place(m, key, where), weft_hpcc_key_name(key), value);
        else
            warn(m,
                 "%s: %s has more rates than it announces: they are left away, as by the "
                 "simulator",
                 hpcc_profile_place(m, key, where), weft_hpcc_key_name(key));
    }
}

/* CC_MODE of a fork, or of nobody. */
static void warn_mode(struct maker *m)
{
    char where[TEXT_MAX / 2];
    warn(m,
         "%s: CC_MODE %" PRIu64 " is none of the simulator's (1, 3, 7, 8, 10), which plays %s "
         "then, as here; a fork may mean a control of its own: %s (weft list cc) takes one of "
         "weft's",
         hpcc_profile_place(m, WEFT_HPCC_CC_MODE, where), m->in->config->cc_mode,
         m->in->config->has_win ? "a fixed window" : "line rate",
         m->in->other_traffic ? "--set congestion-control.name=NAME" : "--control NAME");
}

static void set_cc(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    const struct cc_mode *mode = deciding_mode(m);
    char value[WEFT_HPCC_VALUE_MAX];
    set(m, "congestion-control.name=%s", control_name(m));
    if (!mode && !m->in->control)
        warn_mode(m);
    if (!mode)
        return;
    set(m, "congestion-control.mode=hpcc");
    for (size_t i = 0; i < CC_KEYS; i++) {
        const struct cc_key *k = &cc_keys[i];
        /* Without a sensible default in the simulator: weft's own stands. */
        bool no_default = k->key == WEFT_HPCC_RATE_AI || k->key == WEFT_HPCC_RATE_HAI ||
                          k->key == WEFT_HPCC_EWMA_GAIN || k->key == WEFT_HPCC_RP_TIMER;
        if (k->mode != mode->id || (no_default && !c->given[k->key]) || !cc_uses(m, k->key))
            continue;
        weft_hpcc_value_text(c, k->key, value);
        set(m, "congestion-control.%s=%s", k->param, value);
    }
    set(m, "congestion-control.window=%s", !c->has_win ? "none" : c->var_win ? "scaled" : "fixed");
    if (mode->id == 7) {
        set(m, "congestion-control.timestamp-bytes=%uB", mode->signal_bytes);
        set(m, "congestion-control.t-low=50us"); /* attributes TmlyTLow, TmlyTHigh, TmlyMinRtt */
        set(m, "congestion-control.t-high=500us");
        set(m, "congestion-control.min-rtt=20us");
    }
    if (mode->id == 10)
        set(m, "congestion-control.average-time=%" PRIu64 "ns", m->in->pairs->max_rtt_ns);
    if (mode->id == 10 && m->in->compat)
        set(m, "congestion-control.switch-arithmetic=tables");
}

/* The distinct rates of links: of the @p nswitch first of them, in the order of port numbers, some
 * are of switches; the others are of links between two hosts. */
static size_t link_rates(const struct weft_fabric *f, uint64_t rates[MAX_RATES], size_t *nswitch)
{
    size_t n = 0;
    *nswitch = 0;
    for (int of_switches = 1; of_switches >= 0; of_switches--) {
        for (uint32_t p = 0; p < f->nports && n < MAX_RATES; p++) {
            const uint64_t rate = f->links[f->ports[p].link].rate_bps;
            size_t i = 0;
            if (of_switches && f->nodes[f->ports[p].node].kind != WEFT_NODE_SWITCH)
                continue;
            while (i < n && rates[i] != rate)
                i++;
            if (i == n)
                rates[n++] = rate;
        }
        *nswitch = of_switches ? n : *nswitch;
    }
    return n;
}

/* The thresholds of one rate; false with the error set when a map lacks it. */
static bool thresholds(struct maker *m, uint64_t rate_bps, uint64_t *kmin, uint64_t *kmax,
                       double *pmax)
{
    const struct weft_hpcc_config *c = m->in->config;
    const struct weft_hpcc_map *const maps[] = {&c->kmin, &c->kmax, &c->pmax};
    static const enum weft_hpcc_key keys[] = {WEFT_HPCC_KMIN_MAP, WEFT_HPCC_KMAX_MAP,
                                              WEFT_HPCC_PMAX_MAP};
    double value[3];
    char rate[WEFT_UNIT_TEXT_MAX], why[128];
    for (size_t i = 0; i < 3; i++) {
        const struct weft_hpcc_map_entry *e = weft_hpcc_map_find(maps[i], rate_bps);
        if (!e) {
            snprintf(why, sizeof why, "no entry for the rate %" PRIu64 " (%s) of a switch port",
                     rate_bps, weft_format_rate(rate_bps, rate));
            hpcc_profile_refuse(m, keys[i], why);
            return false;
        }
        value[i] = e->value;
    }
    *kmin = (uint64_t)llround(value[0] * 1000);
    *kmax = (uint64_t)llround(value[1] * 1000);
    *pmax = value[2];
    if (*kmin > *kmax) {
        snprintf(why, sizeof why, "KMIN_MAP is above KMAX_MAP for the rate %" PRIu64, rate_bps);
        hpcc_profile_refuse(m, WEFT_HPCC_KMIN_MAP, why);
    }
    return !m->rc;
}

static void set_ecn(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    struct weft_err ignored = {0};
    const struct weft_cc_ops *cc = weft_cc_find(control_name(m), &ignored);
    uint64_t rates[MAX_RATES], kmin = 0, kmax = 0;
    double pmax = 0;
    char p[WEFT_UNIT_TEXT_MAX], rate[WEFT_UNIT_TEXT_MAX], map[TEXT_MAX] = "";
    size_t nswitch, n = link_rates(m->in->fabric, rates, &nswitch), len = 0;
    if (!cc || !(cc->needs & WEFT_CC_NEEDS_ECN) || nswitch == 0)
        return;
    if (!c->enable_qcn) { /* thresholds that no queue reaches */
        set(m, "ecn.scale-rate=0");
        set(m, "ecn.kmin=1GiB");
        set(m, "ecn.kmax=1GiB");
        return;
    }
    if (m->in->compat) {
        /* Before the first packet each node has made nine random variables (its protocol stack's),
         * and the simulation two. */
        set(m, "ecn.draws=ns3");
        set(m, "ecn.first-stream=%u", 9 * m->in->fabric->nnodes + 2);
    }
    for (size_t i = 0; i < n; i++) {
        const bool listed = weft_hpcc_map_find(&c->kmin, rates[i]) &&
                            weft_hpcc_map_find(&c->kmax, rates[i]) &&
                            weft_hpcc_map_find(&c->pmax, rates[i]);
        if (i >= nswitch && !listed) {
            kmin = kmax = UINT32_MAX; /* hosts of the simulator don't mark, and need no entry */
            pmax = 1;
        } else if (!thresholds(m, rates[i], &kmin, &kmax, &pmax)) {
            return;
        }
        int w =
            snprintf(map + len, sizeof map - len, "%s%s:%" PRIu64 "B:%" PRIu64 "B:%s", i ? "," : "",
                     weft_format_rate(rates[i], rate), kmin, kmax, weft_format_f64(pmax, p));
        len += w > 0 && (size_t)w < sizeof map - len ? (size_t)w : 0;
    }
    if (n > 1) {
        set(m, "ecn.rate-map=%s", map);
        return;
    }
    set(m, "ecn.scale-rate=0");
    set(m, "ecn.kmin=%" PRIu64 "B", kmin);
    set(m, "ecn.kmax=%" PRIu64 "B", kmax);
    set(m, "ecn.pmax=%s", weft_format_f64(pmax, p));
}

/* The priorities: those of the flows are lossless, and ACKs travel in the same. */
static void set_priorities(struct maker *m)
{
    const struct weft_hpcc_flows *l = m->in->flows;
    unsigned mask = 0, ack = 3;
    for (size_t i = 0; i < l->n; i++)
        mask |= 1u << l->list[i].pg;
    const bool own_queue =
        m->in->compat && m->in->config->conweave && m->in->config->ack_high_prio && !(mask & 1);
    if (mask == 0)
        mask = 1u << 3;
    while (!(mask & 1u << ack)) /* the simulator gives each ACK the priority of its data */
        ack = (ack + 1) % 8;
    if (mask & (mask - 1))
        warn(m, "%s: flows of several priority groups; all ACKs travel in group %u", l->file, ack);
    if (m->in->config->enable_pfc)
        set(m, "pfc.prios=%u", mask);
    set(m, "transport.data-prio=%u", ack);
    /* Under ACK_HIGH_PRIO ACKs have queue 0 of ConWeave's switches, without marks and pauses. */
    set(m, "transport.ack-prio=%u", own_queue ? 0 : ack);
}

/* The value of a compat row under ConWeave's simulator. */
static const char *conweave_value(const struct weft_hpcc_compat *row)
{
    for (size_t i = 0; i < CONWEAVE_ROWS; i++)
        if (strcmp(conweave_table[i].key, row->key) == 0)
            return conweave_table[i].value;
    return row->value;
}

/* The buffer of ConWeave's simulator, where HPCC's has no such row. */
static void set_conweave_buffer(struct maker *m)
{
    for (size_t i = 0; i < CONWEAVE_ROWS; i++) {
        size_t k = 0;
        while (k < COMPAT_ROWS && strcmp(compat_table[k].key, conweave_table[i].key) != 0)
            k++;
        if (k == COMPAT_ROWS)
            set(m, "%s=%s", conweave_table[i].key, conweave_table[i].value);
    }
}

static void set_wire(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    const struct cc_mode *mode = deciding_mode(m);
    unsigned signal = mode ? mode->signal_bytes : 0;
    unsigned ack = 14 + 20 + 12 + signal; /* with the echo; short ones are padded to 60 */
    set(m, "transport.mtu=%" PRIu64 "B", c->payload_bytes);
    if (!m->in->compat) {
        uint64_t every = (c->ack_interval_bytes + c->payload_bytes - 1) / c->payload_bytes;
        set(m, "transport.ack-every=%" PRIu64, (every ? every : 1));
        return;
    }
    const bool has_rto = c->enable_irn || c->conweave;
    for (size_t i = 0; i < COMPAT_ROWS; i++)
        if (!has_rto || strcmp(compat_table[i].key, "transport.rto") != 0)
            set(m, "%s=%s", compat_table[i].key,
                c->conweave ? conweave_value(&compat_table[i]) : compat_table[i].value);
    if (c->conweave)
        set_conweave_buffer(m);
    set(m, "transport.ack-frame=%uB", (ack < 60 ? 60 : ack) - signal);
    if (c->given[WEFT_HPCC_HEADROOM_FACTOR] && !c->conweave)
        set(m, "pfc.headroom-factor=%" PRIu64, c->headroom_factor);
}

/* What is sent again after a loss, and what holds senders back. */
static void set_transport(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    if (c->enable_irn) { /* attributes IrnRtoHigh and IrnRtoLow; the rest is weft's IRN as it is */
        set(m, "transport.recovery=selective-repeat");
        set(m, "transport.rto=320us");
        set(m, "transport.rto-low=100us");
    } else if (c->conweave) {
        set(m, "transport.rto=4ms"); /* attribute L2Timeout */
    }
    if (c->back_to_zero) {
        set(m, "transport.recovery=go-back-0");
        set(m, "transport.chunk=%" PRIu64 "B", c->chunk_bytes);
    }
    if (!c->rate_bound) {
        set(m, "transport.pacing=false");
        if (!c->has_win)
            warn(m, "%s: with RATE_BOUND 0 and HAS_WIN 0 nothing holds the senders back", c->file);
    }
    if (!c->enable_pfc)
        set(m, "pfc.enabled=false");
}

static void set_balance(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    char value[WEFT_HPCC_VALUE_MAX];
    if (c->lb_mode == 0 || m->rc)
        return;
    set(m, "switch.balance=%s", balance_of(c));
    for (size_t i = 0; i < sizeof lb_constants / sizeof lb_constants[0]; i++)
        if (lb_constants[i].mode == c->lb_mode)
            set(m, "%s", lb_constants[i].set);
    for (size_t i = 0; i < sizeof lb_keys / sizeof lb_keys[0]; i++)
        if (lb_keys[i].mode == c->lb_mode)
            set(m, "switch.conweave-%s=%s", lb_keys[i].param,
                weft_hpcc_value_text(c, lb_keys[i].key, value));
    if (!c->enable_irn) /* DRILL: the simulator doesn't ask, either */
        set(m, "transport.allow-reordering=true");
}

/* BUFFER_SIZE, which the simulator multiplies to bytes of 32 bits. What comes to 0 is, in
 * ConWeave's simulator, 375 kB per port (attribute MaxTotalBufferPerPort); in HPCC's what is free
 * wraps below 0, so that nothing limits the queues. */
static void set_buffer(struct maker *m)
{
    enum { MAX_MIB = 2048, WRAP_MIB = 4096 };
    const struct weft_hpcc_config *c = m->in->config;
    const uint64_t mib = c->buffer_mib % WRAP_MIB;
    char where[TEXT_MAX / 2];
    hpcc_profile_place(m, WEFT_HPCC_BUFFER_SIZE, where);
    if (mib == 0 && c->conweave) {
        set(m, "switch.buffer-per-port=375KB");
        return;
    }
    set(m, "switch.buffer=%" PRIu64 "MiB", mib && mib < MAX_MIB ? mib : MAX_MIB);
    if (mib == 0)
        warn(m,
             "%s: BUFFER_SIZE %" PRIu64 " limits nothing in the simulator, as what is free wraps "
             "to 4 GiB; 2 GiB here",
             where, c->buffer_mib);
    else if (mib != c->buffer_mib || mib > MAX_MIB)
        warn(m,
             "%s: BUFFER_SIZE %" PRIu64 " is %" PRIu64 " MiB in the simulator, whose bytes have "
             "32 bits; %" PRIu64 " MiB here",
             where, c->buffer_mib, mib, mib < MAX_MIB ? mib : MAX_MIB);
}

static void hpcc_profile_make(struct maker *m)
{
    const struct weft_hpcc_config *c = m->in->config;
    char t[WEFT_UNIT_TEXT_MAX], rate[WEFT_UNIT_TEXT_MAX];
    check_supported(m);
    set(m, "topology.type=hpcc");
    set(m, "topology.file=%s", m->in->topology_path);
    set(m, "workload.type=generate"); /* flows are posted without a job */
    if (c->stop_ps != WEFT_NEVER)
        set(m, "run.until=%s", weft_format_time(c->stop_ps, t));
    if (c->given[WEFT_HPCC_RANDOM_SEED])
        set(m, "run.seed=%" PRIu64, c->random_seed);
    set_buffer(m);
    set_cc(m);
    set_wire(m);
    set_transport(m);
    set_balance(m);
    set_priorities(m);
    set_ecn(m);
    const bool forwarding = m->in->fabric->transit;
    set(m, "transport.ack-ignores-pause=%s", c->ack_high_prio && !forwarding ? "true" : "false");
    if (c->ack_high_prio && forwarding)
        warn(m, "%s: ACK_HIGH_PRIO: ACKs wait behind pauses as data does, since hosts forward",
             c->file);
    if (c->global_t) {
        set(m, "transport.base-rtt=%" PRIu64 "ns", m->in->pairs->max_rtt_ns);
        set(m, "transport.bdp=%" PRIu64 "B", m->in->pairs->max_bdp_bytes);
    }
    warn_clamped(m);
    warn_cut(m);
    warn_unused(m);
    warn_elsewhere(m);
    if (*c->offs)
        warn(m, "%s: keys of no simulator that weft knows, left out as their values are off:%s",
             c->file, c->offs);
    size_t steep = 0;
    while (steep < c->pmax.n && c->pmax.entries[steep].value <= 1)
        steep++;
    if (steep < c->pmax.n)
        warn(m, "%s: PMAX_MAP above 1, as %s for %s: a steeper ramp, at whose end all is marked",
             c->file, weft_format_f64(c->pmax.entries[steep].value, t),
             weft_format_rate(c->pmax.entries[steep].rate_bps, rate));
    if (!m->in->flows->sorted)
        warn(m, "%s: the flows are not ordered by start; they have been sorted",
             m->in->flows->file);
    if (m->in->flows->trailing_line)
        warn(m, "%s:%" PRId64 ": what follows the %zu flows is ignored", m->in->flows->file,
             m->in->flows->trailing_line, m->in->flows->n);
}

struct weft_hpcc_profile *weft_hpcc_profile_new(const struct weft_hpcc_profile_input *in,
                                                struct weft_err *err)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_hpcc_profile *p =
        a ? (struct weft_hpcc_profile *)weft_arena_alloc(a, sizeof *p) : NULL;
    if (p) {
        p->arena = a;
        p->sets = (const char **)weft_arena_calloc(a, MAX_SETS, sizeof *p->sets);
        p->warnings = (const char **)weft_arena_calloc(a, MAX_WARNINGS, sizeof *p->warnings);
    }
    if (!p || !p->sets || !p->warnings) {
        weft_arena_free(a);
        weft_err_no_memory(err, "settings");
        return NULL;
    }
    struct maker m = {.in = in, .p = p, .err = err};
    hpcc_profile_make(&m);
    if (m.rc) {
        weft_hpcc_profile_free(p);
        return NULL;
    }
    return p;
}

void weft_hpcc_profile_free(struct weft_hpcc_profile *p)
{
    if (p)
        weft_arena_free(p->arena); /* p itself lives in it */
}
