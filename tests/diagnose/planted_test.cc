// SPDX-License-Identifier: GPL-2.0-only
// weft diagnose on runs with one planted cause: the first change that it prints undoes the cause.
// WEFT_PLANTED=FROM-TO plays more draws than the first of each kind, also tries the first advice in
// a run of its own and diagnoses each run without its cause. WEFT_PLANTED_PAIRS=FROM-TO plays more
// pairs of causes.
#include "planted.h"

#include "tests/cli/program.h"

#include <jansson.h>

namespace
{

/* Enough on a busy machine as well: no run is sliced, no change left out. */
const char unhurried[] = "900s";

struct Diagnosed {
    bool ok = false, finished = false;
    std::vector<double> measures; // smaller is better
    struct Change {
        std::string what;
        Texts sets; // what was tried
        double ratio;
    };
    std::vector<Change> helpful; // best first
    std::string text;
};

Diagnosed diagnose(const Texts &sets, const std::string &xml, const char *budget,
                   const Texts &changed = {})
{
    TempDir dir;
    std::vector<std::string> args = {"diagnose", "--json", "--budget", budget, "--jobs", "2"};
    if (!xml.empty()) {
        write_file(dir / "scenario.xml", xml);
        args.push_back(dir / "scenario.xml");
    } else {
        for (const std::string &s : sets)
            if (std::none_of(changed.begin(), changed.end(), [&](const std::string &c) {
                    return c.substr(0, c.find('=')) == s.substr(0, s.find('='));
                }))
                args.insert(args.end(), {"--set", s});
    }
    const Said s = weft(with_sets(args, changed), dir / "");
    Diagnosed d;
    d.text = s.out + s.err;
    json_t *root = json_loads(s.out.c_str(), 0, nullptr);
    if ((s.code != 0 && s.code != 5) || !root) // 5: no change was tried
        return d;
    const char *key;
    json_t *value, *run = json_object_get(root, "run");
    d.ok = true;
    json_object_foreach(run, key, value)
    {
        if (std::string(key) == "finished")
            d.finished = json_is_true(value);
        else if (json_is_number(value))
            d.measures.push_back(json_number_value(value));
    }
    size_t i;
    json_array_foreach(json_object_get(root, "changes"), i, value)
    {
        const json_t *ratio = json_object_get(value, "ratio");
        if (!json_is_number(ratio) || json_number_value(ratio) >= 0.98 ||
            json_object_get(value, "second_change"))
            continue;
        Diagnosed::Change change = {
            json_string_value(json_object_get(value, "change")), {}, json_number_value(ratio)};
        size_t k;
        json_t *set;
        json_array_foreach(json_object_get(value, "settings"), k, set)
            change.sets.push_back(json_string_value(set));
        d.helpful.push_back(change);
    }
    json_decref(root);
    return d;
}

// How many times longer the sick run takes; 0: it cannot be told.
double strength(const Diagnosed &healthy, const Diagnosed &sick)
{
    if (!healthy.ok || !sick.ok || !healthy.finished ||
        healthy.measures.size() != sick.measures.size() || healthy.measures.empty())
        return 0;
    if (!sick.finished)
        return 1000;
    double sum = 0;
    for (size_t i = 0; i < sick.measures.size(); i++)
        sum += std::log(sick.measures[i] / healthy.measures[i]);
    return std::exp(sum / static_cast<double>(sick.measures.size()));
}

// The first finding of the report of a run.
std::string first_finding(const Texts &sets, const std::string &xml)
{
    TempDir dir;
    std::vector<std::string> args = {"run", "--out", dir / "o"};
    if (!xml.empty()) {
        write_file(dir / "scenario.xml", xml);
        args.push_back(dir / "scenario.xml");
    } else {
        args = with_sets(args, sets);
    }
    weft(args, dir / "");
    const Said s = weft({"report", dir / "o"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    const std::string page = slurp(dir / "o/report.html");
    const size_t list = page.find("<ol class=\"findings\">"), from = page.find("<li>", list),
                 to = page.find("</li>", from);
    return list == std::string::npos || to == std::string::npos ? "nothing"
                                                                : page.substr(from + 4, to - from);
}

} // namespace

TEST(Planted, TheFirstChangeUndoesTheCause)
{
    unsigned from = 0, to = static_cast<unsigned>(kinds().size());
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    const char *range = getenv("WEFT_PLANTED");
    if (range && sscanf(range, "%u-%u", &from, &to) != 2)
        FAIL() << "WEFT_PLANTED=FROM-TO";
    unsigned played = 0, right = 0, reported = 0, advised = 0, innocent = 0;
    const bool reports = access("/usr/bin/gnuplot", X_OK) == 0;
    for (unsigned n = from; n < to; n++) {
        bool done = false;
        for (unsigned attempt = 0; attempt < 40 && !done; attempt++) {
            const Planted p = Draw(1000 * n + attempt).next(n);
            const Diagnosed healthy = diagnose(p.healthy, p.xml_healthy, "0us");
            const Diagnosed alone = diagnose(p.sick, p.xml_sick, "0us");
            if (strength(healthy, alone) < 1.2)
                continue; // too weak on this fabric, or the two contradict each other
            const Diagnosed sick = diagnose(p.sick, p.xml_sick, unhurried);
            const std::string first = sick.helpful.empty() ? "nothing" : sick.helpful[0].what;
            const bool ok = std::regex_search(first, std::regex(p.kind->cause));
            const std::string finding = reports ? first_finding(p.sick, p.xml_sick) : "";
            const bool told = std::regex_search(
                finding, std::regex(p.kind->report ? p.kind->report : p.kind->cause));
            played++;
            right += ok;
            reported += told;
            if (reports && (range || !told))
                printf("report %s %u, %s: %s\n", told ? "right" : "wrong", n, p.kind->name,
                       finding.c_str());
            done = true;
            if (range) {
                const Diagnosed tried =
                    diagnose(p.sick, p.xml_sick, "0us",
                             sick.helpful.empty() ? Texts{} : sick.helpful[0].sets);
                const double after = alone.finished ? strength(alone, tried) : !tried.finished;
                const bool better = tried.ok && after < 0.98;
                advised += better;
                const Diagnosed without = diagnose(p.healthy, p.xml_healthy, unhurried);
                const std::string named = without.helpful.empty() ? "" : without.helpful[0].what;
                const bool spared = !std::regex_search(named, std::regex(p.kind->cause));
                innocent += spared;
                if (!spared || !better)
                    printf("%u: advice leaves %.2f; without its cause: %s\n", n, after,
                           named.c_str());
            }
            if (range || !ok)
                printf("%s %u, %s: %s on %s, %.2f times as long%s: %s\n", ok ? "right" : "wrong", n,
                       p.kind->name, p.work.c_str(), p.fabric->name, strength(healthy, alone),
                       p.decoy ? ", with a decoy" : "", first.c_str());
        }
        EXPECT_TRUE(done) << kinds()[n % kinds().size()].name << ": no draw is strong enough";
    }
    printf("%u of %u first causes right, %u in the report\n", right, played, reported);
    EXPECT_GE(5 * reported, reports ? 4 * played : 0); // 48 of 60
    EXPECT_GE(20 * right, 19 * played);                // 57 of 60
    if (range) {
        printf("%u first advices help, %u runs without the cause do not name it\n", advised,
               innocent);
        EXPECT_GE(10 * advised, 9 * played); // 54 of 60
        EXPECT_EQ(innocent, played);
    }
}

// Two causes at once, each of which costs 1.1 times beside the other.
TEST(Planted, OfTwoBothAreAmongTheFirstThree)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    unsigned from = 0, to = 4, played = 0, right = 0;
    const char *range = getenv("WEFT_PLANTED_PAIRS");
    if (range && sscanf(range, "%u-%u", &from, &to) != 2)
        FAIL() << "WEFT_PLANTED_PAIRS=FROM-TO";
    for (unsigned n = from; n < to; n++) {
        bool done = false;
        for (unsigned attempt = 0; attempt < 40 && !done; attempt++) {
            Draw draw(77000 + 1000 * n + attempt);
            Planted first = draw.next(7 * n + attempt), both = first;
            const Kind &kind = kinds()[(11 * n + 5 * attempt + 4) % kinds().size()];
            if (!draw.add(both, kind))
                continue;
            Planted second = both; // without the first
            second.sick = first.healthy;
            for (const std::string &s : both.sick)
                if (std::find(first.sick.begin(), first.sick.end(), s) == first.sick.end())
                    second.sick.push_back(s);
            const Diagnosed together = diagnose(both.sick, "", "0us");
            if (strength(diagnose(first.sick, "", "0us"), together) < 1.1 ||
                strength(diagnose(second.sick, "", "0us"), together) < 1.1)
                continue; // one hides the other, or the two contradict each other
            const Diagnosed sick = diagnose(both.sick, "", unhurried);
            bool found[2] = {false, false};
            std::string said;
            for (size_t i = 0; i < sick.helpful.size() && i < 3; i++) {
                const Kind *of[2] = {first.kind, &kind};
                said += "; " + sick.helpful[i].what;
                for (int k = 0; k < 2; k++)
                    found[k] = found[k] ||
                               std::regex_search(sick.helpful[i].what, std::regex(of[k]->cause));
            }
            const bool ok = found[0] && found[1];
            played++;
            right += ok;
            done = true;
            if (range || !ok)
                printf("%s %u, %s and %s: %s on %s%s\n", ok ? "right" : "wrong", n,
                       first.kind->name, kind.name, first.work.c_str(), first.fabric->name,
                       said.c_str());
        }
        EXPECT_TRUE(done) << n << ": no draw has two causes that both cost";
    }
    printf("%u of %u pairs right\n", right, played);
    EXPECT_GE(20 * right, 17 * played);
}

TEST(Planted, NothingWrongNamesNothingPlanted)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    for (const Fabric &f : fabrics()) {
        Texts sets = f.sets;
        const Texts &work = workloads()[1].second;
        sets.insert(sets.end(), work.begin(), work.end());
        sets.push_back("switch.quantum=8KiB"); // given, without effect
        const Diagnosed d = diagnose(sets, "", unhurried);
        ASSERT_TRUE(d.ok) << d.text;
        for (const auto &c : d.helpful)
            EXPECT_EQ(c.what.find("quantum"), std::string::npos) << f.name << ": " << c.what;
    }
}
