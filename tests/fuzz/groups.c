/* SPDX-License-Identifier: GPL-2.0-only */
/* Communicator groups: of a JSON file, and as PyTorch's traces have them. */
#include "target.h"

#include "workload/convert.h"
#include "workload/groups_json.h"

enum { RANKS = 8 };

void weft_fuzz_groups(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_convert *c = weft_convert_new(RANKS, weft_fuzz_file(data, size), &err);
    weft_fuzz_ok(c ? 0 : err.code, &err);
    REQUIRE(c || err.code);
    weft_convert_free(c);
}

static int look_at(void *ctx, const struct weft_group *def, struct weft_err *err)
{
    (void)ctx;
    (void)err;
    REQUIRE(def->name[0] && def->n <= RANKS);
    for (uint32_t i = 0; i < def->n; i++)
        REQUIRE(def->ranks[i] < RANKS);
    return 0;
}

void weft_fuzz_pytorch_groups(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    char *text = weft_fuzz_text(data, size);
    weft_fuzz_ok(weft_groups_json_pytorch(text, RANKS, look_at, NULL, &err), &err);
    free(text);
}
