/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace info and check: a job as a whole. */
#include "trace_tools/trace.h"

#include "base/units.h"
#include "system/joint.h"
#include "workload/survey.h"

#include <inttypes.h>

static const char *kind_name(const struct weft_survey_row *r)
{
    return r->op == WEFT_OP_SEND ? "send" : weft_coll_kind_name(r->coll);
}

static const char *human_bytes(double bytes, char buf[WEFT_UNIT_TEXT_MAX])
{
    if (bytes < 1e18)
        return weft_human_size((uint64_t)bytes, buf);
    snprintf(buf, WEFT_UNIT_TEXT_MAX, "%.4g EB", bytes / 1e18);
    return buf;
}

/* What a run would take in its stride, but a user will want to know. */
static void warn(const struct weft_cli *cli, const struct weft_workload *w,
                 const struct weft_joint *j)
{
    struct weft_op own;
    const struct weft_op *send = weft_dag_op(&w->dags[j->mismatch.rank], j->mismatch.op, &own);
    if (j->unreceived || j->unequal)
        weft_log(cli->log, WEFT_LOG_WARNING,
                 "%" PRIu64 " sends without a receive, %" PRIu64
                 " whose receive has another size; the first: rank %u, node %" PRIu64
                 " '%s', to rank %u with tag %" PRId64,
                 j->unreceived, j->unequal, j->mismatch.rank, send->id, send->name, send->peer,
                 (int64_t)send->tag);
    if (j->reordered) {
        const struct weft_op *op = &w->dags[j->reorder.rank].ops[j->reorder.op];
        weft_log(cli->log, WEFT_LOG_WARNING,
                 "%" PRIu64
                 " collectives stand in another order than on the first member of their group; a "
                 "library that matches them by the order of calls would hang. The first: rank %u, "
                 "node %" PRIu64 " '%s'",
                 j->reordered, j->reorder.rank, op->id, op->name);
    }
}

static uint64_t all_ops(const struct weft_survey *s)
{
    uint64_t n = 0;
    for (size_t k = 0; k <= WEFT_OP_COLL; k++)
        n += s->ops[k];
    return n;
}

static double all_bytes(const struct weft_survey *s)
{
    double bytes = 0;
    for (size_t i = 0; i < s->nrows; i++)
        bytes += s->rows[i].bytes;
    return bytes;
}

/* ---- check ---- */

static void check_json(struct weft_json *j, const struct weft_workload *w,
                       const struct weft_survey *s, const struct weft_joint *joint)
{
    weft_json_kv_u64(j, "ranks", w->nranks);
    weft_json_kv_str(j, "schema", w->schema);
    weft_json_kv_u64(j, "operations", all_ops(s));
    weft_json_kv_u64(j, "collective_operations", s->ops[WEFT_OP_COLL]);
    weft_json_kv_f64(j, "communication_bytes", all_bytes(s));
    weft_json_kv_u64(j, "groups", w->ngroups);
    weft_json_kv_u64(j, "collectives", joint->collectives);
    weft_json_kv_u64(j, "messages", joint->messages);
    weft_json_kv_u64(j, "unreceived_sends", joint->unreceived);
    weft_json_kv_u64(j, "unequal_sizes", joint->unequal);
    weft_json_kv_u64(j, "reordered_collectives", joint->reordered);
}

static void check_text(const struct weft_cli *cli, const char *prefix,
                       const struct weft_workload *w, const struct weft_survey *s,
                       const struct weft_joint *joint)
{
    char size[WEFT_UNIT_TEXT_MAX];
    fprintf(cli->out,
            "%s: valid, %u rank%s, %" PRIu64 " operation%s, %" PRIu64
            " of them collective, %s of communication, %u group%s\n",
            prefix, w->nranks, WEFT_PLURAL(w->nranks), all_ops(s), WEFT_PLURAL(all_ops(s)),
            s->ops[WEFT_OP_COLL], human_bytes(all_bytes(s), size), w->ngroups,
            WEFT_PLURAL(w->ngroups));
    fprintf(cli->out,
            "%" PRIu64 " collectives have all of their members, %" PRIu64
            " receives their send; no circle of waiting\n",
            joint->collectives, joint->messages);
}

/* ---- info ---- */

static void row_json(struct weft_json *j, const struct weft_workload *w,
                     const struct weft_survey_row *r)
{
    weft_json_object(j);
    weft_json_kv_str(j, "kind", kind_name(r));
    if (r->group != UINT32_MAX && r->op == WEFT_OP_COLL)
        weft_json_kv_str(j, "group", w->groups[r->group].name);
    weft_json_kv_u64(j, "members", r->size);
    if (r->group == UINT32_MAX)
        weft_json_kv_u64(j, "groups", r->groups);
    weft_json_kv_u64(j, "operations", r->ops);
    weft_json_kv_u64(j, "least_bytes", r->least_bytes);
    weft_json_kv_u64(j, "most_bytes", r->most_bytes);
    weft_json_kv_f64(j, "bytes", r->bytes);
    weft_json_end_object(j);
}

