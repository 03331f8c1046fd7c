/* SPDX-License-Identifier: GPL-2.0-only */
/* The axes of a sweep, from what --vary and <vary> say. */
#include "command/listing.h"
#include "sweep/sweep.h"

#include <string.h>

/* What joins settings whose values go together. */
#define TOGETHER " & "
/* What the key of a label begins with. */
#define LABEL "label."

/* The type of the parameter that @p key names; -1: not known without a scenario. */
static int sweep_type_of(const struct weft_cli *cli, const char *key)
{
    const char *dot = strchr(key, '.');
    struct weft_listed e;
    size_t n;
    const struct weft_listing *l = weft_listings(&n);
    for (size_t i = 0; dot && i < n; i++)
        for (size_t k = 0; l[i].get(cli, k, &e); k++) {
            const struct weft_param *p = e.params && strlen(e.name) == (size_t)(dot - key) &&
                                                 strncmp(e.name, key, (size_t)(dot - key)) == 0
                                             ? weft_params_find(e.params, dot + 1)
                                             : NULL;
            if (p)
                return (int)p->type;
        }
    return -1;
}

/* "KEY=VALUES" becomes one more setting of the axis. */
static int read_setting(const char *text, size_t len, const struct weft_cli *cli,
                        struct weft_arena *arena, struct weft_sweep_axis *a, struct weft_err *err)
{
    const char *own = weft_arena_strndup(arena, text, len);
    const char *eq = own ? strchr(own, '=') : NULL;
    if (!own)
        return weft_err_no_memory(err, "settings");
    if (!eq || eq == own || !eq[1])
        return weft_err_set(err, WEFT_E_USAGE, "--vary %s: must be KEY=VALUE|VALUE...", own);
    if (a->nkeys == WEFT_SWEEP_KEYS)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d settings are varied", WEFT_SWEEP_KEYS);
    const char *key = weft_arena_strndup(arena, own, (size_t)(eq - own));
    if (!key)
        return weft_err_no_memory(err, "settings");
    struct weft_sweep_values *v = &a->value[a->nkeys];
    a->label[a->nkeys] = strncmp(key, LABEL, strlen(LABEL)) == 0;
    const bool reference = strncmp(key, WEFT_SWEEP_REFERENCE, strlen(WEFT_SWEEP_REFERENCE)) == 0;
    if (a->label[a->nkeys]) {
        if (a->labelled)
            return weft_err_set(err, WEFT_E_USAGE, "--vary %s: has two labels", own);
        a->labelled = true;
        key += strlen(LABEL);
    }
    a->label[a->nkeys] = a->label[a->nkeys] || reference;
    a->nsettings += !a->label[a->nkeys];
    a->key[a->nkeys++] = key;
    if (weft_sweep_read_values(eq + 1, sweep_type_of(cli, key), arena, v, err))
        return weft_err_prepend(err, "--vary %s", key);
    if (a->nkeys > 1 && v->n != a->n)
        return weft_err_set(err, WEFT_E_USAGE,
                            "--vary %s: what goes together has as many values: %s has %zu, %s %zu",
                            own, a->key[0], a->n, key, v->n);
    a->n = v->n;
    return 0;
}

/* Whether the values of a setting are numbers that grow. */
static bool grows(const struct weft_sweep_values *v, int type)
{
    double before = 0, now;
    for (size_t i = 0; i < v->n; i++, before = now)
        if (!weft_sweep_number(v->list[i], type, &now) || (i > 0 && now <= before))
            return false;
    return true;
}

int weft_sweep_read_axis(const char *text, const struct weft_cli *cli, struct weft_arena *arena,
                         struct weft_sweep_axis *a, struct weft_err *err)
{
    *a = (struct weft_sweep_axis){.nkeys = 0};
    for (const char *p = text, *next; p; p = next) {
        next = strstr(p, TOGETHER);
        if (read_setting(p, next ? (size_t)(next - p) : strlen(p), cli, arena, a, err))
            return err->code;
        if (next)
            next += strlen(TOGETHER);
    }
    if (a->nsettings == 0)
        return weft_err_set(err, WEFT_E_USAGE,
                            "--vary %s: a %s values of settings, joined by \" & \"", text,
                            a->labelled ? "label names" : "reference belongs to");
    a->ordered = a->nkeys == 1 && grows(&a->value[0], sweep_type_of(cli, a->key[0]));
    return 0;
}
