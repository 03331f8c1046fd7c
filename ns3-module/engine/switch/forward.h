/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests to ports: the functions behind port_ops (core/port_ops.h, which says what they do).
 */
#ifndef WEFT_ENGINE_FORWARD_H
#define WEFT_ENGINE_FORWARD_H

#include "engine.h"

struct port;

void forward_arrive(struct weft_engine *e, uint32_t port);
void forward_due(struct weft_engine *e, uint32_t port);
void forward_kick(struct weft_engine *e, uint32_t port);
void forward_enqueue(struct weft_engine *e, uint32_t port, uint32_t pkt);
void forward_catch_up(struct weft_engine *e, struct port *p, uint32_t port, int64_t due_ps);
uint32_t forward_take_upper(struct weft_engine *e, uint32_t port, uint32_t prio);
void forward_leave_by(struct weft_engine *e, uint32_t from, uint32_t to, uint32_t pkt);
void forward_release(struct weft_engine *e, uint32_t port, uint32_t pkt);

#endif