static void info_json(struct weft_json *j, const struct weft_workload *w,
                      const struct weft_survey *s, const struct weft_joint *joint)
{
    static const char *const kinds[] = {"metadata", "compute", "memory",
                                        "send",     "receive", "collective"};
    check_json(j, w, s, joint);
    weft_json_kv_object(j, "operations_by_kind");
    for (size_t k = 0; k <= WEFT_OP_COLL; k++)
        weft_json_kv_u64(j, kinds[k], s->ops[k]);
    weft_json_end_object(j);
    weft_json_kv_i64(j, "compute_ps", s->duration_ps[WEFT_OP_COMP]);
    weft_json_kv_i64(j, "memory_ps", s->duration_ps[WEFT_OP_MEM]);
    weft_json_kv_f64(j, "flops", s->flops);
    weft_json_kv_u64(j, "compute_without_duration", s->undated);
    weft_json_kv_i64(j, "busiest_rank_ps", s->busiest_ps);
    weft_json_kv_u64(j, "busiest_rank", s->busiest);
    weft_json_kv_i64(j, "critical_path_ps", joint->critical_ps);
    weft_json_kv_array(j, "communication");
    for (size_t i = 0; i < s->nrows; i++)
        row_json(j, w, &s->rows[i]);
    weft_json_end_array(j);
    weft_json_kv_array(j, "communication_by_group");
    for (size_t i = 0; i < s->nby_group; i++)
        row_json(j, w, &s->by_group[i]);
    weft_json_end_array(j);
}

static void communication_text(const struct weft_cli *cli, const struct weft_workload *w,
                               const struct weft_survey *s)
{
    char least[WEFT_UNIT_TEXT_MAX], most[WEFT_UNIT_TEXT_MAX], all[WEFT_UNIT_TEXT_MAX];
    if (!s->nrows)
        return;
    fprintf(cli->out, "  %-22s %8s %7s %13s  %-25s %s\n", "communication", "members", "groups",
            "ops per rank", "bytes of an operation", "bytes of all, over all ranks");
    for (size_t i = 0; i < s->nrows; i++) {
        const struct weft_survey_row *r = &s->rows[i];
        char range[2 * WEFT_UNIT_TEXT_MAX + 4], groups[24] = "";
        snprintf(range, sizeof range, "%s%s%s", weft_human_size(r->least_bytes, least),
                 r->least_bytes < r->most_bytes ? " to " : "",
                 r->least_bytes < r->most_bytes ? weft_human_size(r->most_bytes, most) : "");
        if (r->op == WEFT_OP_COLL)
            snprintf(groups, sizeof groups, "%u", r->groups);
        fprintf(cli->out, "    %-20s %8u %7s %13.5g  %-25s %s\n", kind_name(r), r->size, groups,
                (double)r->ops / w->nranks, range, human_bytes(r->bytes, all));
    }
}

static void info_text(const struct weft_cli *cli, const char *prefix, const struct weft_workload *w,
                      const struct weft_survey *s, const struct weft_joint *j)
{
    char time[WEFT_UNIT_TEXT_MAX];
    fprintf(cli->out, "%s: %u rank%s, %u group%s besides that of all\n", prefix, w->nranks,
            WEFT_PLURAL(w->nranks), w->ngroups - 1, WEFT_PLURAL(w->ngroups - 1));
    fprintf(cli->out, "  schema                 %s%s\n", w->schema ? "Chakra " : "",
            w->schema ? w->schema : "the files name none");
    fprintf(cli->out,
            "  operations             %" PRIu64 ": %" PRIu64 " compute, %" PRIu64
            " memory, %" PRIu64 " send, %" PRIu64 " receive, %" PRIu64 " collective, %" PRIu64
            " metadata\n",
            all_ops(s), s->ops[WEFT_OP_COMP], s->ops[WEFT_OP_MEM], s->ops[WEFT_OP_SEND],
            s->ops[WEFT_OP_RECV], s->ops[WEFT_OP_COLL], s->ops[WEFT_OP_META]);
    fprintf(cli->out, "  recorded compute       %s on rank %u, the busiest",
            weft_human_time(s->busiest_ps, time), s->busiest);
    fprintf(cli->out, "; %s a rank on average",
            weft_human_time(s->duration_ps[WEFT_OP_COMP] / w->nranks, time));
    if (s->flops > 0)
        fprintf(cli->out, "; %.4g operations of arithmetic in all", s->flops);
    fprintf(cli->out, "\n");
    if (s->undated)
        fprintf(cli->out,
                "                         %" PRIu64 " compute operations have no duration, only "
                "operations of arithmetic: 0 here, system.peak-flops in a run\n",
                s->undated);
    fprintf(cli->out, "  without network        %s: the longest path of dependencies",
            weft_human_time(j->critical_ps, time));
    if (j->last.op != UINT32_MAX) {
        const struct weft_op *last = &w->dags[j->last.rank].ops[j->last.op];
        fprintf(cli->out, "; rank %u ends it, in node %" PRIu64 " '%s'", j->last.rank, last->id,
                last->name);
    }
    fprintf(cli->out, "\n");
    communication_text(cli, w, s);
}

/* ---- ---- */

static int info_look(const struct weft_cli *cli, const struct weft_trace_opts *o,
                     const char *prefix, int info, struct weft_err *err)
{
    struct weft_workload *w = weft_trace_job(o, prefix, err);
    struct weft_survey s = {0};
    struct weft_joint joint;
    struct weft_json j;
    if (!w)
        return err->code;
    int rc = weft_joint_look(w, &joint, err);
    if (!rc)
        rc = weft_survey_make(w, &s, err);
    if (!rc && o->json) {
        weft_trace_json(&j, cli, info ? "trace info" : "trace check");
        (info ? info_json : check_json)(&j, w, &s, &joint);
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL);
    } else if (!rc) {
        (info ? info_text : check_text)(cli, prefix, w, &s, &joint);
    }
    if (!rc)
        warn(cli, w, &joint);
    weft_survey_free(&s);
    weft_workload_free(w);
    return rc;
}

int weft_trace_info(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                    int nargs, struct weft_err *err)
{
    return info_look(cli, o, args[0], 1, err);
}

int weft_trace_check(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                     int nargs, struct weft_err *err)
{
    return info_look(cli, o, args[0], 0, err);
}
