// SPDX-License-Identifier: GPL-2.0-only
#include "tables.h"

#include "process.h"

#include "base/units.h"

#include <jansson.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

std::string Tables::ask(const std::vector<std::string> &args)
{
    std::vector<std::string> argv = {m_weft};
    argv.insert(argv.end(), args.begin(), args.end());
    const Ended e = run_guarded(argv, m_dir, "ask", Guard());
    if (e.code != 0) {
        fprintf(stderr, "campaign: %s: exit code %d\n%s", shell_words(argv).c_str(), e.code,
                e.err.c_str());
        exit(2);
    }
    return e.out;
}

const std::vector<std::string> &Tables::names(const std::string &what)
{
    std::vector<std::string> &all = m_names[what];
    if (!all.empty())
        return all;
    json_t *doc = json_loads(ask({"list", what, "--json"}).c_str(), 0, nullptr);
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(doc, what.c_str()), i, item)
    {
        all.push_back(json_string_value(json_object_get(item, "name")));
    }
    json_decref(doc);
    return all;
}

const std::vector<std::string> &Tables::presets()
{
    std::vector<std::string> &all = m_names["/presets"];
    if (all.empty()) {
        std::istringstream lines(ask({"topology", "presets"}));
        for (std::string line; std::getline(lines, line);)
            all.push_back(line.substr(0, line.find(' ')));
    }
    return all;
}

const std::vector<std::string> &Tables::offers(const std::string &algorithm)
{
    const auto found = m_offers.find(algorithm);
    if (found != m_offers.end())
        return found->second;
    std::vector<std::string> &all = m_offers[algorithm];
    for (const char *kind : {"gather", "all-to-all", "reduce-scatter"}) {
        const Ended e =
            run_guarded({m_weft, "check", "--set", "topology.type=single-switch", "--set",
                         "workload.type=generate", "--set", std::string("generate.kind=") + kind,
                         "--set", std::string("system.") + kind + "=" + algorithm},
                        m_dir, "ask", Guard());
        const size_t does = std::min(e.err.rfind(" does "), e.err.rfind(" do "));
        if (e.code != 3 || does == std::string::npos)
            continue;
        std::istringstream words(e.err.substr(does + 4));
        for (std::string word; words >> word;)
            all.push_back(word.substr(0, word.find_first_of(",;:")));
        break;
    }
    return all;
}

static std::string text(json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

const std::vector<Param> &Tables::params(const std::string &what, const std::string &name)
{
    auto found = m_params.find(what + "/" + name);
    if (found != m_params.end())
        return found->second;
    std::vector<Param> &all = m_params[what + "/" + name];
    json_t *doc = json_loads(ask({"show", what, name, "--json"}).c_str(), 0, nullptr);
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(doc, "parameters"), i, item)
    {
        Param p = {text(item, "name"),
                   text(item, "type"),
                   text(item, "default"),
                   text(item, "min"),
                   text(item, "max"),
                   text(item, "help"),
                   {}};
        std::istringstream choices(text(item, "choices"));
        for (std::string word; std::getline(choices, word, '|');)
            p.choices.push_back(word);
        all.push_back(p);
    }
    json_decref(doc);
    return all;
}

const Param &Tables::param(const std::string &what, const std::string &name, const std::string &key)
{
    for (const Param &p : params(what, name))
        if (p.name == key)
            return p;
    fprintf(stderr, "campaign: %s %s has no parameter %s\n", what.c_str(), name.c_str(),
            key.c_str());
    exit(2);
}

/* ---- values ---- */

namespace
{

// How numbers of a type are read and written, and what is tried of a range without an upper end.
struct Kind {
    const char *type, *unit;
    bool (*read)(const char *, uint64_t *);
    uint64_t open_end;
};

bool read_time(const char *t, uint64_t *out)
{
    int64_t ps;
    weft_err err = {};
    const bool ok = weft_parse_time_ps(t, &ps, &err) == 0;
    *out = ok ? static_cast<uint64_t>(ps) : 0;
    return ok;
}
bool read_size(const char *t, uint64_t *out)
{
    weft_err err = {};
    return weft_parse_size_bytes(t, out, &err) == 0;
}
bool read_rate(const char *t, uint64_t *out)
{
    weft_err err = {};
    return weft_parse_rate_bps(t, out, &err) == 0;
}
bool read_count(const char *t, uint64_t *out)
{
    weft_err err = {};
    return weft_parse_u64(t, out, &err) == 0;
}

const Kind kinds[] = {
    {"count", "", read_count, 1000},
    {"size", "B", read_size, 1U << 22},
    {"time", "ps", read_time, 1000000000},
    {"rate", "bps", read_rate, 1600000000000U},
};

std::string any_ratio(Draw &d, const Param &p)
{
    weft_err err = {};
    double lo = 0, hi = 1;
    if (!p.min.empty())
        weft_parse_f64(p.min.c_str(), &lo, &err);
    hi = lo + 1;
    if (!p.max.empty())
        weft_parse_f64(p.max.c_str(), &hi, &err);
    const unsigned how = static_cast<unsigned>(d.below(5));
    const double v = how == 0 ? lo : how == 1 ? hi : lo + (hi - lo) * d.unit() * d.unit();
    char buf[WEFT_UNIT_TEXT_MAX];
    return how == 2 ? p.dflt : weft_format_f64(v, buf);
}

std::string any_number(Draw &d, const Param &p, const Kind &k, uint64_t most)
{
    uint64_t lo = 0, hi = k.open_end, dflt = 0;
    if (!p.min.empty())
        k.read(p.min.c_str(), &lo);
    if (!p.max.empty())
        k.read(p.max.c_str(), &hi);
    hi = hi < most ? hi : most;
    hi = hi < lo ? lo : hi;
    const bool known = !p.dflt.empty() && k.read(p.dflt.c_str(), &dflt);
    uint64_t v;
    switch (d.below(8)) {
    case 0:
        v = lo;
        break;
    case 1:
        v = hi;
        break;
    case 2:
        v = lo + 1 <= hi ? lo + 1 : hi;
        break;
    case 3:
        v = known && dflt >= lo && dflt <= hi ? dflt : lo;
        break;
    case 4: // around the default: what is likely to matter
    case 5:
        v = known && dflt > lo
                ? d.magnitude(dflt / 16 < lo ? lo : dflt / 16, dflt > hi / 16 ? hi : dflt * 16)
                : d.magnitude(lo, hi);
        break;
    default:
        v = d.magnitude(lo, hi);
    }
    return std::to_string(v) + k.unit;
}

} // namespace

std::string any_count(Draw &d, const Param &p, uint64_t most)
{
    for (const Kind &k : kinds)
        if (p.type == k.type)
            return any_number(d, p, k, most);
    return p.dflt;
}

std::string any_value(Draw &d, const Param &p)
{
    if (p.type == "bool")
        return d.chance(50) ? "true" : "false";
    if (p.type == "choice")
        return d.of(p.choices);
    if (p.type == "ratio")
        return any_ratio(d, p);
    for (const Kind &k : kinds)
        if (p.type == k.type)
            return any_number(d, p, k, UINT64_MAX);
    return "";
}
