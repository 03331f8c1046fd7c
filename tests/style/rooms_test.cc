// SPDX-License-Identifier: GPL-2.0-only
// The rooms of the engine: what each may include, and how many files it has. What does not hold yet
// is counted in rooms.csv; a count may only fall, and a lower one is to be recorded.
#include "includes.h"

#include <fstream>
#include <map>
#include <regex>

namespace
{

const std::string engine_folder = "ns3-module/engine/";
constexpr size_t most_files = 45;

/* Rooms, and those that each may include. */
const std::map<std::string, std::set<std::string>> rooms = {
    {"core", {}},
    {"balance", {"core"}},
    {"switch", {"core", "balance"}},
    {"transport", {"core", "balance", "switch"}},
    {"observe", {"core", "switch", "transport", "balance"}},
    {"parallel", {"core"}},
    {"replay", {"core"}},
};

/* The room of a path from the root, "" for none. */
std::string room_of(const std::string &path)
{
    if (path.compare(0, engine_folder.size(), engine_folder) != 0)
        return "";
    const std::string rest = path.substr(engine_folder.size());
    const size_t slash = rest.find('/');
    return slash == std::string::npos ? "" : rest.substr(0, slash);
}

/* Lines of rooms.csv: "includes,core,parallel" and "files,parallel," with how many. */
using Counts = std::map<std::string, size_t>;

Counts counts_of(const SourceTree &tree)
{
    const std::set<std::string> paths = paths_of(tree);
    Counts files, counts;
    for (const SourceFile &f : tree) {
        const std::string from = room_of(f.path);
        const auto room = rooms.find(from);
        if (room == rooms.end() || !is_code(f.path))
            continue;
        files["files," + from + ","]++;
        for (const Include &i : includes_of(f)) {
            const std::string to = room_of(included_path(f, i.name, paths));
            if (rooms.count(to) && to != from && !room->second.count(to))
                counts["includes," + from + "," + to]++;
        }
    }
    for (const auto &f : files)
        if (f.second > most_files)
            counts.insert(f);
    return counts;
}

Counts recorded()
{
    Counts counts;
    std::ifstream in(std::string(getenv("WEFT_SOURCE_DIR")) + "/tests/style/rooms.csv");
    std::string line;
    std::getline(in, line); /* the names of the columns */
    while (std::getline(in, line)) {
        const size_t comma = line.rfind(',');
        counts[line.substr(0, comma)] = std::stoul(line.substr(comma + 1));
    }
    return counts;
}

TEST(Rooms, IncludesAndFilesAreThoseRecorded)
{
    const Counts now = counts_of(project_tree()), then = recorded();
    for (const auto &c : now) {
        const auto was = then.find(c.first);
        EXPECT_EQ(c.second, was == then.end() ? 0 : was->second) << c.first << "," << c.second;
    }
    for (const auto &c : then)
        EXPECT_TRUE(now.count(c.first)) << c.first << " is mended: delete its line";
}

TEST(Rooms, EachHasAReadmeAndEveryFolderIsARoom)
{
    namespace fs = std::filesystem;
    const fs::path root = fs::path(getenv("WEFT_SOURCE_DIR")) / engine_folder;
    for (const auto &e : fs::directory_iterator(root))
        if (e.is_directory() && e.path().filename() != "params") {
            EXPECT_TRUE(rooms.count(e.path().filename().string())) << e.path();
            EXPECT_TRUE(fs::exists(e.path() / "README.md")) << e.path();
        }
}

/* Functions that loop over events: with a loop, and a call of what executes an event. */
Offenders event_loops(const SourceTree &tree)
{
    const std::regex loop("\\b(for|while) ?\\("),
        executes("\\b(agenda_run|agenda_run_key|agenda_run_slow|port_arrive|port_due|timer_fire|"
                 "rc_rto|rc_cc_timer|pfc_event|grant_due)\\(|\\brun\\(e, ctx, &ev\\)");
    Offenders found;
    for (const SourceFile &f : tree) {
        if (!lies_in(f.path, engine_folder.substr(0, engine_folder.size() - 1)) || !is_code(f.path))
            continue;
        bool loops = false, runs = false;
        const std::vector<std::string> lines = code_only(f.lines);
        for (size_t i = 0; i < lines.size(); i++) {
            loops = lines[i] != "{" && (loops || std::regex_search(lines[i], loop));
            runs = lines[i] != "{" && (runs || std::regex_search(lines[i], executes));
            if (lines[i] == "}" && loops && runs)
                found.push_back(at(f, i, "an event loop ends"));
        }
    }
    return found;
}

TEST(Rooms, EngineHasOneEventLoop)
{
    const Offenders found = event_loops(project_tree());
    EXPECT_EQ(found.size(), 1u) << joined(found);
    const SourceTree other = {
        {engine_folder + "parallel/a.c",
         {"static void f(void)", "{", "    while (due())", "        port_arrive(e, port);", "}",
          "static void g(void)", "{", "    port_arrive(e, port);", "}"}},
    };
    EXPECT_EQ(event_loops(other), Offenders{engine_folder + "parallel/a.c:5: an event loop ends"});
}

TEST(Rooms, WrongIncludesAreCounted)
{
    const SourceTree tree = {
        {engine_folder + "core/a.c", {"#include \"core/b.h\"", "#include \"replay/c.h\""}},
        {engine_folder + "core/b.h", {}},
        {engine_folder + "replay/c.h", {"#include \"core/b.h\""}},
        {engine_folder + "engine.c", {"#include \"replay/c.h\""}},
    };
    EXPECT_EQ(counts_of(tree), (Counts{{"includes,core,replay", 1}}));
}

/* Whether struct @p name in @p header has members besides those of its list of fields. */
bool has_unlisted_members(const SourceFile &header, const std::string &name)
{
    bool in = false;
    for (const std::string &line : header.lines) {
        if (line == "struct " + name + " {")
            in = true;
        else if (in && line[0] == '}')
            return false;
        else if (in && line[0] != '#')
            return true;
    }
    return true; /* it is not there */
}

TEST(Rooms, RecordsAreMadeOfTheirListsOfFields)
{
    const SourceTree tree = project_tree();
    size_t lists = 0;
    for (const SourceFile &f : tree) {
        if (room_of(f.path) != "core" || !has_extension(f.path, {".def"}))
            continue;
        const size_t slash = f.path.rfind('/') + 1;
        const std::string name = f.path.substr(slash, f.path.rfind('.') - slash);
        lists++;
        EXPECT_TRUE(std::any_of(tree.begin(), tree.end(),
                                [&](const SourceFile &h) {
                                    return room_of(h.path) == "core" &&
                                           has_extension(h.path, {".h"}) &&
                                           !has_unlisted_members(h, name);
                                }))
            << "struct " << name << " has members that are not in " << f.path;
    }
    EXPECT_GE(lists, 10u);
    EXPECT_TRUE(
        has_unlisted_members({"", {"struct a {", "#include \"a.def\"", "    int b;", "};"}}, "a"));
}

} // namespace
