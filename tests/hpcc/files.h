// SPDX-License-Identifier: GPL-2.0-only
// Input files of a test, and the outside data it may use.
#ifndef WEFT_TESTS_HPCC_FILES_H
#define WEFT_TESTS_HPCC_FILES_H

#include "base/err.h"
#include "tests/base/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

/* A file with these contents, as long as the object lives. */
class TextFile
{
  public:
    explicit TextFile(const std::string &text) : path(m_dir / "input.txt")
    {
        std::ofstream(path, std::ios::binary) << text;
    }

  private:
    TempDir m_dir;

  public:
    const std::string path;
};

/* "line:col: message" of an error. */
inline std::string where(const weft_err &e)
{
    return std::to_string(e.line) + ":" + std::to_string(e.col) + ": " + e.msg;
}

/* Folder of the shared data, "" when there is none. */
inline std::string shared_data()
{
    const char *root = getenv("WEFT_SHARED");
    const std::string path = std::string(root ? root : "") + "/data";
    return std::filesystem::is_directory(path + "/reference") ? path : "";
}

/* The folders of all reference cases, in order of name. */
inline std::vector<std::string> reference_cases()
{
    std::vector<std::string> found;
    const std::string data = shared_data();
    if (!data.empty())
        for (const auto &e : std::filesystem::directory_iterator(data + "/reference"))
            if (e.is_directory())
                found.push_back(e.path().string());
    std::sort(found.begin(), found.end());
    return found;
}

#define NEEDS_SHARED_DATA()                                                                        \
    do {                                                                                           \
        if (shared_data().empty())                                                                 \
            GTEST_SKIP() << "no shared data: set WEFT_SHARED";                                     \
    } while (0)

#endif
