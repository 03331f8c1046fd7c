/* SPDX-License-Identifier: GPL-2.0-only */
/* The kinds of ops: what begins them. Each ends them by weft_npu_done(), which may be at once. */
#include "system/coll.h"

const struct weft_op_ops weft_op_table[] = {
    [WEFT_OP_META] = {.begin = weft_npu_done},
    [WEFT_OP_COMP] = {.begin = weft_resource_begin},
    [WEFT_OP_MEM] = {.begin = weft_resource_begin, .takes_turns = 1},
    [WEFT_OP_SEND] = {.begin = weft_p2p_send, .communicates = 1, .takes_turns = 1},
    [WEFT_OP_RECV] = {.begin = weft_p2p_recv, .communicates = 1},
    [WEFT_OP_COLL] = {.begin = weft_coll_begin,
                      .communicates = 1,
                      .takes_turns = 1,
                      .members = weft_coll_members,
                      .release = weft_coll_release},
    [WEFT_OP_RECORDED] = {.begin = weft_recorded_begin, .communicates = 1, .takes_turns = 1},
    [WEFT_OP_RECORDED_RECV] = {.begin = weft_recorded_begin, .communicates = 1},
};
