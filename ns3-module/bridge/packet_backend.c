/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The backend "packet": what can be said of a configuration without running it, and nets of it.
 */
#include "bridge.h"
#include "packet_net.h"
#include "packet_params.h"
#include "uet_defaults.h"

#include <stdlib.h>
#include <string.h>

static const struct weft_packet_params *params_of(const struct weft_net_config *config)
{
    return (const struct weft_packet_params *)config->params;
}

static struct weft_engine_config engine_config(const struct weft_net_config *config)
{
    return (struct weft_engine_config){
        .fabric = config->fabric,
        .params = weft_packet_engine_params(params_of(config)),
        .cc = config->cc,
        .cc_params = config->cc_params,
        .seed = config->seed,
    };
}

static int check_capture(const struct weft_net_config *config, struct weft_err *err)
{
    uint8_t *links = (uint8_t *)calloc(config->fabric->nlinks + (size_t)1, 1);
    if (!links)
        return weft_err_no_memory(err, "links");
    const int rc =
        weft_capture_select(config->fabric, params_of(config)->capture.links, links, err);
    free(links);
    return rc;
}

/* The payload of a full packet, in the dimension that has the shortest. */
static uint64_t full_payload(const struct weft_engine_config *c)
{
    const struct weft_fabric *f = c->fabric;
    uint64_t least = UINT64_MAX;
    for (uint32_t d = 0; d < f->ndims; d++) {
        const uint64_t own =
            f->dims[d].set.mtu_bytes ? f->dims[d].set.mtu_bytes : c->params.transport.mtu_bytes;
        least = own < least ? own : least;
    }
    return f->ndims ? least : c->params.transport.mtu_bytes;
}

/* Whether switches have room for the packets of all transports: a limit below one ends no run but
 * by its time. */
static int check_room(const struct weft_packet_params *p, const struct weft_engine_config *c,
                      struct weft_err *err)
{
    const struct weft_engine_params *e = &c->params;
    const bool tcp = p->transport.type == WEFT_TRANSPORT_TCP;
    const uint64_t by_tcp = tcp ? UINT64_C(1) << p->tcp.prio : p->tcp.prios,
                   by_qps = tcp ? 0 : UINT64_C(1) << e->transport.data_prio | e->uet.prios,
                   full = full_payload(c);
    int rc = 0;
    for (uint32_t k = 0; k < WEFT_PRIOS && !rc; k++) {
        const uint64_t header =
            e->uet.prios >> k & 1 ? e->uet.t.header_bytes : e->transport.header_bytes;
        if (by_tcp >> k & 1)
            rc = weft_engine_check_room(
                c,
                &(struct weft_engine_packet){
                    "a full packet", k, p->tcp.mtu_bytes + WEFT_TCP_FRAME_OVERHEAD_BYTES, false},
                err);
        else if (by_qps >> k & 1)
            rc = weft_engine_check_room(
                c, &(struct weft_engine_packet){"a full packet", k, full + header, true}, err);
    }
    const struct weft_engine_packet own[] = {
        {"an ACK", (uint32_t)e->transport.ack_prio, e->transport.ack_bytes, false},
        {"a trimmed packet", (uint32_t)e->sw.trim_prio, e->sw.trim_bytes, false}};
    for (size_t i = 0; i < (e->sw.trim_prios ? 2 : 1) && by_qps && !rc; i++)
        rc = weft_engine_check_room(c, &own[i], err);
    return rc;
}

static int backend_check(const struct weft_net_config *config, struct weft_err *err)
{
    const struct weft_packet_params *p = params_of(config);
    const struct weft_engine_config c = engine_config(config);
    const char *needs = weft_simulation_needs_ns3(p);
    int rc = 0;
    if (needs && !weft_ns3_version())
        rc = weft_err_set(err, WEFT_E_INPUT,
                          "%s needs ns-3, and this weft is built without it (-DWEFT_NS3=OFF)",
                          needs);
    rc = rc ? rc : weft_tcp_check_params(&p->transport, &p->tcp, &p->pfc, config->fabric, err);
    if (!rc)
        rc = weft_uet_check_params(p, err);
    if (!rc)
        rc = weft_engine_check_config(&c, err);
    if (!rc)
        rc = check_room(p, &c, err);
    return rc ? rc : check_capture(config, err);
}

static int backend_create(const struct weft_net_config *config, struct weft_net **out,
                          struct weft_err *err)
{
    const int rc = backend_check(config, err);
    if (rc)
        return rc;
    if (params_of(config)->capture.links[0] && !config->out_dir && !config->dry)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "capture.links needs a run folder to write to: leave out --no-out, or set "
            "capture.links=");
    return weft_packet_net_new(config, out, err);
}

static void backend_manner(const struct weft_net_config *config, struct weft_net_manner *out)
{
    const struct weft_engine_params p = engine_config(config).params;
    const struct weft_transport_params *t = &p.transport;
    *out = (struct weft_net_manner){
        .by_flow =
            params_of(config)->transport.type != WEFT_TRANSPORT_TCP && t->ecmp == WEFT_ECMP_FLOW,
        .prio = (uint32_t)t->data_prio,
        .seed = config->seed,
        .frame_bytes = t->mtu_bytes,
        .header_bytes = (double)(t->header_bytes + t->gap_bytes),
        .ack_bytes = (double)(t->ack_bytes + t->gap_bytes) / (double)t->ack_every,
    };
}

static void backend_buffers(const struct weft_net_config *config, struct weft_buffer_figures *out)
{
    const struct weft_engine_config c = engine_config(config);
    weft_engine_buffer_sums(&c, out);
}

static int backend_check_links(const struct weft_net_config *config, const uint8_t *down,
                               struct weft_err *err)
{
    const struct weft_engine_config c = engine_config(config);
    return weft_engine_check_links(c.fabric, &c.params.pfc, down, err);
}

static void backend_advise(const struct weft_net_config *config, weft_net_explain_fn fn, void *ctx)
{
    const struct weft_engine_config c = engine_config(config);
    weft_engine_advise(&c, params_of(config)->transport.type != WEFT_TRANSPORT_TCP, fn, ctx);
}

static int backend_resolved(const struct weft_net_config *config, const char *section,
                            const struct weft_param *p, char *buf, size_t size)
{
    const struct weft_engine_config c = engine_config(config);
    buf[0] = '\0';
    if (strcmp(section, "pfc") == 0 && strcmp(p->name, "headroom") == 0 &&
        !c.params.pfc.headroom_bytes)
        weft_engine_headroom_text(&c, buf, size);
    else if (strcmp(section, "ecn") == 0)
        weft_engine_marking_text(&c, p->name, buf, size);
    return buf[0] != '\0';
}

const struct weft_net_backend weft_net_packet = {
    .name = "packet",
    .title = "every packet of a RoCE fabric, by the engine of the ns-3 module",
    .uses_cc = true,
    .has_state = true,
    .sections = weft_packet_sections,
    .nsections = WEFT_PACKET_SECTIONS,
    .params_size = sizeof(struct weft_packet_params),
    .check = backend_check,
    .manner = backend_manner,
    .create = backend_create,
    .buffers = backend_buffers,
    .check_links = backend_check_links,
    .advise = backend_advise,
    .resolved = backend_resolved,
    .control_of = weft_uet_control_of,
    .implies = weft_uet_implies,
    .imply = weft_uet_imply,
};
