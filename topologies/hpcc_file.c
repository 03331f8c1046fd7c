/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hpcc: reads the topology files of the HPCC simulator family (HPCC, ASTRA-sim's ns-3 backend,
 * ConWeave, PowerTCP's ns3-datacenter).
 *
 * Whitespace-separated tokens; line ends have no meaning:
 *   nodes switches links            or, of inet-tub/ns3-datacenter, in a line of its own,
 *   nodes switches ToRs links [rates of hosts and switches, which the links repeat]
 *   <switch id> x switches
 *   <node a> <node b> <rate> <delay> <error rate>  x links
 * Node ids are kept; every node that is not a switch is a host. Rates and delays are ns-3's text
 * ("100Gbps" "100Gb/s" "0.001ms"); a bare rate counts bit/s. Nodes have one link between them, what
 * its last line says. Anything after the last link is ignored with a remark: the simulator's own
 * topology.txt has such lines.
 */
#include "topologies/fabric_reach.h"
#include "topologies/tokens.h"
#include "topologies/topology.h"

#include <stdlib.h>
#include <string.h>

struct params {
    const char *file;
    bool hosts_forward;
    double error_rate;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL), .help = "path of the topology file"},
    {WEFT_ROW_BOOL(struct params, hosts_forward, "hosts-forward", "false"),
     .help = "hosts forward packets for others, as in ASTRA-sim's ring of hosts; else every pair "
             "needs switches or a link of its own"},
    WEFT_TOKENS_ERROR_RATE_PARAM(struct params),
};

/* Reads the switch ids, then makes the nodes. */
static int nodes(struct weft_tokens *s, struct weft_fabric *f, uint32_t nnodes, uint32_t nswitches)
{
    unsigned char *is_switch = calloc(nnodes, 1);
    if (!is_switch)
        return weft_err_set(s->err, WEFT_E_LIMIT, "out of memory for %u nodes", nnodes);
    int rc = weft_tokens_ids(s, "a switch id", nswitches, nnodes, 1, is_switch);
    for (uint32_t i = 0; i < nnodes && !rc; i++)
        rc = weft_fabric_add_node(f, is_switch[i] ? WEFT_NODE_SWITCH : WEFT_NODE_HOST, 0, NULL,
                                  s->err);
    free(is_switch);
    return rc;
}

/* The words of the first line; @p s stays where it is. */
static unsigned first_line(const struct weft_tokens *s)
{
    unsigned n = 0;
    for (const char *at = s->in.text;;) {
        at += strspn(at, " \t\r\v\f");
        if (!*at || *at == '\n')
            return n;
        at += strcspn(at, " \t\r\v\f\n");
        n++;
    }
}

/* Reads the last count of the header; @p words: of its line. Four or six: the ToRs stand before the
 * links, among the switches, which the simulator itself makes nothing of. */
static int links(struct weft_tokens *s, unsigned words, uint32_t nswitches, uint64_t limit,
                 uint32_t *nlinks)
{
    uint32_t ignored;
    int rc = 0;
    if (words == 4 || words == 6)
        rc = weft_tokens_count(s, "the number of ToRs", nswitches, &ignored);
    if (!rc)
        rc = weft_tokens_count(s, "the number of links", limit, nlinks);
    for (unsigned i = 4; !rc && words == 6 && i < words; i++)
        rc = weft_scan_need(&s->in, "a rate", s->err);
    return rc;
}

static int hpcc_file_parse(struct weft_tokens *s, struct weft_fabric *f, const void *params)
{
    const struct params *p = params;
    /* Each node needs a token somewhere (a switch id, or the end of a link), so no count exceeds
     * the file's length. */
    uint64_t limit = s->in.len < UINT32_MAX / 4 ? s->in.len : UINT32_MAX / 4;
    uint32_t nnodes = 0, nswitches = 0, nlinks = 0;
    const unsigned words = first_line(s);
    int rc = weft_tokens_count(s, "the number of nodes", limit, &nnodes);
    if (!rc && nnodes == 0)
        rc = weft_tokens_err(s, "the number of nodes must be at least 1");
    if (!rc)
        rc = weft_tokens_count(s, "the number of switches", nnodes, &nswitches);
    if (!rc)
        rc = links(s, words, nswitches, limit, &nlinks);
    if (!rc)
        rc = nodes(s, f, nnodes, nswitches);
    if (!rc)
        rc = weft_tokens_links(s, f, nlinks);
    if (!rc)
        rc = weft_tokens_rest(s, f, nlinks);
    if (!rc)
        weft_tokens_error_rate(f, p->error_rate);
    f->routing = p->hosts_forward ? WEFT_ROUTING_TRANSIT : WEFT_ROUTING_SHORTEST;
    if (!rc)
        rc = weft_tokens_finish(s, f, "hpcc");
    if (!rc)
        rc = weft_fabric_tiers_by_distance(f, s->err);
    if (rc)
        weft_err_locate(s->err, s->in.file, 0, 0);
    return rc;
}

static int hpcc_file_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    return weft_tokens_build("hpcc", ((const struct params *)raw)->file, hpcc_file_parse, raw, out,
                             err);
}

const struct weft_topology_ops weft_topology_hpcc = {
    .name = "hpcc",
    .title = "a topology file of the HPCC simulator family",
    .source = "alibaba-edu/High-Precision-Congestion-Control, simulation/mix/topology.txt",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = hpcc_file_build,
};
