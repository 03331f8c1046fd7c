/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads JSON through jansson. A failed allocation leaves jansson at once, by longjmp. The memory
 * that jansson held is lost then, in a process that is out of memory.
 */
#include "json/json_read.h"

#include <setjmp.h>
#include <stdlib.h>

static _Thread_local jmp_buf *json_read_leave; /* NULL: no document is being read */

static void *json_read_malloc(size_t size)
{
    void *p = malloc(size);
    if (!p && json_read_leave)
        longjmp(*json_read_leave, 1);
    return p;
}

json_t *weft_json_load(const char *text, size_t size, size_t flags, json_error_t *why)
{
    jmp_buf leave;
    json_set_alloc_funcs(json_read_malloc, free);
    json_read_leave = &leave;
    if (setjmp(leave)) {
        json_read_leave = NULL;
        *why = (json_error_t){.line = -1, .column = -1, .text = "out of memory"};
        why->text[sizeof why->text - 1] = (char)json_error_out_of_memory;
        return NULL;
    }
    json_t *root = json_loadb(text, size, flags, why);
    json_read_leave = NULL;
    return root;
}

int weft_json_load_error(struct weft_err *err, const char *file, const json_error_t *why,
                         const char *prefix)
{
    if (json_error_code(why) == json_error_out_of_memory)
        return weft_err_at(err, WEFT_E_LIMIT, file, 0, 0, "out of memory for its JSON");
    return weft_err_at(err, WEFT_E_INPUT, file, why->line, why->column, "%s%s", prefix, why->text);
}
