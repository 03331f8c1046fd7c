/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes fct.txt and pfc.txt of an ASTRA-sim or SimAI experiment under the names of its ns-3
 * configuration.
 */
#include "foreign/astra/ns3_files.h"

#include "base/file.h"

static int open_files(void *ctx, const char *dir, const struct weft_fabric *fabric,
                      struct weft_net_observer *observer, struct weft_err *err)
{
    struct weft_ns3_files *x = (struct weft_ns3_files *)ctx;
    char fct[WEFT_PATH_MAX], pfc[WEFT_PATH_MAX];
    if ((x->of.fct && weft_path_join(fct, dir, x->of.fct, err)) ||
        (x->of.pfc && weft_path_join(pfc, dir, x->of.pfc, err)))
        return err->code;
    const struct weft_hpcc_messages_config c = {.fabric = fabric,
                                                .payload_bytes = x->of.payload_bytes,
                                                .fct_path = x->of.fct ? fct : NULL,
                                                .pfc_path = x->of.pfc ? pfc : NULL,
                                                .inner = *observer};
    x->messages = weft_hpcc_messages_new(&c, err);
    if (!x->messages)
        return err->code;
    *observer = weft_hpcc_messages_observer(x->messages);
    return 0;
}

static int ns3_files_flush(void *ctx, struct weft_err *err)
{
    return weft_hpcc_messages_flush(((struct weft_ns3_files *)ctx)->messages, err);
}

static int ns3_files_close_files(void *ctx, struct weft_err *err)
{
    return weft_hpcc_messages_close(((struct weft_ns3_files *)ctx)->messages, err);
}

void weft_ns3_files_init(struct weft_ns3_files *x, const struct weft_hpcc_message_files *of,
                         const char *also)
{
    size_t n = 0;
    *x = (struct weft_ns3_files){.of = *of};
    if (of->fct)
        x->names[n++] = of->fct;
    if (of->pfc)
        x->names[n++] = of->pfc;
    if (n)
        x->files = (struct weft_run_files){x,          x->names,        n,
                                           open_files, ns3_files_flush, ns3_files_close_files};
    if (also)
        x->names[n++] = also;
    x->files.names = x->names;
    x->files.n = n;
}

void weft_ns3_files_free(struct weft_ns3_files *x)
{
    weft_hpcc_messages_free(x->messages);
    x->messages = NULL;
}
