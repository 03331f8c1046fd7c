/* SPDX-License-Identifier: GPL-2.0-only */
/* A congestion control with its parameters, from text: "static-window window=1MB". */
#ifndef WEFT_CC_CHOICE_H
#define WEFT_CC_CHOICE_H

#include "congestion/cc.h"

WEFT_C_BEGIN

/** One algorithm under filled parameters. */
struct weft_cc_choice {
    const struct weft_cc_ops *ops;
    void *params; /**< filled struct of ops->params */
    char *text;   /**< what text parameters point into */
};

/** Reads "NAME PARAMETER=VALUE ..." and checks the parameters, also against each other; one that
 * can have no effect is an error. */
int weft_cc_choice_read(const char *text, struct weft_cc_choice *out, struct weft_err *err);
/** Frees what it holds; a zeroed one is allowed. */
void weft_cc_choice_free(struct weft_cc_choice *c);

WEFT_C_END
#endif
