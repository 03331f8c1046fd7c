/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scenario: everything that decides a run, resolved from defaults, a scenario file and overrides.
 *
 * A scenario is a list of groups. A group is one parameter table with its values and, for each
 * value, where it came from. A group that belongs to a family of plug-ins also has a selector:
 * <topology type="leaf-spine"> selects the table that the other attributes of the element are
 * checked against.
 *
 *   element             selector  keys on the command line (--set)
 *   topology            type      topology.type=NAME, NAME.PARAM=VALUE ("leaf-spine.leaves=4")
 *   network             backend   network.backend=NAME
 *   <backend's section> -         SECTION.PARAM=VALUE ("transport.mtu=4096B")
 *   congestion-control  name      congestion-control.name=NAME, NAME.PARAM=VALUE,
 *                                 congestion-control.preset=NAME
 *   system              -         system.PARAM=VALUE
 *   workload            type      workload.type=NAME, NAME.PARAM=VALUE ("chakra.path=trace/x"); there may be several,
 *                                 each then by its attribute name: JOB.PARAM=VALUE
 *   fault             -         fault.events=LIST; in a file each entry may be an element inside
 *   sweep               -         none: what weft sweep varies; there may be several, by attribute name
 *   sample              -         sample.what=LIST, sample.interval=TIME
 *   run                 -         run.seed=N, run.until=TIME, run.threads=N, run.stall-after=TIME
 *
 * Text parameters called file, path or dir (or ending in -file, -path, -dir) name files: in a
 * scenario file they are relative to it, on the command line to the working directory.
 *
 * Precedence: override > file > preset > default. A key that names nothing is an error. A value
 * that was given but can't have an effect is a warning.
 */
#ifndef WEFT_SCENARIO_H
#define WEFT_SCENARIO_H

#include "base/arena.h"
#include "jobs/jobs.h"
#include "net/net.h"
#include "system/system.h"
#include "topologies/topology.h"
#include "fault/fault.h"
#include "scenario/output.h"
#include "series/series.h"
#include "workload/workload.h"

WEFT_C_BEGIN

/** The element of what goes wrong during a run. */
#define WEFT_FAULT_ELEMENT "fault"

/** Parameters of the run itself: element <run .../>. */
struct weft_run_params {
    uint64_t seed;           /**< of every random stream */
    const char *threads;     /**< that run it: see weft_run_threads */
    const char *replay;      /**< auto, off, exact or a tolerance: what becomes of traffic that
                                repeats itself */
    uint64_t replay_bytes;   /**< most memory for that */
    const char *replay_memo; /**< a file that outlives the run (run/memo.h); "": none */
    bool replay_resample;    /**< messages whose times scatter are drawn from those seen */
    bool replay_eager;       /**< for tests: however little there is to gain */
    uint64_t thread_shuffle; /**< not 0, for tests: seed of their orders */
    int64_t until_ps;       /**< simulated time at which the run ends; 0: when everything is done */
    int64_t warm_up_ps;     /**< messages posted earlier are not in statistics of messages */
    int64_t measure_ps;     /**< the run ends so much later; 0: it doesn't */
    int64_t stall_after_ps; /**< time without progress after which it ends; 0: it doesn't */
    int64_t victims_ps;     /**< between looks for victims of pauses; 0: there are none */
    const char *link_rates; /**< "LINKS:RATE; ...": in place of the topology's; "": none */
};
extern const struct weft_param_table weft_run_param_table;
/** How many threads are to run it, 1 to 255; 0: as many as make it fastest. */
unsigned weft_run_threads(const struct weft_run_params *run);

/** Parameters of every workload, beside those of its type: element <workload .../>. */
struct weft_job_params {
    const char *name; /**< "": the type's */
    int placement;    /**< enum weft_placement_policy */
    uint64_t placement_seed;
    const char *hosts, *hosts_file; /**< as in struct weft_placement */
    int share;                      /**< enum weft_job_share */
    int64_t start_ps;
    int priority;  /**< 0: what messages ask for; else traffic class + 1 */
    int transport; /**< enum weft_job_transport */
    uint64_t repeat;
    bool idle; /**< it has its hosts, but is not played */
};
/** Values of the parameter `transport`: what carries its messages; by default what its traffic
 * class says. */
