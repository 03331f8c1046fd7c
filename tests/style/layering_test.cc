/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may include whom. Arrows point one way, as the table in layers.h says; everything else of
 * weft's, and of ns-3's, is an offence.
 */
#include "includes.h"
#include "layers.h"

#include <cstring>

namespace
{

/* Folders whose code becomes a library: there ns-3's headers are included one by one. */
const std::vector<std::string> libraries = {"frontend", congestion, topologies, engine,
                                            model,      helper,     bridge};

Offenders module_headers(const SourceTree &tree)
{
    Offenders bad;
    for (const SourceFile &f : tree) {
        const bool library = std::any_of(libraries.begin(), libraries.end(),
                                         [&](const std::string &l) { return lies_in(f.path, l); });
        if (!is_code(f.path) || !library)
            continue;
        for (const Include &i : includes_of(f))
            if (i.name.compare(0, 4, "ns3/") == 0 && has_extension(i.name, {"-module.h"}))
                bad.push_back(at(f, i.line, "library code includes all of " + i.name));
    }
    return bad;
}

TEST(Layering, ArrowsPointOneWay)
{
    EXPECT_EQ(joined(wrong_arrows(project_tree())), "");
}

TEST(Layering, LibrariesIncludeNoWholeModule)
{
    EXPECT_EQ(joined(module_headers(project_tree())), "");
}

TEST(Layering, EveryCodeFolderHasALayer)
{
    Offenders bad;
    for (const SourceFile &f : project_tree())
        for (const char *top : {"frontend", "congestion", "topologies", "ns3-module"})
            if (is_code(f.path) && lies_in(f.path, top) && layer_of(f.path).empty())
                bad.push_back(f.path + ": its folder has no row in the table of layers");
    EXPECT_EQ(joined(bad), "");
}

TEST(Layering, TheTableHasNoCycle)
{
    /* Take away layers that depend on nothing left, until none is left. */
    auto rest = arrows;
    rest[ns3] = {};
    for (bool progress = true; progress && !rest.empty();) {
        progress = false;
        for (auto it = rest.begin(); it != rest.end();) {
            const bool ground =
                std::none_of(it->second.begin(), it->second.end(),
                             [&](const std::string &to) { return rest.count(to) > 0; });
            progress |= ground;
            it = ground ? rest.erase(it) : std::next(it);
        }
    }
    EXPECT_TRUE(rest.empty()) << rest.begin()->first << " lies on a cycle";
}

TEST(Layering, WrongIncludesAreFound)
{
    const struct {
        const char *path, *include;
        bool allowed;
    } cases[] = {
        {"frontend/base/x.c", "#include \"base/err.h\"", true},
        {"frontend/base/x.c", "#include \"net/net.h\"", false},
        {"frontend/system/x.c", "#include <ns3/simulator.h>", false},
        {"frontend/system/x.c", "#include \"ns3-module/engine/engine.h\"", false},
        {"frontend/system/x.c", "  #  include \"../../ns3-module/engine/engine.h\"", false},
        {"frontend/system/x.c", "#include \"../net/net.h\"", true},
        {"frontend/system/x.c", "#include <stdio.h>", true},
        {"frontend/system/x.c", "#include <sys/stat.h>", true},
        {"frontend/workload/x.c", "#include \"system/system.h\"", false},
        {"frontend/net/x.c", "#include \"workload/generated.pb-c.h\"", false},
        {"frontend/cli/x.c", "#include \"ns3/simulator.h\"", false},
        {"frontend/cli/main.c", "#include \"ns3-module/bridge/weft_bridge.h\"", true},
        {"congestion/x.c", "#include \"congestion/cc.h\"", true},
        {"congestion/x.c", "#include \"topologies/fabric.h\"", false},
        {"topologies/x.c", "#include \"scenario/scenario.h\"", false},
        {"ns3-module/engine/x.c", "#include \"ns3/packet.h\"", false},
        {"ns3-module/engine/x.c", "#include \"net/net.h\"", false},
        {"ns3-module/engine/x.c", "#include \"engine.h\"", true},
        {"ns3-module/model/x.cc", "#include \"ns3/packet.h\"", true},
        {"ns3-module/model/x.cc", "#include \"net/net.h\"", false},
        {"ns3-module/bridge/x.cc", "#include \"net/net.h\"", true},
        {"ns3-module/bridge/x.cc", "#include \"system/system.h\"", false},
        {"tests/base/x.cc", "#include \"ns3/packet.h\"", true},
    };
    for (const auto &c : cases) {
        const SourceTree tree = {{c.path, {"/* header */", c.include}},
                                 {"frontend/net/net.h", {}},
                                 {"frontend/system/system.h", {}},
                                 {"ns3-module/engine/engine.h", {}}};
        const Offenders bad = wrong_arrows(tree);
        EXPECT_EQ(bad.empty(), c.allowed) << c.path << " " << c.include;
        if (!bad.empty()) {
            EXPECT_EQ(bad[0].substr(0, strlen(c.path) + 4), std::string(c.path) + ":2: ");
        }
    }
}

TEST(Layering, WholeModulesAreFound)
{
    const std::vector<std::string> lines = {"#include \"ns3/network-module.h\""};
    EXPECT_EQ(module_headers({{"ns3-module/model/a.cc", lines}}).size(), 1u);
    EXPECT_EQ(module_headers({{"ns3-module/helper/a.h", lines}}).size(), 1u);
    EXPECT_EQ(module_headers({{"ns3-module/examples/a.cc", lines}}).size(), 0u);
    EXPECT_EQ(module_headers({{"ns3-module/model/a.cc", {"#include \"ns3/node.h\""}}}).size(), 0u);
}

} // namespace
