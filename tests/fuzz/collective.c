/* SPDX-License-Identifier: GPL-2.0-only */
/* Collective algorithms from files: loaded, and proved for the sizes that they support. */
#define _GNU_SOURCE /* mkdtemp under every standard */
#include "target.h"

#include "base/file.h"
#include "collective/algorithm.h"
#include "collective/checker.h"

#include <string.h>
#include <unistd.h>

enum { RANKS_MAX = 16 };

/* Loads an algorithm and goes through all its programs. */
static void play(const char *spec, bool proved)
{
    struct weft_err err = {0};
    struct weft_coll_algorithm a = {0};
    if (!weft_fuzz_ok(weft_coll_algorithm_parse(spec, strlen(spec), "", &a, &err), &err))
        return;
    for (uint32_t n = 2; n <= RANKS_MAX; n++)
        for (int kind = 0; kind < WEFT_COLL_KINDS; kind++) {
            struct weft_coll_call c = {.kind = (enum weft_coll_kind)kind, .n = n, .bytes = 1000};
            weft_coll_use(&c, &a);
            if (!a.ops->supports(&c, NULL))
                continue;
            struct weft_coll_proof proof;
            if (proved)
                REQUIRE(weft_fuzz_ok(weft_coll_prove(a.ops, &c, &proof, &err), &err));
            else
                a.ops->total_bytes(&c);
        }
    weft_coll_algorithm_release(&a);
}

void weft_fuzz_msccl(const uint8_t *data, size_t size)
{
    char spec[128];
    snprintf(spec, sizeof spec, "msccl:file=%s", weft_fuzz_file(data, size));
    play(spec, true);
}

/* Plans are told from XML by their first letter. */
void weft_fuzz_mscclpp(const uint8_t *data, size_t size)
{
    weft_fuzz_msccl(data, size);
}

static char folder[] = "/tmp/weft-fuzz-XXXXXX";
static char file[sizeof folder + 16];

static void remove_folder(void)
{
    unlink(file);
    rmdir(folder);
}

/* The trace is that of the only rank, which talks to itself. */
void weft_fuzz_chakra_collective(const uint8_t *data, size_t size)
{
    static bool made;
    char spec[128];
    if (!made) {
        REQUIRE(mkdtemp(folder));
        snprintf(file, sizeof file, "%s/c.0.et", folder);
        atexit(remove_folder);
        made = true;
    }
    FILE *f = fopen(file, "wb");
    REQUIRE(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
    snprintf(spec, sizeof spec, "chakra:file=%s/c:size=77B", folder);
    play(spec, false);
}
