// SPDX-License-Identifier: GPL-2.0-only
// campaign: random simulations of the real program, each checked by what must hold of all.
//
//   campaign --weft PROGRAM [--first SEED|commit] [--skip N] [--count N] [--shard I/N] [--folder
//   DIR]
//            [--also PROGRAM] [--also-threads N,N...] [--also-processes N] [--only-also]
//            [--with KEY=VALUE]... [--guard SECONDS] [--plain] [--keep] [--shrink]
//
// Without --first, seeds are always the same, so that what a test finds is due to what was changed;
// "commit" begins at a number that follows from the commit, to look for what is new.
// WEFT_CAMPAIGN_FIRST and WEFT_CAMPAIGN_COUNT say the same. Exit code 1: something was found.
#include "simulate.h"

#include "base/units.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <vector>

namespace
{

[[noreturn]] void usage(const char *why)
{
    fprintf(stderr,
            "campaign: %s\nusage: campaign --weft PROGRAM [--first SEED|commit] [--skip N] "
            "[--count N] "
            "[--shard I/N] "
            "[--folder DIR] [--also PROGRAM] [--also-threads N,N...] [--also-processes N] "
            "[--only-also] [--with KEY=VALUE]... "
            "[--guard SECONDS] [--plain] [--keep] [--shrink]\n",
            why);
    exit(2);
}

uint64_t number(const std::string &text)
{
    uint64_t n = 0;
    weft_err err = {};
    if (weft_parse_u64(text.c_str(), &n, &err))
        usage(err.msg);
    return n;
}

std::vector<uint64_t> numbers(const std::string &text)
{
    std::vector<uint64_t> all;
    for (size_t at = 0; at <= text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        all.push_back(number(text.substr(at, comma - at)));
        at = comma + 1;
    }
    return all;
}

// The first seed of a commit: its first 32 bits, in thousands.
uint64_t seed_of_commit()
{
    const char *source = getenv("WEFT_SOURCE_DIR");
    const std::string dir = source ? source : std::filesystem::current_path().string();
    const Ended e =
        run_guarded({"/usr/bin/env", "git", "-C", dir, "rev-parse", "HEAD"},
                    std::filesystem::temp_directory_path(),
                    "weft-campaign-" + std::to_string(std::filesystem::hash_value(dir)), Guard());
    if (e.code != 0)
        usage("--first commit: this is no checkout");
    return strtoull(e.out.substr(0, 8).c_str(), nullptr, 16) * 1000;
}

uint64_t first_seed(const std::string &text)
{
    return text == "commit" ? seed_of_commit() : number(text);
}

Options options(int argc, char **argv)
{
    Options o;
    const char *first = getenv("WEFT_CAMPAIGN_FIRST"), *count = getenv("WEFT_CAMPAIGN_COUNT");
    if (first)
        o.first = first_seed(first);
    uint64_t skip = 0;
    o.count = count ? number(count) : o.count;
    o.folder = (std::filesystem::temp_directory_path() / "weft-campaign").string();
    for (int i = 1; i < argc; i++) {
        const std::string a = argv[i];
        if (a == "--keep") {
            o.keep = true;
            continue;
        }
        if (a == "--plain") {
            o.plain = true;
            continue;
        }
        if (a == "--only-also") {
            o.only_also = true;
            continue;
        }
        if (a == "--shrink") {
            o.shrink = true;
            continue;
        }
        if (i + 1 == argc)
            usage((a + " takes a value").c_str());
        const char *v = argv[++i];
        if (a == "--weft")
            o.weft = std::filesystem::absolute(v);
        else if (a == "--also")
            o.also = std::filesystem::absolute(v);
        else if (a == "--also-threads")
            o.threads = numbers(v);
        else if (a == "--also-processes")
            o.processes = number(v);
        else if (a == "--folder")
            o.folder = std::filesystem::absolute(v);
        else if (a == "--first")
            o.first = first_seed(v);
        else if (a == "--skip")
            skip = number(v);
        else if (a == "--count")
            o.count = number(v);
        else if (a == "--with" && strchr(v, '='))
            o.with.emplace_back(std::string(v, strchr(v, '=')), strchr(v, '=') + 1);
        else if (a == "--guard")
            o.guard.cpu_s = static_cast<int>(number(v));
        else if (a == "--shard" && strchr(v, '/'))
            o.shard = number(std::string(v, strchr(v, '/'))), o.shards = number(strchr(v, '/') + 1);
        else
            usage(("no option " + a).c_str());
    }
    if (o.weft.empty())
        usage("--weft must be given");
    if (o.shards == 0 || o.shard >= o.shards)
        usage("--shard I/N takes 0/N to N-1/N");
    o.first += skip;
    return o;
}

class Tally
{
  public:
    void add(const Verdict &v)
    {
        m_n++;
        m_runs += v.runs;
        m_cpu_s += v.cpu_s;
        m_codes[v.code]++;
        if (v.code == 3 && !v.refused.empty())
            m_refused[v.refused]++;
        else if (v.code == 3)
            m_unlisted.push_back(std::to_string(v.scenario.seed) + ": " + v.said);
        m_threaded += v.threaded;
        m_together += v.together;
        m_crowded += v.crowded;
        m_shared += v.shared;
        if (v.slow)
            m_slow += " " + std::to_string(v.scenario.seed);
        if (!v.unshared.empty())
            m_unshared[v.unshared]++;
        m_found += !v.findings.all().empty();
        if (v.cpu_s > m_slowest_s) {
            m_slowest_s = v.cpu_s;
            m_slowest = v.scenario.seed;
        }
    }
    // Returns whether all is well.
    bool print() const
    {
        printf("simulations %llu, runs %llu, CPU time %.1f s, slowest seed %llu (%.1f s)\n",
               (unsigned long long)m_n, (unsigned long long)m_runs, m_cpu_s,
               (unsigned long long)m_slowest, m_slowest_s);
        for (const auto &c : m_codes)
            printf("  exit code %d: %llu (%.1f %%)\n", c.first, (unsigned long long)c.second,
                   100.0 * static_cast<double>(c.second) / static_cast<double>(m_n));
        for (const auto &r : m_refused)
            printf("    refused: %s: %llu\n", r.first.c_str(), (unsigned long long)r.second);
        for (const std::string &u : m_unlisted)
            printf("    refused for a reason that is not in refusals.inc: seed %s\n", u.c_str());
        if (m_threaded + m_crowded)
            printf("  runs by threads: %llu, of which %llu shared windows; simulations with too "
                   "many windows for it: %llu\n",
                   (unsigned long long)m_threaded, (unsigned long long)m_together,
                   (unsigned long long)m_crowded);
        print_shared();
        printf("simulations with findings: %llu\n", (unsigned long long)m_found);
        const auto three = m_codes.find(3);
        const uint64_t refused = three == m_codes.end() ? 0 : three->second;
        if (m_n >= 50 && refused * 3 > m_n) {
            printf("more than a third was refused: the generator draws too much that is invalid\n");
            return false;
        }
        if (m_unlisted.size() > 2 + m_n / 50) {
            printf("more than one in fifty was refused for a reason that is not in refusals.inc\n");
            return false;
        }
        return m_found == 0;
    }

