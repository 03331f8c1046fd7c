// SPDX-License-Identifier: GPL-2.0-only
#include "simulate.h"

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace
{

// OpenMPI's, for more processes than processors; to MPICH these variables are nothing.
const std::vector<std::string> mpirun = {"/usr/bin/env",
                                         "OMPI_ALLOW_RUN_AS_ROOT=1",
                                         "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                         "OMPI_MCA_rmaps_base_oversubscribe=1",
                                         "OMPI_MCA_hwloc_base_binding_policy=none",
                                         "OMPI_MCA_orte_execute_quiet=1",
                                         "mpirun",
                                         "-n"};

// Repetitions are looked for however little there is to gain.
const std::vector<std::string> eagerly = {"--set", "run.replay=exact", "--set",
                                          "run.replay-eager=true"};

class Player
{
  public:
    Player(const Options &o, Tables &t, Verdict &v) : m_o(o), m_tables(t), m_v(v) {}
    Ended play(const std::string &mode, const std::vector<std::string> &more,
               const std::string &program, const Scenario &s) const
    {
        return play(mode, more, program, s, 0, m_o.guard);
    }
    Ended play(const std::string &mode, const std::vector<std::string> &more,
               const std::string &program, const Scenario &s, uint64_t processes,
               const Guard &guard) const
    {
        std::vector<std::string> argv = s.command(program);
        if (processes)
            argv.insert(argv.begin(), mpirun.begin(), mpirun.end());
        if (processes)
            argv.insert(argv.begin() + static_cast<long>(mpirun.size()), std::to_string(processes));
        argv.insert(argv.end(), more.begin(), more.end());
        const std::string folder = "out-" + mode;
        argv.insert(argv.end(), {"--out", folder});
        if (!s.hpcc) // what takes long says how far it is
            argv.insert(argv.end(), {"--progress", "never"});
        fs::remove_all(s.dir + "/" + folder);
        const Ended e = run_guarded(argv, s.dir, folder + "-said", guard);
        m_v.cpu_s += e.cpu_s;
        m_v.runs++;
        return e;
    }
    // Some modes are for a share of the seeds.
    bool share(unsigned pct, uint64_t salt) const
    {
        return Draw(m_v.scenario.seed * 31 + salt).chance(pct);
    }
    Ended alike(const std::string &mode, const std::vector<std::string> &more,
                const std::string &program, const Ended &first) const
    {
        const Ended e = play(mode, more, program, m_v.scenario);
        compare(mode, e, first);
        return e;
    }
    // Another program, which may lack ns-3.
    void also(const Ended &first) const
    {
        const Ended e = play("also", {}, m_o.also, m_v.scenario);
        if (e.err.find("needs ns-3, and this weft is built without it") == std::string::npos)
            compare("also", e, first);
    }
    void compare(const std::string &mode, const Ended &e, const Ended &first) const
    {
        const Scenario &s = m_v.scenario;
        check_ending(mode, e, m_v.findings);
        check_same(mode, first, s.dir + "/out-first", e, s.dir + "/out-" + mode, m_v.findings);
        if (e.code == first.code && (e.code == 0 || e.code == 1))
            check_same_summary(mode, s.dir + "/out-first", s.dir + "/out-" + mode, m_v.findings);
    }
    // Each window is shared, however little there is in it; a barrier for each: some 200,000 of
    // 200 ns at most, but more where links are shorter. What takes too long so is played as usual.
    void threads(const Ended &first, const Results &r) const
    {
        const auto elapsed = r.summary.find("elapsed_ns");
        const uint64_t seed = m_v.scenario.seed;
        std::vector<uint64_t> numbers = m_o.threads;
        if (numbers.empty() && share(30, 3) && m_v.scenario.get("transport.type") != "tcp")
            numbers.push_back(seed % 5 ? 1 + seed % 5 : 0);
        if (numbers.empty())
            return;
        m_v.crowded = first.cpu_s >= m_o.guard.cpu_s / 200.0 || elapsed == r.summary.end() ||
                      elapsed->second >= 40e6;
        if (m_v.crowded)
            return;
        const bool eager = share(60, 5) && m_v.scenario.get("run.victims").empty();
        for (uint64_t n : numbers) {
            const std::string number = n ? std::to_string(n) : "auto"; // changes at random
            std::vector<std::string> sets = {"--set", "run.threads=" + number, "--set",
                                             "run.thread-shuffle=" + std::to_string(seed)};
            if (eager)
                sets.insert(sets.end(), eagerly.begin(), eagerly.end());
            const std::string mode = "threads-" + number;
            Guard guard = m_o.guard;
            guard.cpu_s = guard.cpu_s / 6 + 1;
            Ended e = play(mode, sets, m_o.weft, m_v.scenario, 0, guard);
            m_v.crowded |= e.guarded;
            if (e.guarded)
                e = play(mode, {"--set", "run.threads=" + number}, m_o.weft, m_v.scenario);
            compare(mode, e, first);
            m_v.threaded++;
            m_v.together += e.err.find("run.threads had no effect") == std::string::npos;
        }
    }
    // Several processes give the same bytes, also where one of them does it alone and says why.
    // Where links between them are short they are slow, as they exchange at each window.
    void processes(const Ended &first) const
    {
        const Scenario &s = m_v.scenario;
        Guard guard = m_o.guard;
        guard.cpu_s = guard.cpu_s / 6 + 1;
        Ended e = play("processes", {}, m_o.weft, s, m_o.processes, guard);
        m_v.slow = e.guarded;
        if (m_v.slow)
            return;
        const std::string note =
            "weft: warning: 1 of " + std::to_string(m_o.processes) + " processes does this alone: ";
        const size_t at = e.err.find(note);
        if (at != std::string::npos) {
            const size_t why = at + note.size(), end = std::min(e.err.find('\n', at), e.err.size());
            m_v.unshared = e.err.substr(why, std::min<size_t>(end - why, 140));
            e.err.erase(at, end + 1 - at);
        }
        m_v.shared = at == std::string::npos && e.code != 3;
        check_ending("processes", e, m_v.findings);
        check_same("processes", first, s.dir + "/out-first", e, s.dir + "/out-processes",
                   m_v.findings);
        check_same_summary("processes", s.dir + "/out-first", s.dir + "/out-processes",
                           m_v.findings);
    }
    // What has settled is skipped: the results are not the same, unless that leaves no trace, but
    // obey the same laws.
    void settled() const
    {
        const Scenario &s = m_v.scenario;
        const Ended e = play("settled", {"--set", "run.replay=1%"}, m_o.weft, s);
        check_ending("settled", e, m_v.findings);
        if (e.code != 0) {
            m_v.findings.add("settled", "exit code %d with run.replay=1%%, 0 without\n%.400s",
                             e.code, e.err.c_str());
            return;
        }
        settled_by_threads(e);
        const Results r(s.dir + "/out-settled");
        check_sums(s, r, true, m_v.findings);
        check_links(s, r, true, m_v.findings);
        check_physics(s, r, m_v.findings);
        const auto bound = r.summary.find("replay_error_bound");
        if (bound != r.summary.end() && bound->second < 1e-9)
            check_traceless(s.dir + "/out-first", s.dir + "/out-settled", m_v.findings);
    }
    // What is skipped is the same by any number of threads.
    void settled_by_threads(const Ended &by_one) const
    {
        const Scenario &s = m_v.scenario;
        if (m_v.crowded || !share(50, 7) || s.get("transport.type") == "tcp")
            return;
        Guard guard = m_o.guard;
        guard.cpu_s = guard.cpu_s / 6 + 1;
        const Ended e = play("settled-threads",
                             {"--set", "run.replay=1%", "--set",
                              "run.threads=" + std::to_string(2 + s.seed % 2), "--set",
                              "run.thread-shuffle=" + std::to_string(s.seed)},
                             m_o.weft, s, 0, guard);
        if (e.guarded)
            return;
        check_ending("settled-threads", e, m_v.findings);
        check_same("settled-threads", by_one, s.dir + "/out-settled", e,
                   s.dir + "/out-settled-threads", m_v.findings);
    }
    void ideal(const Results &packet) const
    {
        Scenario s = m_v.scenario;
        static const std::vector<std::string> packets = {
            "transport", "switch", "pfc",   "ecn", "credit", "in-network",
            "uet",       "tcp",    "fault", "ns3", "sample", "capture"};
        for (const std::string &section : packets)
            for (const Param &param : m_tables.params("section", section))
                s.drop(section + "." + param.name);
        for (const std::string &cc : m_tables.names("cc"))
            for (const Param &param : m_tables.params("cc", cc))
                s.drop(cc + "." + param.name);
        s.drop("congestion-control.name");
        s.drop("run.victims");
        s.put("network.backend", "ideal");
        if (s.get("system.inter-dimension") == "themis") /* it plans by whether messages meet */
            s.put("ideal.contention", "source");
        const Ended e = play("ideal", {}, m_o.weft, s);
        check_ending("ideal", e, m_v.findings);
        const Results r(s.dir + "/out-ideal");
        if (e.code == 0) {
            check_sums(s, r, true, m_v.findings);
            check_ideal(packet, r, m_v.findings);
        }
    }
    // `weft check` refuses what `weft run` refuses.
    void check(const Ended &first) const
    {
        const Scenario &s = m_v.scenario;
        std::vector<std::string> argv = s.command(m_o.weft);
        argv[1] = "check";
        const Ended e = run_guarded(argv, s.dir, "check-said", m_o.guard);
        m_v.runs++;
        if ((e.code == 3) != (first.code == 3))
            m_v.findings.add("check", "weft check: exit code %d, weft run: %d\n%.400s", e.code,
                             first.code, (e.code == 3 ? e.err : first.err).c_str());
    }

  private:
    const Options &m_o;
    Tables &m_tables;
    Verdict &m_v;
};

} // namespace

