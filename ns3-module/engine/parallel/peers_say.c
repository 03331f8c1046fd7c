/* SPDX-License-Identifier: GPL-2.0-only */
/* What several processes have to say of their QPs, in one order: peers.h. */
#include "core/context.h"
#include "peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct said {
    uint32_t qp;
    char text[768];
};

void peers_note_text(void *speaker, const char *text)
{
    const struct peers_speaker *by = speaker;
    struct said s = {.qp = by->qp};
    snprintf(s.text, sizeof s.text, "%s", text);
    pouch_add(by->e, &by->e->peers->said, &s, sizeof s);
}

static void take(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    (void)ctx, (void)from;
    pouch_add(e, &e->peers->said, answer, sizeof(struct said));
}

static int compare(const void *va, const void *vb)
{
    const struct said *a = va, *b = vb;
    return (a->qp > b->qp) - (a->qp < b->qp);
}

uint64_t peers_say_all(struct weft_engine *e, uint64_t max, void (*fn)(void *, const char *),
                       void *ctx)
{
    struct peers *p = e->peers;
    p->all.n = 0;
    pouch_add(e, &p->all, p->said.bytes, p->said.n);
    peers_ask(e, sizeof(struct said), take, NULL);
    struct said *all = (struct said *)(void *)p->said.bytes;
    const size_t n = p->said.n / sizeof *all;
    if (n)
        qsort(all, n, sizeof *all, compare);
    for (size_t i = 0; i < n && i < max; i++)
        fn(ctx, all[i].text);
    p->said.n = 0;
    return n < max ? n : max;
}
