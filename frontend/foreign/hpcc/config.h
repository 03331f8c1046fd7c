/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HPCC's config.txt: KEY value tokens, line ends without meaning. config.def lists every key.
 * Remarks stand in braces, or behind # or // up to the end of the line.
 *
 * Where the HPCC simulator skips an unknown token silently, this reader refuses it with the nearest
 * valid key. Absent keys keep the simulator's own defaults, except where those are accidents
 * (EWMA_GAIN 0 from an integer division; RP_TIMER 0, a livelock): there, what its configurations
 * ship, and `given` tells the difference.
 */
#ifndef WEFT_HPCC_CONFIG_H
#define WEFT_HPCC_CONFIG_H

#include "base/file.h"

#include <stdbool.h>

WEFT_C_BEGIN

struct weft_arena;

/** The keys, WEFT_HPCC_CC_MODE and so on, in the order of config.def. */
enum weft_hpcc_key {
#define WEFT_HPCC_KEY(key, type, field, effect) WEFT_HPCC_##key,
#include "foreign/hpcc/config.def"
#undef WEFT_HPCC_KEY
    WEFT_HPCC_KEYS
};

/** What a key does in weft; from WEFT_HPCC_UNREAD on nothing, for the reason of
 * weft_hpcc_effect_reason. */
enum weft_hpcc_effect {
    WEFT_HPCC_USED,
    WEFT_HPCC_CC,
    WEFT_HPCC_UNREAD,
    WEFT_HPCC_FILES_OF_ITS_OWN,
    WEFT_HPCC_LABEL,
    WEFT_HPCC_FORKS,
    WEFT_HPCC_EFFECTS
};

/** The value for one link rate. */
struct weft_hpcc_map_entry {
    uint64_t rate_bps;
    double value; /**< KB of 1000 bytes, or a probability */
};
/** A value per link rate. */
struct weft_hpcc_map {
    struct weft_hpcc_map_entry *entries;
    size_t n;
};

/** LINK_DOWN: the links a-b fail this long after FLOWGEN_START_TIME; at 0 none does. */
struct weft_hpcc_down {
    uint64_t after_us, a, b;
};

/** One configuration. Units as the field names say, whatever the file's. */
struct weft_hpcc_config {
    struct weft_arena *arena; /**< owns everything */
    const char *file;         /**< the path it was read from */
    bool given[WEFT_HPCC_KEYS];
    int64_t line[WEFT_HPCC_KEYS]; /**< of the key, 0: absent, or an override; the last one counts */
    bool clamped[WEFT_HPCC_KEYS]; /**< its time lies beyond weft's clock and is WEFT_NEVER */
    bool cut[WEFT_HPCC_KEYS];     /**< the rest of its value was left away: digits behind the point
                                     of a whole number, pairs beyond the number announced; a TRACE_FILE
                                     that is not there */
    bool conweave;                /**< a configuration of ConWeave's: it has a key of theirs */

    int enable_qcn, dynamic_pfc, clamp_target_rate, back_to_zero, has_win, global_t, var_win;
    int fast_react, rate_bound, ack_high_prio, enable_trace, multi_rate, sample_feedback;
    int enable_pfc, enable_irn;
    uint64_t payload_bytes, chunk_bytes, ack_interval_bytes, fast_recovery_times, cc_mode;
    uint64_t mi_thresh, int_multi, buffer_mib, nic_pause_us, headroom_factor, lb_mode;
    int64_t pause_time_ps, stop_ps, alpha_resume_ps, rp_timer_ps, rate_decrease_ps;
    int64_t qlen_mon_start_ps, qlen_mon_end_ps, flowgen_start_ps, flowgen_stop_ps;
    int64_t conweave_expiry_ps, conweave_reply_ps, conweave_pause_ps, conweave_flush_ps;
    int64_t conweave_wait_ps;
    uint64_t random_seed;
    uint64_t rate_ai_bps, rate_hai_bps, min_rate_bps, dctcp_rate_ai_bps;
    double ewma_gain, error_rate, u_target, pint_log_base, pint_prob;
    const char *topology_file, *flow_file, *trace_file; /**< as in the file; "" when absent */
    const char *trace_output_file, *fct_output_file, *pfc_output_file, *qlen_mon_file;
    const char *offs; /**< switches of forks that are off and not known: " ENABLE_X ..." */
    const char *skipped;
    struct weft_hpcc_down link_down;
    struct weft_hpcc_map kmax, kmin, pmax;
};

/** "KEY=VALUE" texts that count as if they were the last lines of the file. */
struct weft_hpcc_overrides {
    const char *const *list;
    size_t n;
};
/** Whether a text "KEY=VALUE" is meant as one: weft's own settings have a '.' in their keys. */
bool weft_hpcc_is_override(const char *text);

/** Reads @p path, and @p o (NULL: nothing) after it. NULL on failure, *err says where and why. */
struct weft_hpcc_config *
weft_hpcc_config_read(const char *path, const struct weft_hpcc_overrides *o, struct weft_err *err);
/** The same of one that need not name topology and flows, such as SimAI.conf. */
struct weft_hpcc_config *weft_hpcc_config_read_settings(const char *path, struct weft_err *err);
void weft_hpcc_config_free(struct weft_hpcc_config *c);
/** Whether a file begins as a configuration does, with a key of theirs. */
bool weft_hpcc_config_looks(const char *path);
/** The key as it is written in the file. */
const char *weft_hpcc_key_name(enum weft_hpcc_key key);
enum weft_hpcc_effect weft_hpcc_key_effect(enum weft_hpcc_key key);
/** Why keys of this effect do nothing: the rest of the sentence "without effect: KEYS: ...". */
const char *weft_hpcc_effect_reason(enum weft_hpcc_effect effect);
/** The value of a key that holds one number, as weft writes it, with its unit ("50Mbps"). Returns
 * @p buf, "" for other keys. */
#define WEFT_HPCC_VALUE_MAX 64
const char *weft_hpcc_value_text(const struct weft_hpcc_config *c, enum weft_hpcc_key key,
                                 char buf[WEFT_HPCC_VALUE_MAX]);
/** The entry for a link rate, or NULL. */
const struct weft_hpcc_map_entry *weft_hpcc_map_find(const struct weft_hpcc_map *m,
                                                     uint64_t rate_bps);

/**
 * Where the input file @p name of a configuration lies: beside the configuration, else beside its
 * folder (the shipped ones lie in mix/ and name "mix/topology.txt"), else in the working directory,
 * else in a folder further above (forks name files from the top of their repository).
 * An absolute name that leads nowhere, as of another machine, is looked for beside the
 * configuration. WEFT_E_IO naming key and line when it is nowhere.
 */
int weft_hpcc_config_find(const struct weft_hpcc_config *c, enum weft_hpcc_key key,
                          const char *name, char path[WEFT_PATH_MAX], struct weft_err *err);

WEFT_C_END
#endif