enum weft_job_transport {
    WEFT_JOB_TRANSPORT_DEFAULT,
    WEFT_JOB_TRANSPORT_ROCE,
    WEFT_JOB_TRANSPORT_TCP,
    WEFT_JOB_TRANSPORT_UET
};
/** Values of the parameter `share`: flows share hosts with other workloads, graphs do not. */
enum weft_job_share { WEFT_JOB_SHARE_AUTO, WEFT_JOB_SHARE_ON, WEFT_JOB_SHARE_OFF };
extern const struct weft_param_table weft_job_param_table;

/** Where a value came from. */
enum weft_origin_kind {
    WEFT_ORIGIN_DEFAULT,
    WEFT_ORIGIN_PRESET, /**< implied by a preset, or by a configuration of another format */
    WEFT_ORIGIN_FILE,
    WEFT_ORIGIN_OVERRIDE
};
struct weft_origin {
    enum weft_origin_kind kind;
    int64_t line, col; /**< FILE: its place in the scenario file */
};

/** One parameter table with its values. */
struct weft_scenario_group {
    const char *element;  /**< "topology", "pfc" */
    const char *selector; /**< "type", "backend", "name"; NULL: no selector */
    const char *selected; /**< the plug-in's name; NULL without selector */
    struct weft_origin selected_from;
    const char *preset; /**< congestion-control, system: its preset; NULL: none */
    struct weft_origin preset_from;
    const char *prefix; /**< of its keys: the plug-in's, the section's or the workload's name */
    const char *label;  /**< the element's name; of one of several workloads its own */
    const struct weft_param_table *table;
    void *values;                /**< table->struct_size bytes */
    struct weft_origin *origins; /**< one per parameter */
    const char **reasons; /**< one per parameter: why it is implied, or what it comes to; NULL */
    /** one per parameter: what WEFT_PARAM_AUTO comes to on the fabric; NULL until
     * weft_scenario_advise, and for others */
    const char **resolved;
    int64_t line, col; /**< of the element in the file, 0: not in the file */
};

/** One workload of a scenario. */
struct weft_scenario_job {
    const char *name; /**< unique among the workloads */
    const struct weft_workload_ops *ops;
    const void *params; /**< of its type */
    const struct weft_job_params *job;
    size_t group; /**< index of its group */
};

/** A bound on rows of a sweep: element <bound> within <sweep>, as it was written. NULL: not given.
 */
struct weft_scenario_row_bound {
    const char *metric; /**< also "speed-up" */
    const char *where;  /**< "KEY=VALUE and ...": which rows; NULL: all */
    const char *over;   /**< "KEY=VALUE": divided by the row with this value, all else the same */
    const char *min, *max, *why;
    bool full_only;    /**< not checked with --quick */
    int64_t line, col; /**< of the element */
};

/** What `weft sweep` varies unless it is told: an element <sweep>, as it was written. */
struct weft_scenario_sweep {
    const char *name, *title; /**< NULL: it has none */
    const char *const *set;   /**< "KEY=VALUE" of what all its rows have */
    size_t nset;
    const char *const *vary; /**< an axis each: "KEY=VALUES", several joined by " & " */
    size_t nvary;
    const char *const *quick; /**< "KEY=VALUE(S)" that take the place of others with --quick */
    size_t nquick;
    const char *const *quick_set, *const
                                      *quick_vary; /**< set and vary with those, nvary of these */
    size_t nquick_set;
    const char *const *metrics;
    size_t nmetrics;
    const char *seeds, *find; /**< NULL: none */
    bool no_speed_up;         /**< what is compared is not the end of the run */
    const struct weft_scenario_row_bound *bounds;
    size_t nbounds;
    int64_t line, col; /**< of the element */
};

/** What flows offer to the links of one tier. */
struct weft_offered {
    const char *tier; /**< "links of hosts" */
    double load;      /**< payload by what they carry in the direction that has more; 1: all */
};

