/* SPDX-License-Identifier: GPL-2.0-only */
/* Capture files; see pcap.h. */
#include "pcap.h"

#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t MAGIC_NS = 0xa1b23c4d;
enum { ETHERNET = 1 };

struct weft_pcap {
    FILE *file;
    uint32_t snaplen;
    char path[]; /* for messages */
};

static void put32(uint8_t *to, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(v >> 8 * i);
}

struct weft_pcap *weft_pcap_open(const char *path, uint32_t snaplen, struct weft_err *err)
{
    const size_t path_size = strlen(path) + 1;
    struct weft_pcap *p = malloc(sizeof *p + path_size);
    if (!p) {
        weft_err_set(err, WEFT_E_LIMIT, "out of memory");
        return NULL;
    }
    memcpy(p->path, path, path_size);
    p->snaplen = snaplen;
    p->file = fopen(path, "wb");
    if (!p->file) {
        weft_err_at(err, WEFT_E_IO, path, 0, 0, "cannot create: %s", strerror(errno));
        free(p);
        return NULL;
    }
    uint8_t head[24] = {[4] = 2, [6] = 4}; /* version 2.4 */
    put32(head, MAGIC_NS);
    put32(head + 16, snaplen);
    put32(head + 20, ETHERNET);
    fwrite(head, sizeof head, 1, p->file);
    return p;
}

void weft_pcap_write(struct weft_pcap *p, int64_t t_ps, const uint8_t *bytes, size_t length)
{
    const int64_t ns = t_ps / WEFT_PS_PER_NS;
    const size_t kept = length < p->snaplen ? length : p->snaplen;
    uint8_t head[16];
    put32(head, (uint32_t)(ns / 1000000000));
    put32(head + 4, (uint32_t)(ns % 1000000000));
    put32(head + 8, (uint32_t)kept);
    put32(head + 12, (uint32_t)length);
    fwrite(head, sizeof head, 1, p->file);
    fwrite(bytes, 1, kept, p->file);
}

int weft_pcap_flush(struct weft_pcap *p, struct weft_err *err)
{
    if (fflush(p->file) == 0 && !ferror(p->file))
        return 0;
    return weft_err_at(err, WEFT_E_IO, p->path, 0, 0, "cannot write: %s", strerror(errno));
}

void weft_pcap_close(struct weft_pcap *p)
{
    if (!p)
        return;
    fclose(p->file);
    free(p);
}
