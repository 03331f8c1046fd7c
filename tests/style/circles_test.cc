/* SPDX-License-Identifier: GPL-2.0-only */
/* No circles between files: neither of includes, nor of calls. One file owns a state, and those
 * that it calls do not call it back. */
#include "circles.h"

namespace
{

TEST(Circles, NoFileIncludesItselfThroughOthers)
{
    EXPECT_EQ(joined(circles_of(includes_graph(project_tree()))), "");
}

TEST(Circles, NoFileIsCalledBackByThoseItCalls)
{
    const char *build = getenv("WEFT_BINARY_DIR");
    ASSERT_NE(build, nullptr) << "WEFT_BINARY_DIR must name the build (ctest sets it)";
    const std::vector<Symbol> symbols = built_symbols(build, paths_of(project_tree()));
    ASSERT_GT(symbols.size(), 1000u) << "no object files in " << build << ": build weft first";
    const bool ns3 =
        std::filesystem::exists(std::string(build) + "/ns3-module/CMakeFiles/weft_ns3_objects.dir");
    for (const std::string &folder : without_call_circles)
        EXPECT_TRUE((!ns3 && (folder == "ns3-module/model" || folder == "ns3-module/helper")) ||
                    std::any_of(symbols.begin(), symbols.end(),
                                [&](const Symbol &s) { return lies_in(s.file, folder); }))
            << "no object files of " << folder;
    EXPECT_EQ(joined(circles_of(calls_graph(symbols, family_files(project_tree())))), "");
}

TEST(Circles, CallbacksOfTheCoreAreListed)
{
    std::set<std::string> found;
    for (const SourceFile &f : project_tree()) {
        if (!lies_in(f.path, "ns3-module/engine/core"))
            continue;
        for (const std::string &line : f.lines) {
            const size_t end = line.find("_ops {");
            if (line.compare(0, 7, "struct ") == 0 && end != std::string::npos)
                found.insert(line.substr(7, end + 4 - 7));
        }
    }
    EXPECT_EQ(found, registered_callbacks);
}

/* Symbols that files of the engine outside @p room need of it, but for those of @p other, which a
 * build without the room has, too. */
Offenders used_from_outside(const std::vector<Symbol> &symbols, const std::string &room,
                            const std::set<std::string> &other = {})
{
    const std::string engine = "ns3-module/engine/";
    std::set<std::string> own;
    Offenders bad;
    for (const Symbol &s : symbols)
        if (lies_in(s.file, engine + room) && s.type != 'U' && !other.count(s.name))
            own.insert(s.name);
    for (const Symbol &s : symbols)
        if (s.type == 'U' && own.count(s.name) && lies_in(s.file, "ns3-module/engine") &&
            !lies_in(s.file, engine + room))
            bad.push_back(s.file + " needs " + s.name + " of " + room);
    return bad;
}

/* -DWEFT_REPLAY=OFF builds the engine without the folder. */
TEST(Circles, TheEngineLinksWithoutReplay)
{
    const char *build = getenv("WEFT_BINARY_DIR");
    ASSERT_NE(build, nullptr) << "WEFT_BINARY_DIR must name the build (ctest sets it)";
    const std::vector<Symbol> symbols = built_symbols(build, paths_of(project_tree()));
    EXPECT_EQ(joined(used_from_outside(symbols, "replay")), "");
    const std::vector<Symbol> wrong = {{"ns3-module/engine/replay/a.c", "f", 'T'},
                                       {"ns3-module/engine/replay/b.c", "f", 'U'},
                                       {"ns3-module/engine/core/c.c", "f", 'U'}};
    EXPECT_EQ(used_from_outside(wrong, "replay").size(), 1u);
}

/* -DWEFT_PARALLEL=OFF does, with parallel_none.c in its place. */
TEST(Circles, TheEngineLinksWithoutParallel)
{
    const char *build = getenv("WEFT_BINARY_DIR");
    ASSERT_NE(build, nullptr) << "WEFT_BINARY_DIR must name the build (ctest sets it)";
    EXPECT_EQ(joined(used_from_outside(built_symbols(build, paths_of(project_tree())), "parallel",
                                       {"engine_executor"})),
              "");
}

TEST(Circles, AreFound)
{
    const SourceTree tree = {{"frontend/net/a.h", {"#include \"net/b.h\""}},
                             {"frontend/net/b.h", {"#include \"c.h\""}},
                             {"frontend/net/c.h", {"#include \"a.h\""}},
                             {"frontend/net/a.c", {"#include \"a.h\""}}};
    EXPECT_EQ(circles_of(includes_graph(tree)).size(), 1u + 3u);
    const std::vector<Symbol> calls = {{"a.c", "f", 'T'}, {"a.c", "g", 'U'}, {"b.c", "g", 'T'},
                                       {"b.c", "h", 'U'}, {"c.c", "h", 'T'}, {"c.c", "f", 'U'}};
    EXPECT_EQ(circles_of(calls_graph(calls)).size(), 1u + 3u);
    std::vector<Symbol> data = calls; /* what c.c needs of a.c is an object, not a function */
    data[0].type = 'R';
    EXPECT_EQ(circles_of(calls_graph(data)).size(), 1u + 3u);
    EXPECT_EQ(joined(circles_of(calls_graph(data, {"c.c"}))), "");
    EXPECT_EQ(source_of("frontend/base/CMakeFiles/weft_base.dir/err.c.o"), "frontend/base/err.c");
    EXPECT_EQ(source_of("frontend/workload/CMakeFiles/weft_workload.dir/training/plan.c.o"),
              "frontend/workload/training/plan.c");
    EXPECT_EQ(source_of("frontend/cli/weft"), "");
}

} // namespace
