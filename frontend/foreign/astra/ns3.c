/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network of ASTRA-sim's ns-3 frontend: config.txt of the HPCC simulator with its topology, and
 * logical dimensions. Its flow and trace lists mean nothing there: the traffic is the workload's.
 */
#include "foreign/astra/maker.h"

#include "base/file.h"
#include "foreign/hpcc/job.h"
#include "foreign/hpcc/link_down.h"
#include "foreign/hpcc/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool weft_astra_is_ns3(const char *path)
{
    char *text = NULL;
    size_t size;
    struct weft_err ignored = {0};
    bool found = false;
    if (weft_file_read(path, 1 << 20, &text, &size, &ignored))
        return false;
    const char *at = strstr(text, "TOPOLOGY_FILE");
    /* a word of its own at the beginning of a line, and no colon behind it */
    found = at && (at == text || at[-1] == '\n') && (at[13] == ' ' || at[13] == '\t');
    free(text);
    return found;
}

/* Losses and the failing link; the profile has looked at the values. */
static void take_failures(struct weft_astra_maker *m, const struct weft_hpcc_config *c,
                          const struct weft_fabric *fabric)
{
    if (c->error_rate > 0)
        weft_astra_set(m, "topology.error-rate=%.17g", c->error_rate);
    const char *output_lines,
        *down = weft_hpcc_link_down_setting(m->x->arena, c, fabric, &output_lines);
    if (!down)
        m->rc = weft_err_no_memory(m->err, "an experiment");
    if (!down || !*down)
        return;
    weft_astra_set(m, "%s", down);
    weft_astra_note(m, "%s", output_lines);
}

/* Reads logical-dims into the dimensions of collectives. */
static void take_logical(struct weft_astra_maker *m, const struct weft_fabric *fabric)
{
    const struct weft_flat *f = m->o->logical ? weft_astra_flat(m, m->o->logical) : NULL;
    const struct weft_flat_key *k = f ? weft_flat_find(f, "logical-dims") : NULL;
    const char *text = "";
    m->x->ndims = 1;
    if (!m->o->logical) {
        weft_astra_note(m,
                        "--logical-topology-configuration is not given: all %u hosts are one "
                        "dimension",
                        fabric->nhosts);
        return;
    }
    if (!f)
        return;
    if (!k || k->n == 0) {
        m->rc = weft_flat_err(f, k, m->err, "there is no key logical-dims with sizes");
        return;
    }
    for (uint32_t i = 0; i < f->nkeys; i++)
        if (&f->keys[i] != k)
            weft_astra_note_key(m, f, &f->keys[i], "has no effect");
    const double npus = weft_astra_sizes(m, f, k, &text);
    if (!m->rc && npus > fabric->nhosts)
        weft_astra_refuse(m, f, k, "%.0f NPUs, but the topology has %u hosts", npus,
                          fabric->nhosts);
    m->x->ndims = k->n;
    m->ranks = npus;
    if (k->n > 1)
        weft_astra_set(m, "system.dims=%s", text);
}

static void take_profile(struct weft_astra_maker *m, const struct weft_hpcc_config *c,
                         const char *topology, const struct weft_fabric *fabric)
{
    struct weft_hpcc_flows none = {.file = (char *)c->file, .sorted = true};
    struct weft_hpcc_pairs pairs;
    m->rc = weft_hpcc_pairs_compute(fabric, c->payload_bytes, NULL, &pairs, m->err);
    if (m->rc)
        return;
    const struct weft_hpcc_profile_input in = {c,      topology,     fabric, &none,
                                               &pairs, m->o->compat, NULL,   true};
    struct weft_hpcc_profile *p = weft_hpcc_profile_new(&in, m->err);
    if (!p) {
        m->rc = m->err->code;
        return;
    }
    for (size_t i = 0; i < p->nsets; i++)
        if (strncmp(p->sets[i], "workload.", 9) != 0)
            weft_astra_set(m, "%s", p->sets[i]);
    for (size_t i = 0; i < p->nwarnings; i++)
        weft_astra_note(m, "%s", p->warnings[i]);
    weft_hpcc_profile_free(p);
}

/* Rings and tori of hosts without switches: ns-3 plays them as long as only neighbours talk. */
void weft_astra_read_fabric(struct weft_astra_maker *m, const char *path,
                            struct weft_fabric **fabric)
{
    struct weft_err why = {0}, later = {0};
    m->rc = weft_hpcc_topology_read(path, false, fabric, &why);
    if (m->rc && (m->rc != WEFT_E_INPUT || weft_hpcc_topology_read(path, true, fabric, &later)))
        *m->err = why;
    if (*fabric == NULL || m->rc == 0)
        return;
    m->rc = 0;
    weft_astra_set(m, "topology.hosts-forward=true");
    if (m->packet)
        weft_astra_set(m, "pfc.allow-deadlock=true"); /* nor does ns-3 look for circles */
    weft_astra_note(m,
                    "%s: hosts forward for others, since some have neither switches nor a link of "
                    "their own between them; in ns-3 these can't talk",
                    path);
}

void weft_astra_ns3(struct weft_astra_maker *m)
{
    char topology[WEFT_PATH_MAX];
    struct weft_fabric *fabric = NULL;
    struct weft_hpcc_config *c = weft_hpcc_config_read_settings(m->o->network, m->err);
    m->packet = m->o->backend == WEFT_ASTRA_AUTO || m->o->backend == WEFT_ASTRA_PACKET;
    if (!c) {
        m->rc = m->err->code;
        return;
    }
    m->rc = weft_hpcc_config_find(c, WEFT_HPCC_TOPOLOGY_FILE, c->topology_file, topology, m->err);
    if (!m->rc)
        weft_astra_read_fabric(m, topology, &fabric);
    if (!m->rc && m->packet) {
        take_profile(m, c, topology, fabric);
        take_failures(m, c, fabric);
        if (!m->rc)
            m->rc = weft_hpcc_message_files(c, m->x->arena, &m->x->files, m->err);
        weft_astra_note(m,
                        "%s: FLOW_FILE and TRACE_FILE have no effect: the traffic is the "
                        "workload's; FCT_OUTPUT_FILE and PFC_OUTPUT_FILE are written into the run "
                        "folder",
                        c->file);
    } else if (!m->rc) {
        weft_astra_set(m, "topology.type=hpcc");
        weft_astra_set(m, "topology.file=%s", topology);
        weft_astra_note(m, "%s: only the topology has an effect without packets", c->file);
    }
    if (!m->rc)
        take_logical(m, fabric);
    weft_fabric_free(fabric);
    weft_hpcc_config_free(c);
}