Verdict judge(const Options &o, Tables &tables, Scenario scenario)
{
    Verdict v;
    v.scenario = std::move(scenario);
    const Scenario &s = v.scenario;
    const Player p(o, tables, v);
    const Ended first = p.play("first", {"--set", "run.threads=1"}, o.weft, s);
    v.code = first.code;
    check_ending("first", first, v.findings);
    if (!s.hpcc && (first.code == 3 || p.share(10, 1)))
        p.check(first);
    if (first.code == 3) {
        v.refused = refusal(first.err);
        const size_t at = std::min(first.err.find("error: "), first.err.size());
        v.said = first.err.substr(at, first.err.find('\n', at) - at);
    }
    if (first.code != 0 && first.code != 1)
        return v;
    const Results r(s.dir + "/out-first");
    const bool finished = first.code == 0;
    check_sums(s, r, finished, v.findings);
    check_links(s, r, finished, v.findings);
    check_physics(s, r, v.findings);
    if (first.cpu_s >
        o.guard.cpu_s / 15.0) // the other modes, several times slower, would not end in time
        return v;
    if (o.processes)
        p.processes(first);
    if (!o.only_also || !o.threads.empty())
        p.threads(first, r);
    if (!o.also.empty())
        p.also(first);
    if (o.only_also)
        return v;
    // ns-3's own simulator, and each packet simulated: by default repetitions are taken over
    std::vector<std::string> off = {"--set", "run.replay=off"};
    const bool tcp = s.mixed || s.get("transport.type") == "tcp" || !s.get("tcp.prios").empty();
    const bool watched = !s.get("sample.what").empty() || !s.get("run.victims").empty();
    if (!tcp || !watched) // ns-3's does not say what comes next: TCP has timers
        off.insert(off.end(), {"--set", "ns3.simulator-impl=default"}); // of minutes to be sampled
    p.alike("default", off, o.weft, first);
    if (p.share(20, 2) && s.get("transport.type") != "tcp" && !s.mixed &&
        s.get("capture.links").empty()) // no frames of ns-3's stack
        p.alike("captured", {"--set", "capture.links=all"}, o.weft, first);
    if (p.share(70, 4) && s.get("run.victims").empty()) // which exact leaves out
        p.alike("replayed", eagerly, o.weft, first);
    if (finished && !s.hpcc && p.share(40, 6) && s.get("run.victims").empty())
        p.settled();
    if (finished && !s.hpcc)
        p.ideal(r);
    return v;
}

Verdict simulate(const Options &o, Tables &tables, uint64_t seed)
{
    const std::string dir = o.folder + "/" + std::to_string(seed);
    fs::remove_all(dir);
    return judge(o, tables, make_scenario(tables, o.weft, o.with, o.plain, seed, dir));
}

static bool still(const Verdict &v, const std::string &kind)
{
    for (const Finding &f : v.findings.all())
        if (f.kind == kind)
            return true;
    return false;
}

Verdict shrink(const Options &o, Tables &tables, Verdict v)
{
    if (v.findings.all().empty())
        return v;
    const std::string kind = v.findings.all()[0].kind;
    bool less = true;
    while (less) {
        less = false;
        for (size_t i = v.scenario.set.size(); i-- > 0;) {
            Scenario s = v.scenario;
            s.set.erase(s.set.begin() + static_cast<long>(i));
            Verdict smaller = judge(o, tables, s);
            if (still(smaller, kind)) {
                v = smaller;
                less = true;
            }
        }
    }
    return judge(o, tables, v.scenario); // the folder holds the results of the smallest
}
