/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields of a message that processes send to each other: MSG_FIELD of core/msg.def and
 * core/msg_log.def. */
#include "core/context.h"
#include "peers.h"
#include "transport/delay.h"

#include <stddef.h>
#include <string.h>

static const struct {
    size_t at, size;
    unsigned crosses;
    bool log; /**< of struct msg_log, not struct msg */
} msg_crossings[] = {
#define FIELD(type, name, dimensions, evolution, owner)
#define MSG_FIELD(crosses, type, name, dimensions, evolution, owner)                               \
    {offsetof(struct msg, name), sizeof(((struct msg *)0)->name), CROSSES_##crosses, false},
#include "core/msg.def"
#define FIELD(type, name, dimensions, evolution, owner)
#define MSG_FIELD(crosses, type, name, dimensions, evolution, owner)                               \
    {offsetof(struct msg_log, name), sizeof(((struct msg_log *)0)->name), CROSSES_##crosses, true},
#include "core/msg_log.def"
};
#define MSG_CROSSINGS (sizeof msg_crossings / sizeof *msg_crossings)

struct msg_fields msg_fields_of(const struct weft_engine *e, const struct msg *m,
                                enum msg_crossing when)
{
    const struct msg_log *const log = msg_log(e, m);
    struct msg_fields f = {0};
    char *to = (char *)&f;
    for (size_t i = 0; i < MSG_CROSSINGS; i++)
        if (msg_crossings[i].crosses & when) {
            const void *const of = msg_crossings[i].log ? (const void *)log : m;
            memcpy(to, (const char *)of + msg_crossings[i].at, msg_crossings[i].size);
            to += msg_crossings[i].size;
        }
    return f;
}

void msg_fields_take(struct weft_engine *e, struct msg *m, const struct msg_fields *f,
                     enum msg_crossing when)
{
    struct msg_log *const log = delay_log(e, m);
    const char *from = (const char *)f;
    for (size_t i = 0; i < MSG_CROSSINGS; i++)
        if (msg_crossings[i].crosses & when) {
            void *const of = msg_crossings[i].log ? (void *)log : m;
            memcpy((char *)of + msg_crossings[i].at, from, msg_crossings[i].size);
            from += msg_crossings[i].size;
        }
}
