/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings and notes of an experiment, added one by one. */
#include "foreign/astra/maker.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { MAX_SETS = 192, MAX_NOTES = 96 };

static void maker_add(struct weft_astra_maker *m, const char ***list, size_t *n, size_t most,
                      const char *fmt, va_list ap)
{
    char text[4096];
    struct weft_arena *a = m->x->arena;
    if (m->rc)
        return;
    if (!*list)
        *list = (const char **)weft_arena_calloc(a, most, sizeof **list);
    const int len = vsnprintf(text, sizeof text, fmt, ap);
    if (*n == most || len < 0 || (size_t)len >= sizeof text) {
        m->rc = weft_err_set(m->err, WEFT_E_LIMIT, "the configuration says too much at once");
        return;
    }
    const char *kept = *list ? weft_arena_strdup(a, text) : NULL;
    if (kept)
        (*list)[(*n)++] = kept;
    else
        m->rc = weft_err_no_memory(m->err, "an experiment");
}

void weft_astra_set(struct weft_astra_maker *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    maker_add(m, &m->x->sets, &m->x->nsets, MAX_SETS, fmt, ap);
    va_end(ap);
}

void weft_astra_note(struct weft_astra_maker *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    maker_add(m, &m->x->notes, &m->x->nnotes, MAX_NOTES, fmt, ap);
    va_end(ap);
}

void weft_astra_note_key(struct weft_astra_maker *m, const struct weft_flat *f,
                         const struct weft_flat_key *k, const char *what)
{
    weft_astra_note(m, "%s:%" PRId64 ": '%s' %s", f->file, k->line, k->name, what);
}

void weft_astra_refuse(struct weft_astra_maker *m, const struct weft_flat *f,
                       const struct weft_flat_key *k, const char *fmt, ...)
{
    char text[WEFT_ERR_MSG_MAX];
    va_list ap;
    if (m->rc)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    m->rc = weft_flat_err(f, k, m->err, "'%.60s': %s", k->name, text);
}

struct weft_flat *weft_astra_flat(struct weft_astra_maker *m, const char *path)
{
    struct weft_flat *f = NULL;
    if (!m->rc)
        m->rc = weft_flat_read(path, m->x->arena, &f, m->err);
    return m->rc ? NULL : f;
}

double weft_astra_number(struct weft_astra_maker *m, const struct weft_flat *f,
                         const struct weft_flat_key *k, double least, double most)
{
    double v = 0;
    if (m->rc)
        return 0;
    if (k->n != 1)
        weft_astra_refuse(m, f, k, "takes one value");
    else
        m->rc = weft_flat_number(f, k, 0, &v, m->err);
    if (!m->rc && !(v >= least && v <= most))
        weft_astra_refuse(m, f, k, "must be from %g to %g, not %.40s", least, most, k->values[0]);
    return m->rc ? 0 : v;
}

double weft_astra_option(struct weft_astra_maker *m, const char *name, const char *text,
                         double least, double most, double none)
{
    double v = none;
    if (!text || m->rc)
        return none;
    if (weft_parse_f64(text, &v, m->err))
        weft_err_prepend(m->err, "--%s", name);
    else if (!(v >= least && v <= most))
        weft_err_set(m->err, 0, "--%s must be from %g to %g, not %.40s", name, least, most, text);
    else
        return v;
    m->rc = m->err->code = WEFT_E_USAGE;
    return none;
}

double weft_astra_sizes(struct weft_astra_maker *m, const struct weft_flat *f,
                        const struct weft_flat_key *k, const char **text)
{
    double npus = 1;
    *text = "";
    for (uint32_t i = 0; i < k->n && !m->rc; i++) {
        double size;
        m->rc = weft_flat_number(f, k, i, &size, m->err);
        if (!m->rc && !(size >= 1 && size <= 1 << 20 && size == (double)(uint32_t)size))
            weft_astra_refuse(m, f, k, "sizes must be whole numbers from 1 to 1048576");
        npus *= size;
        *text = weft_arena_printf(m->x->arena, "%s%s%s", *text, i ? "," : "", k->values[i]);
    }
    return npus;
}
