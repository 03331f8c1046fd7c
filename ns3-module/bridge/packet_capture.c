/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capture files of a net without ns-3 (engine/capture.h). With ns-3, whose TCP has frames of its
 * own, WeftFabric writes them.
 */
#include "packet_net.h"

#include "base/file.h"

int weft_packet_open_captures(struct packet_net *n, const struct weft_net_config *config,
                              struct weft_err *err)
{
    const struct weft_packet_params *p = (const struct weft_packet_params *)config->params;
    const struct weft_engine_params params = weft_packet_engine_params(p);
    const struct weft_wire_config wire = {
        .fabric = n->fabric,
        .params = &params,
        .operation = (enum weft_wire_operation)p->capture.operation,
        .untagged = !p->capture.tag,
    };
    char folder[WEFT_PATH_MAX];
    if (weft_path_join(folder, config->out_dir, "pcap", err))
        return err->code;
    n->capture = weft_capture_new(&p->capture, &wire, err);
    return n->capture ? weft_capture_add_links(n->capture, folder, err) : err->code;
}

void weft_packet_on_posted(void *ctx, const struct weft_completion *msg)
{
    weft_capture_posted(((const struct packet_net *)ctx)->capture, msg);
}
