/* SPDX-License-Identifier: GPL-2.0-only */
/* What chakra_json_read.c and chakra_json_write.c share. */
#ifndef WEFT_CHAKRA_JSON_NAMES_H
#define WEFT_CHAKRA_JSON_NAMES_H

#include "workload/et.h"

#include <stdio.h>

/** Longest name of a member, with its terminator. */
#define WEFT_JSON_MEMBER_MAX 32

/** protobuf's name of the member of a kind in JSON: "int64Val" for int64_val. Returns @p buf. */
static inline const char *weft_json_member(enum weft_et_kind kind, char buf[WEFT_JSON_MEMBER_MAX])
{
    size_t n = 0;
    for (const char *p = weft_et_kind_name(kind); *p && n + 1 < WEFT_JSON_MEMBER_MAX; p++)
        if (*p == '_' && p[1])
            buf[n++] = (char)(*++p - 'a' + 'A');
        else
            buf[n++] = *p;
    buf[n] = '\0';
    return buf;
}

/** Whether protobuf writes a whole number of this kind as text: all of 64 bits. */
static inline bool weft_json_is_long(enum weft_et_kind kind)
{
    switch ((int)kind | 1) {
    case WEFT_ET_INT64:
    case WEFT_ET_UINT64:
    case WEFT_ET_SINT64:
    case WEFT_ET_FIXED64:
    case WEFT_ET_SFIXED64:
        return true;
    default:
        return false;
    }
}

#endif