  private:
    // How many could be shared out to several processes, and why the others could not.
    void print_shared() const
    {
        uint64_t refused = 0;
        for (const auto &u : m_unshared)
            refused += u.second;
        if (m_shared + refused == 0)
            return;
        printf("  shared out to processes: %llu of %llu (%.1f %%)\n", (unsigned long long)m_shared,
               (unsigned long long)(m_shared + refused),
               100.0 * static_cast<double>(m_shared) / static_cast<double>(m_shared + refused));
        if (!m_slow.empty())
            printf("    took too long by processes: seeds%s\n", m_slow.c_str());
        for (const auto &u : m_unshared)
            printf("    not shared out: %s: %llu\n", u.first.c_str(), (unsigned long long)u.second);
    }
    uint64_t m_shared = 0, m_threaded = 0, m_together = 0, m_crowded = 0;
    std::map<std::string, uint64_t> m_unshared;
    std::string m_slow;
    uint64_t m_n = 0, m_runs = 0, m_found = 0, m_slowest = 0;
    double m_cpu_s = 0, m_slowest_s = 0;
    std::map<int, uint64_t> m_codes;
    std::map<std::string, uint64_t> m_refused;
    std::vector<std::string> m_unlisted;
};

void report(const Options &o, const Verdict &v)
{
    const Scenario &s = v.scenario;
    printf("seed %llu: %zu findings\n", (unsigned long long)s.seed, v.findings.all().size());
    size_t n = 0;
    for (const Finding &f : v.findings.all())
        if (n++ < 6)
            printf("  [%s] %s\n", f.kind.c_str(), f.text.c_str());
    const std::string where = s.files ? "cd " + shell_words({s.dir}) + " && " : "";
    printf("  repeat: %s%s\n", where.c_str(), shell_words(s.command(o.weft)).c_str());
    printf("  check:  campaign --weft %s --first %llu --count 1 --keep%s\n",
           shell_words({o.weft}).c_str(), (unsigned long long)s.seed, o.plain ? " --plain" : "");
    fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    const Options o = options(argc, argv);
    setenv("WEFT_NO_FALLBACK", "1", 1); // what replay or threads did not foresee is a finding
    std::filesystem::create_directories(o.folder);
    printf("seeds %llu to %llu, shard %llu of %llu\n", (unsigned long long)o.first,
           (unsigned long long)(o.first + o.count - 1), (unsigned long long)o.shard,
           (unsigned long long)o.shards);
    fflush(stdout);
    const std::string asked = o.folder + "/shard-" + std::to_string(o.shard);
    std::filesystem::create_directories(asked);
    Tables tables(o.weft, asked);
    Tally tally;
    for (uint64_t i = o.shard; i < o.count; i += o.shards) {
        Verdict v = simulate(o, tables, o.first + i);
        tally.add(v);
        if (!v.findings.all().empty()) {
            if (o.shrink)
                v = shrink(o, tables, v);
            report(o, v);
        } else if (!o.keep) {
            std::filesystem::remove_all(v.scenario.dir);
        }
    }
    return tally.print() ? 0 : 1;
}
