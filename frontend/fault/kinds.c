/* SPDX-License-Identifier: GPL-2.0-only */
/* The kinds of faults: their parameters, and what they mean for links. */
#include "base/units.h"
#include "fault/edges.h"
#include "fault/fault.h"

#include <inttypes.h>

#define WEFT_FAULT(x) extern const struct weft_fault_kind weft_fault_##x;
#include "fault/fault_table.def"
#undef WEFT_FAULT

static const struct weft_fault_kind *const table[] = {
#define WEFT_FAULT(x) &weft_fault_##x,
#include "fault/fault_table.def"

#undef WEFT_FAULT
};
enum { TABLE_SIZE = sizeof table / sizeof table[0] };

const struct weft_fault_kind *const *weft_fault_kinds(size_t *n)
{
    *n = TABLE_SIZE;
    return table;
}

static const char *kinds_name_of(size_t i)
{
    return table[i]->name;
}

const struct weft_fault_kind *weft_fault_kind_find(const char *name, struct weft_err *err)
{
    const size_t i = weft_find_named(name, kinds_name_of, TABLE_SIZE, "kind", err);
    return i < TABLE_SIZE ? table[i] : NULL;
}

#define LINK                                                                                       \
    {                                                                                              \
        WEFT_ROW_STRING(struct weft_fault_item, links, "link", NULL),                              \
            .help = "links: NUMBER, NODE-NODE, NODE-NODE#K of parallel ones, NODE-NODE#all; "      \
                    "several with commas",                                                         \
            .list = &weft_fault_links_form                                                         \
    }
#define AT(value)                                                                                  \
    {                                                                                              \
        WEFT_ROW_TIME(struct weft_fault_item, at_ps, "at", value, "0", NULL),                      \
            .help = "when it begins"                                                               \
    }
#define UNTIL                                                                                      \
    {                                                                                              \
        WEFT_ROW_TIME(struct weft_fault_item, until_ps, "until", "0", "0", NULL),                  \
            .help = "when it ends; 0: never"                                                       \
    }
#define TABLE(array) WEFT_PARAM_TABLE(array, struct weft_fault_item)

/* The time that an item lasts, as a stretch without a link. */
static int lasting(const struct weft_fault_plan *t, uint32_t item, enum weft_link_change_kind what,
                   struct weft_fault_stretch *s, struct weft_err *err)
{
    const struct weft_fault_item *i = &t->items[item];
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX];
    if (i->until_ps && i->until_ps <= i->at_ps)
        return weft_err_set(err, WEFT_E_INPUT, "ends at %s, not after it begins at %s",
                            weft_format_time(i->until_ps, a), weft_format_time(i->at_ps, b));
    *s = (struct weft_fault_stretch){.item = item,
                                     .what = what,
                                     .begin_ps = i->at_ps,
                                     .end_ps = i->until_ps ? i->until_ps : WEFT_NEVER,
                                     .rate_bps = i->rate_bps,
                                     .direction = i->direction,
                                     .scaled = i->thresholds != 0,
                                     .bit_error_rate = i->bit_error_rate};
    return 0;
}

static int expand_links(struct weft_fault_plan *t, uint32_t item, enum weft_link_change_kind what,
                        struct weft_err *err)
{
    struct weft_fault_stretch s;
    int rc = lasting(t, item, what, &s, err);
    return rc ? rc : weft_fault_plan_add_links(t, &s, t->items[item].links, err);
}

/* ---- link-down ---- */

static const struct weft_param link_down_params[] = {LINK, AT(NULL), UNTIL};

static int link_down(struct weft_fault_plan *t, uint32_t item, struct weft_err *err)
{
    return expand_links(t, item, WEFT_LINK_DOWN, err);
}

const struct weft_fault_kind weft_fault_link_down = {
    "link-down", "links fail: what is on them and waits for them is lost, routes go around",
    TABLE(link_down_params), link_down};

/* ---- switch-down ---- */

static const struct weft_param switch_down_params[] = {
    {WEFT_ROW_STRING(struct weft_fault_item, node, "switch", NULL),
     .help = "the switch, such as s20"},
    AT(NULL),
    UNTIL,
};

static int switch_down(struct weft_fault_plan *t, uint32_t item, struct weft_err *err)
{
    struct weft_fault_stretch s;
    int rc = lasting(t, item, WEFT_LINK_DOWN, &s, err);
    return rc ? rc : weft_fault_plan_add_switch(t, &s, t->items[item].node, err);
}

