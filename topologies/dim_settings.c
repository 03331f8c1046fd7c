/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of single dimensions; see dim_settings.h. */
#include "topologies/dim_settings.h"

#include <stdio.h>
#include <string.h>

struct holder {
    struct weft_dim_settings set;
};
static const struct weft_param params[] = {WEFT_DIM_SETTINGS_PARAMS(struct holder)};

const struct weft_param_table weft_dim_settings_table =
    WEFT_PARAM_TABLE(params, struct weft_dim_settings);

bool weft_dim_settings_has(const char *name)
{
    return strchr(name, '.') || strcmp(name, WEFT_DIM_CONTROL_KEY) == 0 ||
           weft_params_find(&weft_dim_settings_table, name);
}

int weft_dim_settings_control(struct weft_dim_settings *s, const char *text, struct weft_err *err)
{
    if (strlen(text) >= sizeof s->control)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "the congestion control of a dimension is described in more than %zu "
                            "characters",
                            sizeof s->control - 1);
    const size_t ok = strspn(text, " -_.,:=/+%0123456789abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (text[ok])
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%c' in the congestion control of a dimension; write names, numbers "
                            "with units and words",
                            text[ok]);
    snprintf(s->control, sizeof s->control, "%s", text);
    return 0;
}

int weft_dim_settings_set(struct weft_dim_settings *s, const char *name, const char *value,
                          struct weft_err *err)
{
    const char *dot = strchr(name, '.');
    const size_t n = dot ? (size_t)(dot - name) : 0;
    char text[2 * WEFT_DIM_CONTROL_MAX];
    if (strcmp(name, WEFT_DIM_CONTROL_KEY) == 0) {
        if (!value[0])
            return weft_err_set(err, WEFT_E_INPUT,
                                WEFT_DIM_CONTROL_KEY " must name a congestion control; `weft list "
                                                     "cc` shows all of them");
        return weft_dim_settings_control(s, value, err);
    }
    if (!dot)
        return weft_params_set(&weft_dim_settings_table, s, name, value, err);
    if (strncmp(s->control, name, n) != 0 || (s->control[n] && s->control[n] != ' '))
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%.60s' is a parameter of a congestion control that this dimension "
                            "does not have; set " WEFT_DIM_CONTROL_KEY "=%.*s for it, too",
                            name, (int)n, name);
    if (strlen(s->control) + strlen(dot) + strlen(value) + 2 > sizeof text)
        return weft_err_set(err, WEFT_E_LIMIT, "'%.60s' is too long", name);
    snprintf(text, sizeof text, "%s %s=%s", s->control, dot + 1, value);
    return weft_dim_settings_control(s, text, err);
}

void weft_dim_settings_each(const struct weft_dim_settings *s, void *ctx,
                            void (*fn)(void *, const char *, const char *))
{
    const struct weft_dim_settings none = {0};
    char is[WEFT_PARAM_TEXT_MAX], was[WEFT_PARAM_TEXT_MAX];
    for (size_t i = 0; i < weft_dim_settings_table.n; i++) {
        const struct weft_param *p = &weft_dim_settings_table.params[i];
        weft_params_format(p, s, is, sizeof is);
        weft_params_format(p, &none, was, sizeof was);
        if (strcmp(is, was) != 0)
            fn(ctx, p->name, is);
    }
    if (s->control[0])
        fn(ctx, WEFT_DIM_CONTROL_KEY, s->control);
}
