/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz targets: one function per reader (targets.def), which runs it to its end on one input and
 * aborts when a promise is broken. Any input either is taken, or leads to an error with a message;
 * never to an internal error.
 */
#ifndef WEFT_TESTS_FUZZ_TARGET_H
#define WEFT_TESTS_FUZZ_TARGET_H

#include "base/err.h"
#include "topologies/fabric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What inputs look like, hence how they are mutated. */
enum weft_fuzz_shape { WEFT_FUZZ_TEXT, WEFT_FUZZ_XML, WEFT_FUZZ_ET };

/** One target. */
struct weft_fuzz_target {
    const char *name;
    enum weft_fuzz_shape shape;
    void (*run)(const uint8_t *data, size_t size);
};

/** All targets, in the order of targets.def; *n receives their number. */
const struct weft_fuzz_target *weft_fuzz_targets(size_t *n);
/** The target called @p name, or NULL. */
const struct weft_fuzz_target *weft_fuzz_find(const char *name);

/** Aborts unless the condition holds. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/** Checks that a result and an error belong together: 0 and no error, or a code with a message.
 * Returns whether it is 0. */
bool weft_fuzz_ok(int code, const struct weft_err *err);
/** The path of a file with these contents, the same for every call. */
const char *weft_fuzz_file(const void *data, size_t size);
/** Whether no number in the text asks for something large: fabrics and jobs are as large as numbers
 * say. */
bool weft_fuzz_small(const char *text, size_t size);
/** A fabric of hosts and switches, the same for every call: leaf-spine as it is by default. */
const struct weft_fabric *weft_fuzz_fabric(void);
/** A copy with a zero byte behind it, to be freed. */
char *weft_fuzz_text(const uint8_t *data, size_t size);

#define WEFT_FUZZ_TARGET(name, shape, max) void weft_fuzz_##name(const uint8_t *data, size_t size);
#include "targets.def"
#undef WEFT_FUZZ_TARGET

#ifdef __cplusplus
}
#endif
#endif