const struct weft_fault_kind weft_fault_switch_down = {
    "switch-down", "a switch fails: all its links, and every packet in its buffer",
    TABLE(switch_down_params), switch_down};

/* ---- flap ---- */

static const struct weft_param flap_params[] = {
    LINK,
    AT(NULL),
    {WEFT_ROW_TIME(struct weft_fault_item, period_ps, "period", NULL, "1ps", NULL),
     .help = "from one failure to the next"},
    {WEFT_ROW_TIME(struct weft_fault_item, down_ps, "down", NULL, "1ps", NULL),
     .help = "how long it is down each time; less than the period"},
    {WEFT_ROW_U64(struct weft_fault_item, count, "count", NULL, "1", "100000"),
     .help = "how many times it fails"},
};

static int flap(struct weft_fault_plan *t, uint32_t item, struct weft_err *err)
{
    const struct weft_fault_item i = t->items[item];
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX];
    struct weft_fault_stretch s;
    if (i.down_ps >= i.period_ps)
        return weft_err_set(err, WEFT_E_INPUT,
                            "is down for %s of each period of %s, so it never comes up; see "
                            "link-down",
                            weft_format_time(i.down_ps, a), weft_format_time(i.period_ps, b));
    if (i.period_ps > (WEFT_NEVER - i.at_ps) / (int64_t)i.count)
        return weft_err_set(err, WEFT_E_INPUT,
                            "%" PRIu64 " periods of %s go beyond the end of time", i.count,
                            weft_format_time(i.period_ps, a));
    int rc = lasting(t, item, WEFT_LINK_DOWN, &s, err);
    for (uint64_t k = 0; k < i.count && !rc; k++) {
        s.begin_ps = i.at_ps + (int64_t)k * i.period_ps;
        s.end_ps = s.begin_ps + i.down_ps;
        rc = weft_fault_plan_add_links(t, &s, i.links, err);
    }
    return rc;
}

const struct weft_fault_kind weft_fault_flap = {
    "flap", "links go down and come up again, over and over", TABLE(flap_params), flap};

/* ---- degrade ---- */

static const struct weft_param degrade_params[] = {
    LINK,
    {WEFT_ROW_RATE(struct weft_fault_item, rate_bps, "rate", NULL, "1bps", NULL),
     .help = "what is left of it, each direction"},
    {WEFT_ROW_ENUM(struct weft_fault_item, direction, "direction", "both", "both|forward|back"),
     .help = "which direction: forward is from the first of its nodes to the second, as weft show "
             "fabric lists them"},
    {WEFT_ROW_ENUM(struct weft_fault_item, thresholds, "thresholds", "kept", "kept|scaled"),
     .help = "those of ECN and of lossy egress queues at the port: as configured, or in proportion "
             "to the rate, as where they are profiles of port speeds"},
    AT("0"),
    UNTIL,
};

static int degrade(struct weft_fault_plan *t, uint32_t item, struct weft_err *err)
{
    const size_t first = t->nstretches;
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX];
    int rc = expand_links(t, item, WEFT_LINK_RATE, err);
    for (size_t i = first; i < t->nstretches && !rc; i++) {
        const struct weft_fault_stretch *s = &t->stretches[i];
        const uint64_t built_bps = t->fabric->links[s->link].rate_bps;
        if (s->rate_bps >= built_bps)
            rc = weft_err_set(
                err, WEFT_E_INPUT, "leaves %s of link %u, which has %s: no less than before",
                weft_format_rate(s->rate_bps, a), s->link, weft_format_rate(built_bps, b));
    }
    return rc;
}

const struct weft_fault_kind weft_fault_degrade = {
    "degrade", "links lose speed, both directions or one, from the next packet on",
    TABLE(degrade_params), degrade};

/* ---- bit-errors ---- */

static const struct weft_param bit_errors_params[] = {
    LINK,
    {WEFT_ROW_F64(struct weft_fault_item, bit_error_rate, "ber", NULL, "0", "1"),
     .help =
         "probability that a bit is wrong, each by itself; n bytes are lost with 1 - (1 - ber)^8n"},
    AT("0"),
    UNTIL,
};

static int bit_errors(struct weft_fault_plan *t, uint32_t item, struct weft_err *err)
{
    return expand_links(t, item, WEFT_LINK_BIT_ERRORS, err);
}

const struct weft_fault_kind weft_fault_bit_errors = {
    "bit-errors", "links flip bits: a packet with a wrong bit is lost when it arrives",
    TABLE(bit_errors_params), bit_errors};
