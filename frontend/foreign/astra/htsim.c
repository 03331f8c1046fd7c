/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of ASTRA-sim's htsim frontend behind --htsim_opts: -topo names the fabric that its
 * packets cross; the network configuration then has the logical dimensions alone.
 */
#include "foreign/astra/maker.h"

#include <string.h>

/* The value of -topo; NULL: it is not given. */
static const char *topo_of(const struct weft_astra_options *o)
{
    for (size_t i = 0; i + 1 < o->nhtsim; i++)
        if (strcmp(o->htsim[i], "-topo") == 0)
            return o->htsim[i + 1];
    return NULL;
}

/* What is left of the options, for a note; "": nothing. */
static const char *others_of(struct weft_astra_maker *m)
{
    const struct weft_astra_options *o = m->o;
    const char *text = "";
    for (size_t i = 0; i < o->nhtsim && text; i++)
        if (strcmp(o->htsim[i], "-topo") == 0)
            i++;
        else
            text = weft_arena_printf(m->x->arena, "%s %s", text, o->htsim[i]);
    return text ? text : "";
}

void weft_astra_htsim(struct weft_astra_maker *m)
{
    if (!m->o->nhtsim)
        return;
    m->packet = m->o->backend == WEFT_ASTRA_AUTO || m->o->backend == WEFT_ASTRA_PACKET;
    const char *others = others_of(m);
    if (*others)
        weft_astra_note(m,
                        "--htsim_opts%s: without effect; weft's transport and queues are "
                        "settings (--set)",
                        others);
    if (!topo_of(m->o))
        weft_astra_note(m, "--htsim_opts has no -topo: the fabric is that of %s", m->o->network);
}

bool weft_astra_htsim_topology(struct weft_astra_maker *m, const struct weft_flat *f,
                               const struct weft_flat_key *sizes)
{
    const char *file = m->o->nhtsim ? topo_of(m->o) : NULL;
    const char *text = "";
    if (!file || !sizes)
        return false;
    weft_astra_set(m, "topology.type=htsim");
    weft_astra_set(m, "topology.file=%s", file);
    m->ranks = weft_astra_sizes(m, f, sizes, &text);
    if (sizes->n > 1)
        weft_astra_set(m, "system.dims=%s", text);
    weft_astra_note(m,
                    "the fabric is that of %s; of %s only the sizes of dimensions have an effect",
                    file, m->o->network);
    return true;
}
