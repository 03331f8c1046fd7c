/* SPDX-License-Identifier: GPL-2.0-only */
/* Capture files; see pcap.h. */
#include "pcap.h"

#include "base/rows.h"
#include "base/units.h"

#include <stdlib.h>

static const uint32_t MAGIC_NS = 0xa1b23c4d;
enum { ETHERNET = 1 };

struct weft_pcap {
    struct weft_rows *file; /* a record: the file's header, or a frame with its own */
    uint32_t snaplen;
};

static void put32(uint8_t *to, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(v >> 8 * i);
}

struct weft_pcap *weft_pcap_open(const char *path, uint32_t snaplen, struct weft_err *err)
{
    struct weft_pcap *p = malloc(sizeof *p);
    if (!p) {
        weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory for a capture");
        return NULL;
    }
    p->snaplen = snaplen;
    p->file = weft_rows_open(path, err);
    if (!p->file) {
        free(p);
        return NULL;
    }
    uint8_t head[24] = {[4] = 2, [6] = 4}; /* version 2.4 */
    put32(head, MAGIC_NS);
    put32(head + 16, snaplen);
    put32(head + 20, ETHERNET);
    weft_rows_put(p->file, head, sizeof head);
    weft_rows_end(p->file, NULL);
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
    weft_rows_put(p->file, head, sizeof head);
    weft_rows_put(p->file, bytes, kept);
    weft_rows_end(p->file, NULL);
}

int weft_pcap_flush(struct weft_pcap *p, struct weft_err *err)
{
    return weft_rows_flush(p->file, err);
}

void weft_pcap_close(struct weft_pcap *p)
{
    if (!p)
        return;
    weft_rows_close(p->file, NULL);
    free(p);
}
