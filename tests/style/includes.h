/* SPDX-License-Identifier: GPL-2.0-only */
/* What the project's files include. */
#ifndef WEFT_TESTS_STYLE_INCLUDES_H
#define WEFT_TESTS_STYLE_INCLUDES_H

#include "source_tree.h"

#include <set>

struct Include {
    size_t line;
    std::string name;
};

inline std::vector<Include> includes_of(const SourceFile &f)
{
    std::vector<Include> found;
    for (size_t i = 0; i < f.lines.size(); i++) {
        const std::string &s = f.lines[i];
        size_t p = s.find_first_not_of(" \t");
        if (p == std::string::npos || s[p] != '#')
            continue;
        p = s.find_first_not_of(" \t", p + 1);
        if (p == std::string::npos || s.compare(p, 7, "include") != 0)
            continue;
        const size_t open = s.find_first_of("\"<", p + 7);
        if (open == std::string::npos)
            continue;
        const size_t close = s.find(s[open] == '<' ? '>' : '"', open + 1);
        if (close != std::string::npos)
            found.push_back({i, s.substr(open + 1, close - open - 1)});
    }
    return found;
}

inline std::set<std::string> paths_of(const SourceTree &tree)
{
    std::set<std::string> paths;
    for (const SourceFile &f : tree)
        paths.insert(f.path);
    return paths;
}

/* The file of the tree that an include leads to, "" for one that is not in it. */
inline std::string included_path(const SourceFile &from, const std::string &name,
                                 const std::set<std::string> &paths)
{
    namespace fs = std::filesystem;
    const std::string folder = fs::path(from.path).parent_path().generic_string();
    for (const std::string &start :
         {folder, std::string(), std::string("frontend"), std::string("ns3-module/engine")}) {
        const std::string path = (fs::path(start) / name).lexically_normal().generic_string();
        if (paths.count(path))
            return path;
    }
    return "";
}

#endif
