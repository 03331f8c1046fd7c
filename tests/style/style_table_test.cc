// SPDX-License-Identifier: GPL-2.0-only
// Figures of how the code is laid out: files and lines per folder, event loops, heaps, includes
// against the order of folders, circles, heads that say nothing, generic names of static functions,
// private words. The test prints them as one table. style.csv holds them: a figure may only fall,
// and a lower one is to be recorded.
#include "circles.h"
#include "layers.h"
#include "rooms.h"

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
std::string room_of(const std::string &path)
{
    const bool two = lies_in(path, "frontend") || lies_in(path, "ns3-module");
    const size_t slash = path.find('/');
    return path.substr(0, two ? path.find('/', slash + 1) : slash);
}

// words.csv: words of the project's own for things that the field has a word for, that word
// (docs/reference/glossary.md), and the folders where it is private, if it is a word of the field
// elsewhere.
struct PrivateWord {
    std::string term, folders;
};

const std::map<std::string, PrivateWord> &private_words()
{
    static const std::map<std::string, PrivateWord> words = [] {
        std::map<std::string, PrivateWord> m;
        std::ifstream in(std::string(getenv("WEFT_SOURCE_DIR")) + "/tests/style/words.csv");
        std::string line;
        std::getline(in, line); // the names of the columns
        while (std::getline(in, line)) {
            const size_t a = line.find(','), b = line.rfind(',');
            m[line.substr(0, a)] = {line.substr(a + 1, b - a - 1), line.substr(b + 1)};
        }
        return m;
    }();
    return words;
}

// The term of the field for the private word in a name of @p path, "" for none.
std::string term_for(const std::string &path, const std::string &name)
{
    std::istringstream parts(name);
    for (std::string part; std::getline(parts, part, '_');) {
        std::transform(part.begin(), part.end(), part.begin(), ::tolower);
        const auto w = private_words().find(part);
        if (w == private_words().end())
            continue;
        std::istringstream folders(w->second.folders);
        bool there = w->second.folders.empty();
        for (std::string folder; folders >> folder;)
            there |= lies_in(path, folder);
        if (there)
            return w->second.term;
    }
    return "";
}

// Names with a private word that a line declares: of functions, types, fields and variables.
std::vector<std::string> private_names(const std::string &path, const std::string &code)
{
    static const std::regex declaration(
        "\\b(?:(?:struct|enum) \\w+|int|unsigned|bool|double|float|char|void|FILE|size_t|"
        "u?int\\d+_t)[ *]+(?:const )?(\\w+)|\\b(?:struct|enum) (\\w+) \\{");
    std::vector<std::string> names;
    if (std::none_of(private_words().begin(), private_words().end(),
                     [&](const auto &w) { return code.find(w.first) != std::string::npos; }))
        return names; // most lines: the expression is slow
    for (std::sregex_iterator m(code.begin(), code.end(), declaration), none; m != none; ++m) {
        const std::string name = (*m)[(*m)[1].matched ? 1 : 2];
        if (!term_for(path, name).empty())
            names.push_back(name);
    }
    return names;
}

// Whether a file, of these lines of code, has a heap of its own: it goes from an entry to its first
// child, and moves entries.
bool is_heap(const std::vector<std::string> &code)
{
    static const std::regex child("= [248] \\* \\w+ \\+ 1\\b");
    static const std::regex move("(\\w+\\)?)\\[[a-z]\\w*\\] = .*\\1\\[[a-z]\\w*\\];");
    bool goes = false, moves = false;
    for (const std::string &line : code)
        goes |= line.find(" + 1") != std::string::npos && std::regex_search(line, child);
    for (size_t i = 0; goes && !moves && i < code.size(); i++)
        moves = std::regex_search(code[i], move);
    return goes && moves;
}

// Names of static functions; a hook, which an interface names, is set as `.name = name`.
std::set<std::string> statics_of(const SourceFile &f)
{
    static const std::regex definition("^static (?:inline )?[\\w *]*?[ *](\\w+)\\(");
    static const std::regex hook("\\.(\\w+) *= *(\\w+)\\b");
    std::set<std::string> names;
    for (const std::string &line : f.lines) {
        std::smatch m;
        if (line.compare(0, 7, "static ") == 0 && std::regex_search(line, m, definition) &&
            m[1] != "__attribute__")
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
        const std::vector<std::string> code = code_only(f.lines);
        for (const std::string &line : code)
            for (const std::string &name : private_names(f.path, line))
                names[room].insert(name);
        n["heaps,"] += is_heap(code);
    }
    for (const auto &r : files_of_rooms(tree))
        n["files," + engine_folder + r.first] = r.second;
    n["event-loops,"] = event_loops(tree).size();
    n["wrong-includes,engine"] = wrong_room_includes(tree).size();
    n["wrong-includes,layers"] = wrong_arrows(tree).size();
    n["circles,includes"] = Circles(includes_graph(tree)).found.size();
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
    const SourceTree tree = project_tree();
    const char *build = getenv("WEFT_BINARY_DIR");
    ASSERT_NE(build, nullptr) << "WEFT_BINARY_DIR must name the build (ctest sets it)";
    Figures now = figures_of(tree);
    now["circles,calls"] =
        Circles(calls_graph(built_symbols(build, paths_of(tree)), family_files(tree))).found.size();
    const Figures then = recorded_figures();
    std::cout << "what,room,figure\n";
    for (const auto &f : now) {
        std::cout << f.first << "," << f.second << "\n";
        const auto was = then.find(f.first);
        const size_t recorded = was == then.end() ? 0 : was->second;
        const bool lines = f.first.compare(0, 14, "product-lines,") == 0;
        if (f.first.compare(0, 6, "files,") == 0 || (lines && f.first != "product-lines,"))
            continue;
        if (lines)
            EXPECT_LE(static_cast<double>(f.second),
                      static_cast<double>(recorded) * (1 + line_slack));
        else
            EXPECT_EQ(f.second, recorded) << f.first << ": a fall is to be recorded in style.csv";
    }
    EXPECT_LE(now.at("files,frontend/cli"), most_commands);
    for (const auto &r : rooms)
        EXPECT_LE(now.at("files," + engine_folder + r.first), most_files) << r.first;
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
