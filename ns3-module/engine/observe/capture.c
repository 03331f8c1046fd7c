/* SPDX-License-Identifier: GPL-2.0-only */
/* Captures; see capture.h. */
#include "capture.h"
#include "params/lists.h"

#include "base/file.h"
#include "base/grow.h"
#include "pcap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

#define ROCE(needs) needs
static const struct weft_param params[] = {
#include "params/capture.def"
};
const struct weft_param_table weft_capture_table =
    WEFT_PARAM_TABLE(params, struct weft_capture_params);

/* A file that wants packets of a port. */
struct tap {
    uint32_t next; /* of the same port; NONE: no more */
    uint32_t file;
    uint8_t events;
};

struct weft_capture {
    struct weft_capture_params p;
    const struct weft_fabric *fabric;
    struct weft_wire *wire;
    uint8_t *events; /* per port: what any tap wants */
    uint32_t *first; /* per port: its first tap */
    struct tap *taps;
    uint32_t ntaps;
    struct weft_pcap **files;
    uint32_t nfiles;
    uint8_t *frame; /* the frame being written */
    struct weft_err err;
};

struct weft_capture *weft_capture_new(const struct weft_capture_params *p,
                                      const struct weft_wire_config *wire, struct weft_err *err)
{
    struct weft_capture *c = weft_err_calloc(1, sizeof *c, "a capture", err);
    if (!c)
        return NULL;
    const uint32_t n = wire->fabric->nports ? wire->fabric->nports : 1;
    struct weft_wire_config wc = *wire;
    wc.operation = (enum weft_wire_operation)p->operation;
    wc.untagged = !p->tag;
    c->p = *p;
    c->fabric = wire->fabric;
    c->wire = weft_wire_new(&wc, err);
    if (!c->wire) {
        free(c);
        return NULL;
    }
    c->events = calloc(n, 1);
    c->first = malloc(n * sizeof *c->first);
    c->frame = malloc(WEFT_WIRE_MAX);
    if (!c->events || !c->first || !c->frame) {
        weft_err_no_memory(err, "a capture");
        weft_capture_free(c);
        return NULL;
    }
    memset(c->first, 0xff, n * sizeof *c->first);
    return c;
}

void weft_capture_free(struct weft_capture *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->nfiles; i++)
        weft_pcap_close(c->files[i]);
    free(c->files);
    free(c->taps);
    free(c->first);
    free(c->events);
    free(c->frame);
    weft_wire_free(c->wire);
    free(c);
}

/* Opens a file; its number in *number. */
static int add_file(struct weft_capture *c, const char *path, uint32_t *number,
                    struct weft_err *err)
{
    if (!WEFT_GROW_ONE(c->files, c->nfiles))
        return weft_err_no_memory(err, "a capture");
    c->files[c->nfiles] = weft_pcap_open(path, (uint32_t)c->p.snaplen_bytes, err);
    if (!c->files[c->nfiles])
        return err ? err->code : WEFT_E_IO;
    *number = c->nfiles++;
    return 0;
}

static int add_tap(struct weft_capture *c, uint32_t port, uint32_t file, uint8_t events,
                   struct weft_err *err)
{
    if (!WEFT_GROW_ONE(c->taps, c->ntaps))
        return weft_err_no_memory(err, "a capture");
    c->taps[c->ntaps] = (struct tap){c->first[port], file, events};
    c->first[port] = c->ntaps++;
    c->events[port] |= events;
    return 0;
}

/* Opens a file for a link. */
static int capture_add_link(struct weft_capture *c, uint32_t link, const char *path,
                            struct weft_err *err)
{
    uint32_t file = NONE;
    int rc = add_file(c, path, &file, err);
    for (uint32_t p = 0; !rc && p < c->fabric->nports; p++)
        if (c->fabric->ports[p].link == link)
            rc = add_tap(c, p, file, 1 << WEFT_PKT_SENT, err);
    return rc;
}

int weft_capture_add_port(struct weft_capture *c, uint32_t port, const char *path,
                          struct weft_err *err)
{
    uint32_t file = NONE;
    int rc = add_file(c, path, &file, err);
    return rc ? rc : add_tap(c, port, file, 1 << WEFT_PKT_SENT | 1 << WEFT_PKT_ARRIVED, err);
}

int weft_capture_add_links(struct weft_capture *c, const char *dir, struct weft_err *err)
{
    uint8_t *chosen = malloc(c->fabric->nlinks + 1);
    char name[WEFT_CAPTURE_NAME_MAX], file[WEFT_CAPTURE_NAME_MAX + 8], path[WEFT_PATH_MAX];
    if (!chosen)
        return weft_err_no_memory(err, "a capture");
    int rc = weft_capture_select(c->fabric, c->p.links, chosen, err);
    if (!rc)
        rc = weft_mkdir_p(dir, err);
    for (uint32_t l = 0; !rc && l < c->fabric->nlinks; l++) {
        if (!chosen[l])
            continue;
        snprintf(file, sizeof file, "%s.pcap", weft_capture_name(c->fabric, l, name));
        rc = weft_path_join(path, dir, file, err);
        if (!rc)
            rc = capture_add_link(c, l, path, err);
    }
    free(chosen);
    return rc;
}

int weft_capture_flush(struct weft_capture *c, struct weft_err *err)
{
    for (uint32_t i = 0; i < c->nfiles && !c->err.code; i++)
        weft_pcap_flush(c->files[i], &c->err);
    if (c->err.code && err)
        *err = c->err;
    return c->err.code;
}

const uint8_t *weft_capture_events(const struct weft_capture *c)
{
    return c->events;
}

void weft_capture_packet(struct weft_capture *c, int64_t t_ps, uint32_t port,
                         enum weft_pkt_event what, const struct weft_engine_pkt_view *pkt)
{
    /* a frame that came in is as the other end sent it */
    const uint32_t from = what == WEFT_PKT_ARRIVED ? c->fabric->ports[port].peer : port;
    size_t length = 0;
    for (uint32_t i = c->first[port]; i != NONE; i = c->taps[i].next) {
        const struct tap *t = &c->taps[i];
        if (!(t->events >> what & 1))
            continue;
        if (!length) {
            length = weft_wire_frame(c->wire, from, pkt, c->frame, c->p.snaplen_bytes);
            if (!length)
                return; /* it has no published format */
        }
        weft_pcap_write(c->files[t->file], t_ps, c->frame, length);
    }
}

void weft_capture_posted(struct weft_capture *c, const struct weft_completion *msg)
{
    if (!c->err.code)
        weft_wire_posted(c->wire, msg, &c->err);
}
