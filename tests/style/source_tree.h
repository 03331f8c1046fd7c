/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The project's text files as the style tests see them: path from the root, lines, and lines
 * without comments and literals.
 *
 * The tree is read from $WEFT_SOURCE_DIR, or made up by a test that shows that a check can fail.
 * Hidden folders, other than .ci, and build trees (build*, or any folder with a CMakeCache.txt) are
 * no sources.
 */
#ifndef WEFT_TESTS_STYLE_SOURCE_TREE_H
#define WEFT_TESTS_STYLE_SOURCE_TREE_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

struct SourceFile {
    std::string path; /* from the root, with '/' */
    std::vector<std::string> lines;
};

using SourceTree = std::vector<SourceFile>;

/* One violation, printed as "path:line: what". */
using Offenders = std::vector<std::string>;

inline std::string at(const SourceFile &f, size_t line_index, const std::string &what)
{
    return f.path + ":" + std::to_string(line_index + 1) + ": " + what;
}

inline std::vector<std::string> split_lines(const std::string &text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

/* Whether @p path is the folder or file @p prefix or lies in it. */
inline bool lies_in(const std::string &path, const std::string &prefix)
{
    return path.compare(0, prefix.size(), prefix) == 0 &&
           (path.size() == prefix.size() || path[prefix.size()] == '/');
}

inline bool has_extension(const std::string &path, const std::vector<std::string> &extensions)
{
    return std::any_of(extensions.begin(), extensions.end(), [&](const std::string &e) {
        return path.size() > e.size() && path.compare(path.size() - e.size(), e.size(), e) == 0;
    });
}

inline bool is_code(const std::string &path)
{
    return has_extension(path, {".c", ".h", ".cc", ".cpp"});
}

/* Reads every text file below @p root that is smaller than 1 MB. */
inline SourceTree read_tree(const std::filesystem::path &root)
{
    namespace fs = std::filesystem;
    SourceTree tree;
    for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator();
         ++it) {
        const std::string name = it->path().filename().string();
        if (it->is_directory()) {
            if ((name[0] == '.' && name != ".ci") || name.compare(0, 5, "build") == 0 ||
                fs::exists(it->path() / "CMakeCache.txt"))
                it.disable_recursion_pending();
            continue;
        }
        /* .git is a file where the tree is one of several of a repository. */
        if (name == ".git" || !it->is_regular_file() || it->file_size() > 1000000)
            continue;
        std::ifstream in(it->path(), std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        tree.push_back(
            {it->path().lexically_relative(root).generic_string(), split_lines(text.str())});
    }
    std::sort(tree.begin(), tree.end(),
              [](const SourceFile &a, const SourceFile &b) { return a.path < b.path; });
    return tree;
}

/* The tree under test; empty, with a failure recorded, when there is none. */
inline SourceTree project_tree()
{
    const char *root = getenv("WEFT_SOURCE_DIR");
    if (!root || !std::filesystem::exists(std::filesystem::path(root) / "CMakeLists.txt")) {
        ADD_FAILURE() << "WEFT_SOURCE_DIR must name weft's source tree (ctest sets it)";
        return {};
    }
    SourceTree tree = read_tree(root);
    EXPECT_GT(tree.size(), 50u) << "this cannot be the whole tree";
    return tree;
}

/* C or C++ lines with comments and the contents of literals blanked; columns stay where they are.
 */
inline std::vector<std::string> code_only(const std::vector<std::string> &lines)
{
    std::vector<std::string> out;
    bool in_comment = false;
    std::string raw_end; /* what ends the raw string that is open, "" outside of one */
    for (const std::string &line : lines) {
        std::string code(line.size(), ' ');
        for (size_t i = 0; i < line.size(); i++) {
            if (!raw_end.empty()) {
                if (line.compare(i, raw_end.size(), raw_end) == 0) {
                    i += raw_end.size() - 1;
                    code[i] = '"';
                    raw_end.clear();
                }
            } else if (in_comment) {
                if (line.compare(i, 2, "*/") == 0) {
                    in_comment = false;
                    i++;
                }
            } else if (line.compare(i, 2, "/*") == 0) {
                in_comment = true;
                i++;
            } else if (line.compare(i, 2, "//") == 0) {
                break;
            } else if (line.compare(i, 2, "R\"") == 0 &&
                       (i == 0 || !(isalnum(static_cast<unsigned char>(line[i - 1])) ||
                                    line[i - 1] == '_'))) {
                const size_t open = line.find('(', i);
                if (open == std::string::npos)
                    break;
                raw_end = ")" + line.substr(i + 2, open - i - 2) + "\"";
                code[i + 1] = '"';
                i = open;
            } else if (line[i] == '"' ||
                       (line[i] == '\'' &&
                        (i == 0 || !isalnum(static_cast<unsigned char>(line[i - 1]))))) {
                const char quote = line[i];
                code[i] = quote;
                for (i++; i < line.size() && line[i] != quote; i++)
                    i += line[i] == '\\';
                if (i < line.size())
                    code[i] = quote;
            } else {
                code[i] = line[i];
            }
        }
        out.push_back(code);
    }
    return out;
}

inline std::string joined(const Offenders &offenders)
{
    std::string all;
    for (const std::string &o : offenders)
        all += o + "\n";
    return all;
}

#endif
