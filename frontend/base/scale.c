/* SPDX-License-Identifier: GPL-2.0-only */
/* Defaults that follow from the path; see scale.h. */
#include "base/scale.h"

#include "base/int128.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void *field_of(const struct weft_param *p, void *values)
{
    return (char *)values + p->offset;
}

bool weft_param_is_auto(const struct weft_param *p, const void *values)
{
    const void *field = (const char *)values + p->offset;
    uint64_t bits;
    double f64;
    if (!p->scale)
        return false;
    if (p->type == WEFT_PARAM_F64) {
        memcpy(&f64, field, sizeof f64);
        return isnan(f64);
    }
    memcpy(&bits, field, sizeof bits);
    return bits == (p->type == WEFT_PARAM_TIME ? (uint64_t)INT64_MIN : UINT64_MAX);
}

void weft_param_set_auto(const struct weft_param *p, void *values)
{
    const uint64_t bits = p->type == WEFT_PARAM_TIME ? (uint64_t)INT64_MIN : UINT64_MAX;
    const double f64 = NAN;
    if (p->type == WEFT_PARAM_F64)
        memcpy(field_of(p, values), &f64, sizeof f64);
    else
        memcpy(field_of(p, values), &bits, sizeof bits);
}

/* A value of one of the types that may have a scale: a ratio, or a whole number of units. */
struct quantity {
    uint64_t whole;
    double real;
};

static struct quantity base_scale_parse(enum weft_param_type type, const char *text)
{
    struct quantity q = {0, 0};
    int64_t ps = 0;
    switch (type) {
    case WEFT_PARAM_F64:
        weft_parse_f64(text, &q.real, NULL);
        break;
    case WEFT_PARAM_TIME:
        weft_parse_time_ps(text, &ps, NULL);
        q.whole = (uint64_t)ps;
        break;
    case WEFT_PARAM_SIZE:
        weft_parse_size_bytes(text, &q.whole, NULL);
        break;
    case WEFT_PARAM_RATE:
        weft_parse_rate_bps(text, &q.whole, NULL);
        break;
    default:
        weft_parse_u64(text, &q.whole, NULL);
    }
    return q;
}

/* x * up / down, rounded down; at most INT64_MAX, which every type can hold. */
static uint64_t times(uint64_t x, uint64_t up, uint64_t down)
{
    weft_u128 y = (weft_u128)x * up / down;
    return y < (weft_u128)INT64_MAX ? (uint64_t)y : (uint64_t)INT64_MAX;
}

static void base_scale_resolve(const struct weft_param *p, void *values, uint64_t up, uint64_t down)
{
    const struct weft_scale *s = p->scale;
    struct quantity q = base_scale_parse(p->type, p->def), bound;
    q.whole = times(q.whole, up, down);
    q.real = q.real * (double)up / (double)down;
    if (s->least) {
        bound = base_scale_parse(p->type, s->least);
        q.whole = q.whole > bound.whole ? q.whole : bound.whole;
        q.real = q.real > bound.real ? q.real : bound.real;
    }
    if (s->most) {
        bound = base_scale_parse(p->type, s->most);
        q.whole = q.whole < bound.whole ? q.whole : bound.whole;
        q.real = q.real < bound.real ? q.real : bound.real;
    }
    if (p->type == WEFT_PARAM_F64)
        memcpy(field_of(p, values), &q.real, sizeof q.real);
    else
        memcpy(field_of(p, values), &q.whole, sizeof q.whole);
}

void weft_params_resolve(const struct weft_param_table *table, void *values,
                         const struct weft_scale_path *path)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct weft_param *p = &table->params[i];
        if (!weft_param_is_auto(p, values))
            continue;
        switch (p->scale->basis) {
        case WEFT_BASIS_LINE_RATE:
            base_scale_resolve(p, values, path->line_rate_bps,
                               base_scale_parse(WEFT_PARAM_RATE, p->scale->at).whole);
            break;
        case WEFT_BASIS_LINE_TIME:
            base_scale_resolve(p, values, base_scale_parse(WEFT_PARAM_RATE, p->scale->at).whole,
                               path->line_rate_bps);
            break;
        case WEFT_BASIS_BASE_RTT:
            if (path->base_rtt_ps > 0)
                base_scale_resolve(p, values, (uint64_t)path->base_rtt_ps,
                                   base_scale_parse(WEFT_PARAM_TIME, p->scale->at).whole);
            break;
        case WEFT_BASIS_CONTROL:
            break;
        }
    }
}

bool weft_params_scaled_by(const struct weft_param_table *table, const void *values,
                           enum weft_basis basis)
{
    for (size_t i = 0; i < table->n; i++)
        if (weft_param_is_auto(&table->params[i], values) && table->params[i].scale->basis == basis)
            return true;
    return false;
}

const char *weft_param_default_text(const struct weft_param *p, char *buf, size_t size)
{
    static const char *const forms[] = {
        [WEFT_BASIS_LINE_RATE] = "%s per %s of line rate",
        [WEFT_BASIS_LINE_TIME] = "%s x %s / line rate",
        [WEFT_BASIS_BASE_RTT] = "%s per %s of base RTT",
    };
    const struct weft_scale *s = p->scale;
    if (!p->def)
        return "must be given";
    if (!s)
        return p->def[0] ? p->def : "empty";
    if (s->basis == WEFT_BASIS_CONTROL)
        return "what the congestion control is tuned for";
    int n = snprintf(buf, size, forms[s->basis], p->def, s->at);
    if (s->least && n > 0 && (size_t)n < size)
        n += snprintf(buf + n, size - (size_t)n, ", at least %s", s->least);
    if (s->most && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, ", at most %s", s->most);
    return buf;
}
