/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue pairs: how they are found, opened and closed, and what the QP hook is told of them. */
#ifndef WEFT_ENGINE_QP_H
#define WEFT_ENGINE_QP_H

#include "core/context.h"
#include "engine.h"

/* qp.c */
/** Record for senders of QPs in another process; it is only read. */
extern const struct sender qp_nobody;

/** The first packet number after the last message that was posted to a QP. */
static inline uint64_t qp_end_psn(const struct weft_engine *e, const struct qp *q)
{
    const struct msg *const tail = q->head_msg == NIL ? NULL : msg_at(e, q->tail_msg);
    if (tail)
        return tail->first_psn + tail->npkts;
    return q->snd == &qp_nobody ? q->exp_psn : q->snd->una_psn; /* all was received */
}
/** The number of a QP; NIL: there is none of that name. */
uint32_t qp_find(const struct weft_engine *e, const struct qp_name *name);
/** The number of one more QP, of that name, which is to be opened. NIL and *err when that fails. */
uint32_t qp_new(struct weft_engine *e, const struct qp_name *name, struct weft_err *err);
/** Opens QP @p qp, a new one. WEFT_E_LIMIT: out of memory. */
int qp_open(struct weft_engine *e, uint32_t qp, const struct qp_name *name, struct weft_err *err);
/** The record of a flow of frames from host @p src to @p dst, made at its first frame; NIL and *err
 * when that fails. */
uint32_t qp_of_frames(struct weft_engine *e, uint32_t src, uint32_t dst, uint32_t flow,
                      struct weft_err *err);
/** Frees what a QP's record points to. */
void qp_close(const struct weft_engine *e, struct qp *q);
/** Fills in the ports of a QP's path, and in @p k, which the QP is of until it has a kind, what its
 * congestion control may know of the path. */
void qp_find_path(const struct weft_engine *e, struct qp *q, struct qp_kind *k);
/** Gives a QP its path and its kind. WEFT_E_LIMIT: out of memory. */
int qp_find_kind(struct weft_engine *e, struct qp *q, struct weft_err *err);
/* qp_kind.c */
bool qp_kinds_init(struct weft_engine *e);
void qp_kinds_fini(struct weft_engine *e);
/** The kind like @p like; NULL and *err: out of memory. */
const struct qp_kind *qp_kind_of(const struct weft_engine *e, const struct qp_kind *like,
                                 struct weft_err *err);
/** Starts the congestion control of a QP that opens; false: out of memory. */
bool qp_start_control(struct weft_engine *e, struct qp *q, uint32_t qp);
/** Makes the state of a congestion control that starts now; false: the engine has failed. */
bool qp_first_cnp(struct weft_engine *e, struct qp *q);
/** Makes room in the state of a congestion control for stamps of any path; false: the engine has
 * failed. */
bool qp_whole_state(struct weft_engine *e, struct qp *q);
void qp_free_state(const struct weft_engine *e, struct qp *q);
/** Bytes of the states of congestion controls, and of what is rare. */
uint64_t qp_states_bytes(const struct weft_engine *e);
/* qp_ideal.c, qp_report.c */
/** The ideal duration of a message of @p bytes that is on its way from @p since to now. Remembers
 * the last answer. */
int64_t qp_ideal_ps(struct weft_engine *e, struct qp *q, uint64_t bytes,
                    struct weft_engine_mark since);
/** Tells the QP hook, if it wants to hear of that. @p pkt: NIL for none. */
void qp_report(struct weft_engine *e, uint32_t qp, enum weft_qp_event what, uint32_t pkt);

#endif
