/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of HPCC's fct.txt and pfc.txt, with the simulator's columns.
 *   fct.txt  sip dip sport dport size start fct standalone_fct   addresses %08x, times in ns
 *   pfc.txt  time node type interface kind   type 0 host, 1 switch; kind 0 resume, 1 pause
 * A node's address is 0x0b000001 + (id / 256 << 16) + (id % 256 << 8); its interfaces count from 1
 * in the order of its links.
 */
#ifndef WEFT_HPCC_OUTPUT_H
#define WEFT_HPCC_OUTPUT_H

#include "base/rows.h"
#include "foreign/hpcc/config.h"
#include "foreign/hpcc/flow.h"
#include "net/net.h"

WEFT_C_BEGIN

/** The simulator's IPv4 address of a node. */
uint32_t weft_hpcc_ip(uint32_t node);
/** Writes the line of a flow that its sender knows to be complete @p fct_ps after its start; that
 * of ConWeave's fct.txt has node ids for addresses. */
void weft_hpcc_fct_line(struct weft_rows *out, enum weft_hpcc_flow_format format,
                        const struct weft_hpcc_flow *w, int64_t start_ps, int64_t fct_ps,
                        uint64_t payload_bytes);
/** Writes the line of one PFC frame taking effect. */
void weft_hpcc_pfc_line(struct weft_rows *out, const struct weft_fabric *f,
                        const struct weft_net_pfc *w);

/**
 * Checks the names that files of a configuration's have in a run folder: @p names[i] (NULL: not
 * written) of the key @p keys[i] must be one of a file, neither weft's nor an earlier one's.
 */
int weft_hpcc_output_name(const struct weft_hpcc_config *c, const char *const *keys,
                          const char *const *names, int i, struct weft_err *err);

WEFT_C_END
#endif
