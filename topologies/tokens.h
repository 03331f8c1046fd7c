/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * White-space separated tokens with their places: what the topology files of the HPCC family are
 * made of.
 */
#ifndef WEFT_TOPOLOGY_TOKENS_H
#define WEFT_TOPOLOGY_TOKENS_H

#include "fabric.h"

#include "base/scan.h"

/** The text and the token just read, and where errors go. */
struct weft_tokens {
    struct weft_scan in;
    struct weft_err *err;
};

/** Records an error at the current token. Returns WEFT_E_INPUT. */
#define weft_tokens_err(s, ...) weft_scan_err(&(s)->in, (s)->err, WEFT_E_INPUT, __VA_ARGS__)
/** Reads the fabric of a file: its grammar, with the params of who calls. */
typedef int weft_tokens_parse_fn(struct weft_tokens *s, struct weft_fabric *f, const void *params);
/** A topology's build(): opens @p file of the topology @p name and parses it. WEFT_E_INPUT also
 * when no file is named; *out is NULL on failure. @p err may be NULL. */
int weft_tokens_build(const char *name, const char *file, weft_tokens_parse_fn *parse,
                      const void *params, struct weft_fabric **out, struct weft_err *err);
/** Reads a whole number from 0 to max. */
int weft_tokens_count(struct weft_tokens *s, const char *what, uint64_t max, uint32_t *out);
/** Reads @p n links, "node node rate delay error-rate", and adds them. Nodes have one link between
 * them: a pair that is listed again, from whichever end, has what its last line says, which a
 * remark in @p f tells. So it is in the simulators, whose nodes keep one interface per neighbour
 * (nbr2if of HPCC's third.cc and of its descendants). */
int weft_tokens_links(struct weft_tokens *s, struct weft_fabric *f, uint32_t n);
/** Reads @p n different ids of nodes and marks them in @p kinds with @p mark. */
int weft_tokens_ids(struct weft_tokens *s, const char *what, uint32_t n, uint32_t nnodes,
                    unsigned char mark, unsigned char *kinds);
/** Remarks in @p f that what is left is ignored; says where it begins. */
int weft_tokens_rest(struct weft_tokens *s, struct weft_fabric *f, uint32_t nlinks);
/** Finishes a fabric whose hosts may lack a way; the error names hosts-forward of topology @p name
 * where they have one through other hosts. */
int weft_tokens_finish(struct weft_tokens *s, struct weft_fabric *f, const char *name);
/** Gives the links without a loss rate @p rate, as these simulators do. */
void weft_tokens_error_rate(struct weft_fabric *f, double rate);

/** The parameter of it: the field error_rate of @p struct_type. */
#define WEFT_TOKENS_ERROR_RATE_PARAM(struct_type)                                                  \
    {                                                                                              \
        WEFT_ROW_F64(struct_type, error_rate, "error-rate", "0", "0", "1"),                        \
            .help = "probability that a link without a loss rate of its own loses a packet",       \
            .source = "ERROR_RATE_PER_LINK of the simulator's configuration"                       \
    }

#endif
