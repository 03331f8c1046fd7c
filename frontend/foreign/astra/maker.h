/* SPDX-License-Identifier: GPL-2.0-only */
/* An experiment while it is translated. Private to frontend/astra. */
#ifndef WEFT_ASTRA_MAKER_H
#define WEFT_ASTRA_MAKER_H

#include "base/flat.h"
#include "foreign/astra/experiment.h"
#include "topologies/fabric.h"

/** The first failure is kept, and nothing is added after it. */
struct weft_astra_maker {
    const struct weft_astra_options *o;
    struct weft_astra_experiment *x;
    struct weft_err *err;
    int rc;
    bool packet;        /**< packets are played */
    bool first_version; /**< the network file is of 1.0, whose network knows no congestion */
    bool layers;        /**< the workload is a list of layers, which 1.0 alone plays */
    double ranks;       /**< of the workload; 0: as many as the fabric has hosts */
};

/** Adds a setting "section.parameter=value". */
void weft_astra_set(struct weft_astra_maker *m, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/** Adds a note. */
void weft_astra_note(struct weft_astra_maker *m, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/** Adds a note about a key of a file: "FILE:LINE: 'KEY' ...". */
void weft_astra_note_key(struct weft_astra_maker *m, const struct weft_flat *f,
                         const struct weft_flat_key *k, const char *what);
/** Fails at a key of a file. */
void weft_astra_refuse(struct weft_astra_maker *m, const struct weft_flat *f,
                       const struct weft_flat_key *k, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/** Reads a file of keys; NULL: m->rc. */
struct weft_flat *weft_astra_flat(struct weft_astra_maker *m, const char *path);
/** The single value of a key as a number from @p least to @p most; 0 with m->rc set. */
double weft_astra_number(struct weft_astra_maker *m, const struct weft_flat *f,
                         const struct weft_flat_key *k, double least, double most);
/** The value of an option as a number from @p least to @p most; @p none when it is not given. */
double weft_astra_option(struct weft_astra_maker *m, const char *name, const char *text,
                         double least, double most, double none);

/** The system configuration. */
void weft_astra_system(struct weft_astra_maker *m);
/** The sizes of dimensions, a list of whole numbers: their product, and in *text "4,2". */
double weft_astra_sizes(struct weft_astra_maker *m, const struct weft_flat *f,
                        const struct weft_flat_key *k, const char **text);
/** htsim's options, but for its topology: packets are played. */
void weft_astra_htsim(struct weft_astra_maker *m);
/** Takes the fabric from htsim's option -topo, and dimensions of @p sizes; false: it is not given.
 */
bool weft_astra_htsim_topology(struct weft_astra_maker *m, const struct weft_flat *f,
                               const struct weft_flat_key *sizes);
/** Whether the network configuration is one of ns-3's, by its content. */
bool weft_astra_is_ns3(const char *path);
/** The fabric of a topology file of ns-3's, with the settings that it needs; the caller frees it.
 */
void weft_astra_read_fabric(struct weft_astra_maker *m, const char *path,
                            struct weft_fabric **fabric);
/** ns-3's config.txt with its topology. */
void weft_astra_ns3(struct weft_astra_maker *m);

#endif
