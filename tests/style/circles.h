/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Circles between files: of includes, and of calls.
 *
 * Calls are read off the object files of the build: a function that one file uses and another one
 * defines, or a table of functions, which counts like these. What a family's table names of its
 * members (`.def` files, and those listed here) is data: who reaches a function through it does not
 * count as its caller, as with callbacks that are registered at run time; those that the core of
 * the engine declares are listed.
 */
#ifndef WEFT_TESTS_STYLE_CIRCLES_H
#define WEFT_TESTS_STYLE_CIRCLES_H

#include "includes.h"

#include <cstdio>
#include <map>

/* From each file to those that it needs, with what for. */
using Graph = std::map<std::string, std::map<std::string, std::string>>;

/* The folders whose files make no circle of calls. */
inline const std::vector<std::string> without_call_circles = {
    "frontend",          "topologies",       "congestion",       "ns3-module/engine",
    "ns3-module/bridge", "ns3-module/model", "ns3-module/helper"};

/* Tables of families that no .def file lists: a member per kind of operation, and per table of a
 * run folder. */
inline const std::set<std::string> family_tables = {"weft_op_table", "weft_csv_files"};

/* Structs of functions that core declares, and other rooms register when an engine is made. */
inline const std::set<std::string> registered_callbacks = {"extension_ops", "port_ops",
                                                           "timer_ops"};

/* Tarjan: sets of more than one node that reach each other. */
class Circles
{
  public:
    explicit Circles(const Graph &g) : graph(g)
    {
        for (const auto &node : g)
            if (!number.count(node.first))
                visit(node.first);
    }
    std::vector<std::vector<std::string>> found;

  private:
    void visit(const std::string &v)
    {
        const size_t mine = number[v] = low[v] = number.size();
        stack.push_back(v);
        open.insert(v);
        const auto edges = graph.find(v);
        if (edges != graph.end())
            for (const auto &e : edges->second) {
                if (!number.count(e.first))
                    visit(e.first);
                if (open.count(e.first))
                    low[v] = std::min(low[v], low[e.first]);
            }
        if (low[v] != mine)
            return;
        std::vector<std::string> circle;
        std::string last;
        do {
            last = stack.back();
            stack.pop_back();
            open.erase(last);
            circle.push_back(last);
        } while (last != v);
        if (circle.size() > 1)
            found.push_back(circle);
    }
    const Graph &graph;
    std::map<std::string, size_t> number, low;
    std::vector<std::string> stack;
    std::set<std::string> open;
};

/* One line per edge of a circle. */
inline Offenders circles_of(const Graph &g)
{
    Offenders bad;
    for (const auto &circle : Circles(g).found) {
        const std::set<std::string> in(circle.begin(), circle.end());
        bad.push_back("a circle of " + std::to_string(circle.size()) + " files:");
        for (const std::string &from : in)
            for (const auto &e : g.at(from))
                if (in.count(e.first))
                    bad.push_back("  " + from + " -> " + e.first + " " + e.second);
    }
    return bad;
}

inline Graph includes_graph(const SourceTree &tree)
{
    const std::set<std::string> paths = paths_of(tree);
    Graph g;
    for (const SourceFile &f : tree) {
        if (!is_code(f.path))
            continue;
        g[f.path];
        for (const Include &i : includes_of(f)) {
            const std::string to = included_path(f, i.name, paths);
            if (!to.empty() && is_code(to) && to != f.path)
                g[f.path][to] = "line " + std::to_string(i.line + 1);
        }
    }
    return g;
}

/* A line of nm -P: a symbol of an object file. */
struct Symbol {
    std::string file, name;
    char type; /* as nm writes it: U is used, T and W are defined functions */
};

/* Symbols of functions, and of objects. Inline functions of C++ are defined in every file. */
inline bool is_function(const Symbol &s)
{
    return s.type == 'T' || (s.type == 'W' && has_extension(s.file, {".c"}));
}
inline bool is_object(const Symbol &s)
{
    return s.type == 'R' || s.type == 'D' || s.type == 'B';
}

/* @p families: files whose objects of other files are members of a family. */
inline Graph calls_graph(const std::vector<Symbol> &symbols,
                         const std::set<std::string> &families = {})
{
    std::map<std::string, std::string> owner;
    std::set<std::string> objects;
    Graph g;
    for (const Symbol &s : symbols)
        if (is_function(s) || (is_object(s) && !family_tables.count(s.name))) {
            owner[s.name] = s.file;
            if (is_object(s))
                objects.insert(s.name);
        }
    for (const Symbol &s : symbols) {
        g[s.file];
        const auto to = owner.find(s.name);
        const bool member = families.count(s.file) && objects.count(s.name);
        if (s.type == 'U' && to != owner.end() && to->second != s.file && !member) {
            std::string &what = g[s.file][to->second];
            what += (what.empty() ? "" : ", ") + s.name;
        }
    }
    return g;
}

/* "frontend/base/CMakeFiles/weft_base.dir/err.c.o" is of "frontend/base/err.c". */
inline std::string source_of(const std::string &object)
{
    const size_t a = object.find("CMakeFiles/");
    const size_t b = a == std::string::npos ? a : object.find(".dir/", a);
    if (b == std::string::npos || !has_extension(object, {".c.o", ".cc.o"}))
        return "";
    return object.substr(0, a) + object.substr(b + 5, object.size() - b - 7);
}

/* The symbols of all object files whose source is in the tree. */
inline std::vector<Symbol> built_symbols(const std::filesystem::path &build,
                                         const std::set<std::string> &paths)
{
    std::vector<Symbol> symbols;
    std::string command = "nm -P -A";
    std::map<std::string, std::string> source;
    std::set<std::string> seen;
    for (const char *folder : {"frontend", "topologies", "congestion", "ns3-module"}) {
        if (!std::filesystem::exists(build / folder))
            continue;
        for (const auto &e : std::filesystem::recursive_directory_iterator(build / folder)) {
            const std::string path = source_of(e.path().lexically_relative(build).generic_string());
            const bool ours =
                std::any_of(without_call_circles.begin(), without_call_circles.end(),
                            [&](const std::string &within) { return lies_in(path, within); });
            if (!paths.count(path) || !ours || !seen.insert(path).second)
                continue;
            source[e.path().string()] = path;
            command += " '" + e.path().string() + "'";
        }
    }
    FILE *pipe = source.empty() ? nullptr : popen(command.c_str(), "r");
    if (!pipe)
        return symbols;
    char line[4096];
    while (fgets(line, sizeof line, pipe)) {
        std::istringstream words(line);
        std::string file, name, type;
        if (words >> file >> name >> type && !file.empty() &&
            source.count(file.substr(0, file.size() - 1)))
            symbols.push_back({source[file.substr(0, file.size() - 1)], name, type[0]});
    }
    pclose(pipe);
    return symbols;
}

/* The files that include a family's table. */
inline std::set<std::string> family_files(const SourceTree &tree)
{
    std::set<std::string> families;
    for (const SourceFile &f : tree)
        for (const Include &i : includes_of(f))
            if (has_extension(i.name, {".def"}))
                families.insert(f.path);
    return families;
}

#endif
