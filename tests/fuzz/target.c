/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of targets, and what they have in common. */
#define _GNU_SOURCE /* memfd_create */
#include "target.h"

#include "topologies/topology.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Largest product of the whole numbers in an input that sizes something. */
#define SMALL UINT64_C(2000000)

static const struct weft_fuzz_target targets[] = {
#define WEFT_FUZZ_TARGET(name, shape, max) {#name, WEFT_FUZZ_##shape, weft_fuzz_##name},
#include "targets.def"
#undef WEFT_FUZZ_TARGET
};

const struct weft_fuzz_target *weft_fuzz_targets(size_t *n)
{
    *n = sizeof targets / sizeof targets[0];
    return targets;
}

const struct weft_fuzz_target *weft_fuzz_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof targets / sizeof targets[0]; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}

bool weft_fuzz_ok(int code, const struct weft_err *err)
{
    if (code == 0)
        return true;
    if (err->code != code || err->msg[0] == '\0' || code == WEFT_E_INTERNAL)
        fprintf(stderr, "code %d, error %d: '%s'\n", code, err->code, err->msg);
    REQUIRE(err->code == code && err->msg[0] != '\0');
    REQUIRE(code != WEFT_E_INTERNAL);
    return false;
}

const char *weft_fuzz_file(const void *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("weft-fuzz", MFD_CLOEXEC);
        REQUIRE(fd >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    REQUIRE(ftruncate(fd, 0) == 0);
    REQUIRE(pwrite(fd, data, size, 0) == (ssize_t)size);
    return path;
}

bool weft_fuzz_small(const char *text, size_t size)
{
    uint64_t product = 1;
    for (size_t i = 0; i < size; i++) {
        uint64_t v = 0;
        const size_t from = i;
        for (; i < size && text[i] >= '0' && text[i] <= '9' && v <= SMALL; i++)
            v = 10 * v + (uint64_t)(text[i] - '0');
        if (i == from || v < 2)
            continue;
        product *= v;
        if (product > SMALL)
            return false;
    }
    return true;
}

char *weft_fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    REQUIRE(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

const struct weft_fabric *weft_fuzz_fabric(void)
{
    static struct weft_fabric *f;
    struct weft_err err = {0};
    if (f)
        return f;
    const struct weft_topology_ops *ops = weft_topology_find("leaf-spine", &err);
    void *params = ops ? calloc(1, ops->params.struct_size) : NULL;
    REQUIRE(params && weft_params_defaults(&ops->params, params, &err) == 0);
    REQUIRE(weft_topology_build(ops, params, &f, &err) == 0);
    free(params);
    return f;
}
