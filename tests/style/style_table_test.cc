// SPDX-License-Identifier: GPL-2.0-only
// Figures of how the code is laid out: files and lines per folder, heaps, heads that say nothing,
// generic names of static functions, private words. The test prints them as one table. style.csv
// holds them: a figure may only fall, and a lower one is to be recorded. Event loops, includes
// against the order of the rooms and circles are counted by rooms_test.cc and circles_test.cc.
#include "includes.h"

#include <iomanip>
#include <iostream>
#include <map>
#include <regex>
#include <set>

namespace
{

// "product-lines,frontend/base" and its figure.
using Figures = std::map<std::string, size_t>;

bool is_product(const std::string &path)
{
    const bool inside = lies_in(path, "frontend") || lies_in(path, "ns3-module") ||
                        lies_in(path, "congestion") || lies_in(path, "topologies");
    return inside && path.find("/test/") == std::string::npos &&
           has_extension(path, {".c", ".h", ".cc", ".def"});
}

// frontend/base, ns3-module/engine, congestion: the folder that lines and words are counted for.
// rooms_test.cc counts the files of the engine's rooms.
std::string room_of(const std::string &path)
{
    const bool two = lies_in(path, "frontend") || lies_in(path, "ns3-module");
    const size_t slash = path.find('/');
    return path.substr(0, two ? path.find('/', slash + 1) : slash);
}

// Words of the project's own for things that the field has a word for (docs/glossary.md).
const std::set<std::string> private_words = {
    "twins",    "lap",     "laps",   "crowd",  "vain",    "tape",   "tapes",  "pouch",  "news",
    "owes",     "strayed", "spared", "crew",   "told",    "tell",   "tells",  "toss",   "trouble",
    "troubles", "seat",    "seats",  "ground", "grounds", "race",   "trail",  "trails", "track",
    "tracks",   "played",  "said",   "asked",  "listens", "absorb", "anyway", "settle", "settled"};

bool is_private(const std::string &name)
{
    std::istringstream parts(name);
    for (std::string part; std::getline(parts, part, '_');)
        if (private_words.count(part))
            return true;
    return false;
}

// Names with a private word that a line declares: of functions, types, fields and variables.
std::vector<std::string> private_names(const std::string &code)
{
    static const std::regex declaration(
        "\\b(?:(?:struct|enum) \\w+|int|unsigned|bool|double|float|char|void|FILE|size_t|"
        "u?int\\d+_t)[ *]+(?:const )?(\\w+)|\\b(?:struct|enum) (\\w+) \\{");
    std::vector<std::string> names;
    for (std::sregex_iterator m(code.begin(), code.end(), declaration), none; m != none; ++m) {
        const std::string name = (*m)[(*m)[1].matched ? 1 : 2];
        if (is_private(name))
            names.push_back(name);
    }
    return names;
}

// Names of static functions; a hook, which an interface names, is set as `.name = name`.
std::set<std::string> statics_of(const SourceFile &f)
{
    static const std::regex definition("^static (?:inline )?[\\w *]*?[ *](\\w+)\\(");
    static const std::regex hook("\\.(\\w+) *= *(\\w+)\\b");
    std::set<std::string> names;
    for (const std::string &line : f.lines) {
        std::smatch m;
        if (line.compare(0, 7, "static ") == 0 && std::regex_search(line, m, definition))
            names.insert(m[1]);
    }
    for (const std::string &line : f.lines)
        for (std::sregex_iterator m(line.begin(), line.end(), hook), none; m != none; ++m)
            if ((*m)[1] == (*m)[2])
                names.erase((*m)[1]);
    return names;
}

Figures figures_of(const SourceTree &tree)
{
    static const std::regex sift("\\b(sift|heap_up|heap_down|raise|sink)\\w*\\(|\\) / [248]\\]");
    static const std::regex see("^(/\\*| \\*) See [\\w/.]+");
    static const std::regex no_memory("^static .*no_memory\\(");
    Figures n;
    std::map<std::string, std::set<std::string>> files_with, names;
    for (const SourceFile &f : tree) {
        if (!is_product(f.path))
            continue;
        const std::string room = room_of(f.path);
        n["product-lines," + room] += f.lines.size();
        n["product-lines,"] += f.lines.size();
        if (!is_code(f.path))
            continue;
        n["files," + room]++;
        for (size_t i = 0; i < f.lines.size() && i < 4; i++)
            n["see-heads,"] += has_extension(f.path, {".c"}) && std::regex_search(f.lines[i], see);
        for (const std::string &line : f.lines)
            n["no-memory,"] += std::regex_search(line, no_memory);
        for (const std::string &name : statics_of(f))
            files_with[name].insert(f.path);
        n["inside-headers,"] += f.path.find("_inside.h") != std::string::npos;
        for (const std::string &code : code_only(f.lines))
            for (const std::string &name : private_names(code))
                names[room].insert(name);
    }
    for (const auto &r : names)
        n["private-words," + r.first] = r.second.size();
    n["generic-statics,"] = static_cast<size_t>(std::count_if(
        files_with.begin(), files_with.end(), [](const auto &f) { return f.second.size() > 3; }));
    return n;
}

Figures recorded_figures()
{
    Figures n;
    std::ifstream in(std::string(getenv("WEFT_SOURCE_DIR")) + "/tests/style/style.csv");
    std::string line;
    std::getline(in, line); // the names of the columns
    while (std::getline(in, line)) {
        const size_t comma = line.rfind(',');
        n[line.substr(0, comma)] = std::stoul(line.substr(comma + 1));
    }
    return n;
}

// All product lines may grow with features by this share of what is recorded before the record is
// to be raised, in the commit that needs them. Lines of a folder are printed, not held.
constexpr double line_slack = 0.05;
constexpr size_t most_commands = 60; // files of frontend/cli

TEST(StyleTable, FiguresDoNotRise)
{
    const Figures now = figures_of(project_tree()), then = recorded_figures();
    std::cout << "what,room,figure\n";
    for (const auto &f : now) {
        std::cout << f.first << "," << f.second << "\n";
        const auto was = then.find(f.first);
        const size_t recorded = was == then.end() ? 0 : was->second;
        const bool lines = f.first.compare(0, 14, "product-lines,") == 0;
        if (f.first.compare(0, 6, "files,") == 0 || (lines && f.first != "product-lines,"))
            continue;
        EXPECT_LE(static_cast<double>(f.second),
                  static_cast<double>(recorded) * (lines ? 1 + line_slack : 1))
            << f.first;
    }
    EXPECT_LE(now.at("files,frontend/cli"), most_commands);
}

TEST(StyleTable, FaultsAreCounted)
{
    const SourceTree tree = {
        {"frontend/base/a.c",
         {"/* See a.h. */", "static int no_memory(void)", "static int add(int tape_seats)", "{"}},
        {"frontend/run/b.c", {"static void add(void)"}},
        {"frontend/run/c.c", {"static void add(void)"}},
        {"topologies/d.c", {"static void add(void)"}},
        {"topologies/e.c", {"static void add(void)", "x = {.add = add};", "bool strayed;"}},
    };
    Figures n = figures_of(tree);
    EXPECT_EQ(n["generic-statics,"], 1u);
    EXPECT_EQ(n["no-memory,"], 1u);
    EXPECT_EQ(n["see-heads,"], 1u);
    EXPECT_EQ(n["private-words,frontend/base"], 1u);
    EXPECT_EQ(n["private-words,topologies"], 1u);
    EXPECT_EQ(n["product-lines,topologies"], 4u);
    EXPECT_EQ(n["files,frontend/run"], 2u);
}

} // namespace
