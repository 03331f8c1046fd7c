/* SPDX-License-Identifier: GPL-2.0-only */
/* What went wrong with a network, last. */
#include "lib/sim.h"

#include <stdarg.h>
#include <stdio.h>

int sim_fail(struct weft_sim *s, int code, const char *fmt, ...)
{
    char text[WEFT_ERR_MSG_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    s->err = (struct weft_err){0};
    return weft_err_set(&s->err, code, "%s", text);
}

const char *weft_sim_error(const weft_sim *s)
{
    /* the text is made where it is asked for */
    return s->err.code ? weft_err_format(&s->err, ((struct weft_sim *)s)->text, sizeof s->text)
                       : "";
}

void sim_break(struct weft_sim *s)
{
    s->broken = true;
    s->net->ops->stop(s->net);
}