/** A resolved scenario. */
struct weft_scenario {
    struct weft_arena *arena; /**< owns everything */
    const char *name; /**< attribute name, else the file's directory or stem, else "unnamed" */
    const char *description; /**< "" when none */
    const char *file;        /**< "" when there is no file */
    size_t noverrides;       /**< --set options that were applied */

    const struct weft_topology_ops *topology;
    const void *topology_params;
    const struct weft_net_backend *backend;
    const void *net_params;       /**< the backend's blob */
    const struct weft_cc_ops *cc; /**< NULL when the backend does not use one */
    const void *cc_params;
    struct weft_scenario_job *jobs; /**< at least one, but for weft_scenario_options.no_workloads */
    uint32_t njobs;
    const struct weft_system_params *system;
    const struct weft_fault_params *faults;
    const struct weft_sample_params *sample;
    const struct weft_output_params *output;
    const struct weft_run_params *run;
    bool replays;            /**< what repeats itself is taken over */
    bool replay_auto;        /**< nobody has asked for that */
    double replay_tolerance; /**< of run.replay, a ratio; 0: it has none */
    const char *plain; /**< why it is run without replay and threads all the same; NULL: it isn't */
    const struct weft_scenario_sweep *const *sweeps; /**< no part of a run */
    size_t nsweeps;

    struct weft_scenario_group *groups; /**< in the order of the schema */
    size_t ngroups;
    const char **warnings; /**< settings that have no effect, or a bad one */
    size_t nwarnings, warnings_cap;
    const struct weft_offered *offered; /**< of each tier, known once it is built and advised */
    size_t noffered;                    /**< 0: no flows offer a load of their own */
};

/** What a scenario is resolved with. */
struct weft_scenario_options {
    const struct weft_net_backend *const *backends; /**< the first one is the default */
    size_t nbackends;
    const char *const *sets; /**< overrides "key=value", later ones win */
    size_t nsets;
    size_t nimplied;   /**< the first so many of sets are not the user's: of origin PRESET, no
                          warnings about them */
    bool no_workloads; /**< they are left out: there need be none, and njobs may be 0 */
};

/**
 * Resolves @p file (NULL: defaults alone) with the overrides of @p o. A topology file of any kind
 * stands for a scenario with that topology. Checks every name and value, but builds nothing.
 */
int weft_scenario_load(const char *file, const struct weft_scenario_options *o,
                       struct weft_scenario **out, struct weft_err *err);
/** Whether the setting of this key ("workload.file") names a file. */
bool weft_scenario_key_is_path(const char *key);
/** As weft_scenario_load, from memory; @p file is the name for messages and for relative paths. */
int weft_scenario_parse(const char *text, size_t len, const char *file,
                        const struct weft_scenario_options *o, struct weft_scenario **out,
                        struct weft_err *err);
void weft_scenario_free(struct weft_scenario *s);

/** The fabric and the jobs of a scenario. */
struct weft_scenario_parts {
    struct weft_fabric *fabric;
    struct weft_job_plan *jobs; /**< in the order of the workloads */
    uint32_t njobs;
    struct weft_fault_plan *faults;    /**< NULL: nothing goes wrong */
    struct weft_series_choice *series; /**< NULL: nothing is sampled */
    struct weft_tuner *tuner;          /**< measures candidates of auto */
};
/** What is sampled of a fabric; *out is NULL when it is nothing, and else for the caller to free.
 */
int weft_scenario_choose_series(const struct weft_scenario *s, const struct weft_fabric *fabric,
                                struct weft_series_choice **out, struct weft_err *err);
/**
 * Builds the fabric and the jobs, places their ranks on hosts, and checks everything that can be
 * checked without running: congestion control, backend against fabric and what faults leave of it,
 * system against workload. On failure nothing is left to free.
 */
int weft_scenario_build(const struct weft_scenario *s, struct weft_scenario_parts *out,
                        struct weft_err *err);
/**
 * Adds what shows only with fabric and job to a scenario: what defaults that follow from the path
 * come to (`resolved`), and warnings of settings that keep congestion control or collectives from
 * doing what they are for.
 */
