// SPDX-License-Identifier: GPL-2.0-only
#include "checks.h"

#include <cmath>

namespace
{

class Sums
{
  public:
    Sums(const Results &r, Findings &f) : m_r(r), m_f(f) {}
    void metric(const char *key, double counted, const char *of) const
    {
        const auto m = m_r.summary.find(key);
        if (m != m_r.summary.end() && std::fabs(m->second - counted) > 1e-9 * std::fabs(counted))
            m_f.add("sums", "%s is %.17g in the summary, %.17g in %s", key, m->second, counted, of);
    }

  private:
    const Results &m_r;
    Findings &m_f;
};

int64_t total(const Csv &c, size_t row, const std::vector<const char *> &columns)
{
    int64_t sum = 0;
    for (const char *column : columns)
        sum += c.ps(row, column);
    return sum;
}

void ranks(const Results &r, bool finished, Findings &f)
{
    for (size_t i = 0; i < r.ranks.rows(); i++) {
        const int64_t causes =
            total(r.ranks, i,
                  {"network_ns", "own_nic_ns", "congestion_control_ns", "loss_recovery_ns",
                   "pfc_pause_ns", "fabric_queueing_ns", "reduce_ns", "endpoint_ns", "peer_ns",
                   "dependency_ns", "open_ns"});
        if (causes != r.ranks.ps(i, "exposed_ns"))
            f.add("ranks", "rank %zu: causes add up to %lld ps of %lld exposed", i,
                  (long long)causes, (long long)r.ranks.ps(i, "exposed_ns"));
        if (r.ranks.ps(i, "exposed_ns") > r.ranks.ps(i, "communication_ns"))
            f.add("ranks", "rank %zu: more exposed than communication", i);
        if (finished && (r.ranks.u64(i, "finished") != 1 || r.ranks.ps(i, "open_ns") != 0))
            f.add("ranks", "rank %zu of a finished run is not", i);
        for (const char *column :
             {"network_ns", "own_nic_ns", "congestion_control_ns", "loss_recovery_ns",
              "pfc_pause_ns", "fabric_queueing_ns", "reduce_ns", "endpoint_ns", "peer_ns",
              "dependency_ns", "idle_ns", "compute_ns"})
            if (r.ranks.ps(i, column) < 0)
                f.add("ranks", "rank %zu: %s is negative", i, column);
    }
}

// Of jobs that begin later the path begins later, too, and each repetition has one; the run ends
// with flows that are on no path.
void path(const Scenario &s, const Results &r, Findings &f)
{
    int64_t at = 0;
    for (size_t i = 0; i < r.path.rows(); i++) {
        const int64_t begin = r.path.ps(i, "begin_ns"), end = r.path.ps(i, "end_ns");
        const int64_t parts =
            total(r.path, i,
                  {"compute_ns", "cpu_ns", "memory_ns", "network_ns", "own_nic_ns",
                   "congestion_control_ns", "loss_recovery_ns", "pfc_pause_ns",
                   "fabric_queueing_ns", "reduce_ns", "endpoint_ns"});
        if ((begin != at && !s.jobs) || begin < 0 || end - begin != r.path.ps(i, "duration_ns") ||
            parts != end - begin)
            f.add("path", "step %zu from %lld to %lld ps after %lld: parts %lld", i,
                  (long long)begin, (long long)end, (long long)at, (long long)parts);
        at = end;
    }
    const auto end = r.summary.find("end_to_end_ns");
    if (r.path.rows() && !s.jobs && end != r.summary.end() &&
        std::llround(end->second * 1000) != at && end->second < 1e12)
        f.add("path", "the critical path ends at %lld ps, the run at %.3f ns", (long long)at,
              end->second);
}

void flows(const Results &r, Findings &f)
{
    for (size_t i = 0; i < r.flows.rows(); i++) {
        const int64_t fct = r.flows.ps(i, "fct_ns"), ack = r.flows.ps(i, "ack_ns");
        if (fct < r.flows.ps(i, "ideal_fct_ns") || ack < fct || fct < 0)
            f.add("flows", "message %s: fct %lld, ack %lld, ideal %lld ps",
                  r.flows.text(i, "id").c_str(), (long long)fct, (long long)ack,
                  (long long)r.flows.ps(i, "ideal_fct_ns"));
    }
}

void pauses(const Results &r, Findings &f)
{
    std::vector<uint64_t> heard(r.links.rows(), 0);
    for (size_t i = 0; i < r.pfc.rows(); i++)
        if (r.pfc.text(i, "event") == "pause" && r.pfc.u64(i, "port") < heard.size())
            heard[r.pfc.u64(i, "port")]++;
    for (size_t i = 0; i < heard.size(); i++)
        if (heard[i] != r.links.u64(i, "pauses"))
            f.add("pauses", "port %zu: %llu pauses in pfc.csv, %llu in links.csv", i,
                  (unsigned long long)heard[i], (unsigned long long)r.links.u64(i, "pauses"));
}

} // namespace

void check_sums(const Scenario &s, const Results &r, bool finished, Findings &f)
{
    const Sums same(r, f);
    if (r.summary.empty()) {
        f.add("lost", "run.json has no summary");
        return;
    }
    same.metric("messages", static_cast<double>(r.flows.rows()), "flows.csv");
    same.metric("message_bytes", static_cast<double>(r.flows.sum("size_bytes")), "flows.csv");
    same.metric("packet_hops", static_cast<double>(r.links.sum("tx_packets")), "links.csv");
    same.metric("ecn_marks", static_cast<double>(r.links.sum("ecn_marks")), "links.csv");
    for (const char *why : {"drops_buffer", "drops_headroom", "drops_error", "drops_link", "trims"})
        same.metric(why, static_cast<double>(r.links.sum(why)), "links.csv");
    if (r.faults.exists()) {
        same.metric("faults", static_cast<double>(r.faults.rows()), "faults.csv");
        same.metric("fault_losses", static_cast<double>(r.faults.sum("lost_packets")),
                    "faults.csv");
    }
    /* Of traffic, which has no ranks that do things, flows count as operations. */
    const auto who = r.summary.find("ranks"), all = r.summary.find("operations");
    const bool traffic =
        who != r.summary.end() && who->second == 0 && all != r.summary.end() && all->second > 0;
    const size_t done = traffic ? r.flows.rows() : r.ops.rows();
    if (r.ops.exists() && !s.jobs) // else flows of some count, those of others do not
        same.metric("operations_done", static_cast<double>(done),
                    traffic ? "flows.csv" : "ops.csv");
    const auto ops = r.summary.find("operations");
    if (finished && !s.jobs && ops != r.summary.end() && ops->second != static_cast<double>(done))
        f.add("sums", "%g operations, %zu rows", ops->second, done);
    for (size_t i = 0; i < r.ops.rows(); i++)
        if (r.ops.ps(i, "ready_ns") > r.ops.ps(i, "start_ns") ||
            r.ops.ps(i, "start_ns") > r.ops.ps(i, "end_ns"))
            f.add("ops", "row %zu begins before it is ready or ends before it begins", i);
    flows(r, f);
    ranks(r, finished, f);
    path(s, r, f);
    pauses(r, f);
}
