/* SPDX-License-Identifier: GPL-2.0-only */
/* Errors that end a run: the first one is recorded, and the loop stops. */
#include "fail.h"
#include "context.h"
#include "stable.h"
#include "walk.h"

#include <stdarg.h>
#include <stdio.h>

int engine_fail(struct weft_engine *e, int code, const char *fmt, ...)
{
    e->loop.limit_ps = e->loop.stop_ps = INT64_MIN; /* ends the loop */
    if (e->err.code)
        return e->err.code;
    char msg[WEFT_ERR_MSG_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return weft_err_set(&e->err, code, "%s", msg);
}

int engine_full(struct weft_engine *e, const struct stable *s, const char *what)
{
    struct weft_err err = {0};
    stable_full(s, what, &err);
    return engine_fail(e, err.code, "%s", err.msg);
}

void walk_endless(const struct weft_engine *e, uint32_t most, const char *list)
{
    engine_fail((struct weft_engine *)e, WEFT_E_INTERNAL,
                "the list '%s' does not end: more than %u steps, as many as there are records",
                list, most);
}