int weft_scenario_advise(struct weft_scenario *s, const struct weft_scenario_parts *parts,
                         struct weft_err *err);
/** Adds a warning when links that lose packets, by fault.events or error rates of the fabric's
 * links, can stall the run through lost PFC frames. 0 or WEFT_E_LIMIT. Part of
 * weft_scenario_advise. */
int weft_scenario_warn_pauses(struct weft_scenario *s, const struct weft_fabric *f,
                              struct weft_err *err);
/** Adds warnings of settings of switches that add up, where no operation is played by them. 0 or
 * WEFT_E_LIMIT. Part of weft_scenario_advise. */
int weft_scenario_warn_in_network(struct weft_scenario *s, const struct weft_scenario_parts *parts,
                                  struct weft_err *err);
/** As weft_scenario_build, but for the workloads: parts->njobs is 0. */
int weft_scenario_build_net(const struct weft_scenario *s, struct weft_scenario_parts *out,
                            struct weft_err *err);
/** The text of a value: as it was given, what WEFT_PARAM_AUTO comes to if that is known, else
 * "auto". Returns
 * @p buf or text that lives as long as the scenario. */
const char *weft_scenario_value_text(const struct weft_scenario_group *g, size_t param,
                                     char buf[WEFT_PARAM_TEXT_MAX]);
void weft_scenario_parts_free(struct weft_scenario_parts *parts);
/** Traffic classes that other transports than that of the run carry: bits 0 to 7, and bit 8 for
 * messages that ask for none. */
struct weft_scenario_classes {
    uint32_t tcp, uet;
};
/** Which they are. False: the backend has no transports. */
bool weft_scenario_classes(const struct weft_scenario *s, struct weft_scenario_classes *out);
/** What carries the others: "roce" or "uet". NULL: the backend has no transports. */
const char *weft_scenario_own_transport(const struct weft_scenario *s);
/** Which messages are in statistics: those posted from *from_ps on, before *to_ps. */
void weft_scenario_window(const struct weft_scenario *s, int64_t *from_ps, int64_t *to_ps);
/** When the run ends at the latest; 0: there is no limit. */
int64_t weft_scenario_until_ps(const struct weft_scenario *s);
/** Dimensions as collectives see them, of a fabric that has several; else out->n is 0. */
void weft_scenario_dims(const struct weft_fabric *fabric, struct weft_dims *out);
/** How messages go in the backend. */
struct weft_net_manner weft_scenario_manner(const struct weft_scenario *s,
                                            const struct weft_fabric *fabric);
/** What the system layer is told of job @p i besides its parameters. */
struct weft_system_env weft_scenario_job_env(const struct weft_scenario *s,
                                             const struct weft_scenario_parts *parts, uint32_t i);
/** The net configuration of a scenario over @p fabric, with no observer. */
struct weft_net_config weft_scenario_net_config(const struct weft_scenario *s,
                                                const struct weft_fabric *fabric);

/** The group of an element; NULL: there is none. */
struct weft_scenario_group *weft_scenario_group_of(const struct weft_scenario *s,
                                                   const char *element);
/** A number or size that is set, in bytes; 0: there is no such setting. */
double weft_scenario_number(const struct weft_scenario *s, const char *element, const char *name);
/** Whether a parameter counts in this scenario, by what the others are. */
bool weft_scenario_effective(const struct weft_scenario *s, const char *element, const char *name);

/** Receives text piece by piece. */
struct weft_text_sink {
    void *ctx;
    void (*put)(void *ctx, const char *text, size_t len);
};
/** Writes the whole resolved configuration as a scenario file that resolves to the same
 * configuration. */
void weft_scenario_write_xml(const struct weft_scenario *s, const struct weft_text_sink *sink);
/** Writes the RELAX NG schema of scenario files, made from the tables of all plug-ins and of @p
 * backends. */
void weft_scenario_write_schema(const struct weft_net_backend *const *backends, size_t nbackends,
                                const struct weft_text_sink *sink);

/** "default", "preset", "file" or "override". */
const char *weft_origin_name(enum weft_origin_kind kind);

WEFT_C_END
#endif
