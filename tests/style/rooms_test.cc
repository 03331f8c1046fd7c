// SPDX-License-Identifier: GPL-2.0-only
// The rooms of the engine: what each may include, how many files it has, and what it must have.
#include "rooms.h"

namespace
{

TEST(Rooms, IncludeThoseBelowThem)
{
    EXPECT_EQ(joined(wrong_room_includes(project_tree())), "");
}

TEST(Rooms, HaveFewFiles)
{
    for (const auto &r : files_of_rooms(project_tree()))
        EXPECT_LE(r.second, most_files) << r.first;
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

TEST(Rooms, WrongIncludesAreFound)
{
    const SourceTree tree = {
        {engine_folder + "core/a.c", {"#include \"core/b.h\"", "#include \"replay/c.h\""}},
        {engine_folder + "core/b.h", {}},
        {engine_folder + "replay/c.h", {"#include \"core/b.h\""}},
        {engine_folder + "parallel/d.c", {"#include \"core/b.h\"", "#include \"replay/c.h\""}},
        {engine_folder + "engine.c", {"#include \"replay/c.h\""}},
    };
    EXPECT_EQ(wrong_room_includes(tree),
              (Offenders{engine_folder + "core/a.c:2: core includes replay",
                         engine_folder + "parallel/d.c:2: parallel includes replay"}));
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
        if (engine_room_of(f.path) != "core" || !has_extension(f.path, {".def"}))
            continue;
        const size_t slash = f.path.rfind('/') + 1;
        const std::string name = f.path.substr(slash, f.path.rfind('.') - slash);
        lists++;
        EXPECT_TRUE(std::any_of(tree.begin(), tree.end(),
                                [&](const SourceFile &h) {
                                    return engine_room_of(h.path) == "core" &&
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
