/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts in memory; see file.h. */
#include "base/file.h"

#include "base/os.h"

#include <stdlib.h>
#include <string.h>

static int lacks_memory(struct weft_memfile *t, const char *what, struct weft_err *err)
{
    free(t->data);
    t->data = NULL;
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %s", what);
}

static ssize_t memfile_append(void *cookie, const char *data, size_t size)
{
    struct weft_memfile *t = (struct weft_memfile *)cookie;
    if (size > t->capacity - t->size) {
        const size_t capacity = 2 * t->capacity + size;
        char *more = t->failed ? NULL : (char *)realloc(t->data, capacity);
        if (!more) {
            t->failed = 1;
            return 0;
        }
        t->data = more;
        t->capacity = capacity;
    }
    memcpy(t->data + t->size, data, size);
    t->size += size;
    return (ssize_t)size;
}

int weft_memfile_open(struct weft_memfile *t, const char *what, struct weft_err *err)
{
    static const struct weft_os_stream functions = {.write = memfile_append};
    *t = (struct weft_memfile){.capacity = BUFSIZ};
    t->data = (char *)malloc(t->capacity);
    t->f = t->data ? weft_os_stream_open(t, &functions) : NULL;
    return t->f ? 0 : lacks_memory(t, what, err);
}

int weft_memfile_close(struct weft_memfile *t, const char *what, struct weft_err *err)
{
    const int lost = ferror(t->f);
    return fclose(t->f) != 0 || lost || t->failed ? lacks_memory(t, what, err) : 0;
}

int weft_memfile_write(struct weft_memfile *t, const char *what, const char *path, int code,
                       struct weft_err *err)
{
    const int closed = weft_memfile_close(t, what, code ? NULL : err);
    code = code ? code : closed;
    if (!code)
        code = weft_file_write(path, t->data, t->size, err);
    free(t->data);
    return code;
}
