/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every file of code names its licence within its first 5 lines.
 */
#include "source_tree.h"

namespace
{

const size_t first_lines = 5;
const char tag[] = "SPDX-License-Identifier: GPL-2.0-only";

/* Which files carry the line: by the end of their name, or scripts, by how they begin. */
const std::vector<std::string> endings = {".c",     ".h",  ".cc", ".cpp", ".def", ".proto",
                                          ".cmake", ".sh", ".py", ".rng", ".css", ".js"};

/* Clients of `weft serve`, which link nothing of weft, may go with programs of any licence. */
const char *const permissive_folders[] = {"frontend/python/weft", "frontend/adapters/client",
                                          "frontend/adapters/simai"};
const char permissive[] = "SPDX-License-Identifier: MIT";

const char *tag_of(const SourceFile &f)
{
    for (const char *folder : permissive_folders)
        if (lies_in(f.path, folder))
            return permissive;
    return tag;
}

bool carries_licence(const SourceFile &f)
{
    const std::string name = std::filesystem::path(f.path).filename().string();
    return has_extension(f.path, endings) || name == "CMakeLists.txt" ||
           (!f.lines.empty() && f.lines[0].compare(0, 2, "#!") == 0);
}

Offenders without_licence(const SourceTree &tree)
{
    Offenders bad;
    for (const SourceFile &f : tree) {
        if (!carries_licence(f))
            continue;
        bool found = false;
        for (size_t i = 0; i < f.lines.size() && i < first_lines; i++)
            found |= f.lines[i].find(tag_of(f)) != std::string::npos;
        if (!found)
            bad.push_back(at(f, 0, std::string("no \"") + tag_of(f) + "\" in its first lines"));
    }
    return bad;
}

TEST(Spdx, EveryFileNamesItsLicence)
{
    EXPECT_EQ(joined(without_licence(project_tree())), "");
}

TEST(Spdx, AMissingLineIsFound)
{
    const std::string line = std::string("# ") + tag;
    const struct {
        SourceFile file;
        bool good;
    } cases[] = {
        {{"a/x.c", {"/* SPDX-License-Identifier: GPL-2.0-only */", "int x;"}}, true},
        {{"a/x.c", {"int x;"}}, false},
        {{"a/x.c", {}}, false},
        {{"a/x.c", {"/* SPDX-License-Identifier: MIT */"}}, false},
        {{"a/x.h", {"1", "2", "3", "4", line}}, true},
        {{"a/x.h", {"1", "2", "3", "4", "5", line}}, false},
        {{"a/CMakeLists.txt", {"project(x)"}}, false},
        {{"a/x.rng", {"<?xml version=\"1.0\"?>", "<grammar/>"}}, false},
        {{"a/x.rng", {"<?xml version=\"1.0\"?>", std::string("<!-- ") + tag + " -->"}}, true},
        {{"quickstart", {"#!/bin/sh", "make"}}, false},
        {{"quickstart", {"#!/bin/sh", line}}, true},
        {{"frontend/python/weft/x.py", {"# SPDX-License-Identifier: MIT"}}, true},
        {{"frontend/python/weft/x.py", {line}}, false},
        {{"frontend/python/x.py", {"# SPDX-License-Identifier: MIT"}}, false},
        {{"frontend/adapters/client/x.cc", {"/* SPDX-License-Identifier: MIT */"}}, true},
        {{"frontend/adapters/x.cc", {"/* SPDX-License-Identifier: MIT */"}}, false},
        {{"a/notes.md", {"text"}}, true}, /* no code */
        {{"a/data.txt", {"text"}}, true},
    };
    for (const auto &c : cases)
        EXPECT_EQ(without_licence({c.file}).empty(), c.good)
            << c.file.path << " of " << c.file.lines.size() << " lines";
}

} // namespace
