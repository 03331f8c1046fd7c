/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields of a message that processes send to each other: MSG_FIELD of core/msg.def. */
#include "peers.h"

#include <stddef.h>
#include <string.h>

static const struct {
    size_t at, size;
    unsigned crosses;
} msg_crossings[] = {
#define FIELD(type, name, dimensions, evolution, owner)
#define FIELD_UNION(type, evolution, owner)                                                        \
    {offsetof(struct msg, ideal_ps), sizeof(int64_t), CROSSES_RECEIVED},
#define MSG_FIELD(crosses, type, name, dimensions, evolution, owner)                               \
    {offsetof(struct msg, name), sizeof(((struct msg *)0)->name), CROSSES_##crosses},
#include "core/msg.def"
};
#define MSG_CROSSINGS (sizeof msg_crossings / sizeof *msg_crossings)

struct msg_fields msg_fields_of(const struct msg *m, enum msg_crossing when)
{
    struct msg_fields f = {0};
    char *to = (char *)&f;
    for (size_t i = 0; i < MSG_CROSSINGS; i++)
        if (msg_crossings[i].crosses & when) {
            memcpy(to, (const char *)m + msg_crossings[i].at, msg_crossings[i].size);
            to += msg_crossings[i].size;
        }
    return f;
}

void msg_fields_take(struct msg *m, const struct msg_fields *f, enum msg_crossing when)
{
    const char *from = (const char *)f;
    for (size_t i = 0; i < MSG_CROSSINGS; i++)
        if (msg_crossings[i].crosses & when) {
            memcpy((char *)m + msg_crossings[i].at, from, msg_crossings[i].size);
            from += msg_crossings[i].size;
        }
}
