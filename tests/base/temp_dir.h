/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory that exists as long as a test, and the contents of a file as a string.
 */
#ifndef WEFT_TESTS_BASE_TEMP_DIR_H
#define WEFT_TESTS_BASE_TEMP_DIR_H

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

class TempDir
{
  public:
    TempDir()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "weft-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            abort();
        m_path = pattern;
    }
    ~TempDir()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TempDir(const TempDir &) = delete;
    TempDir &operator=(const TempDir &) = delete;
    std::string operator/(const std::string &name) const
    {
        return m_path + "/" + name;
    }

  private:
    std::string m_path;
};

inline std::string slurp(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
}

/* What a test writes to a FILE*, as a string. */
class MemoryFile
{
  public:
    MemoryFile() : f(open_memstream(&m_data, &m_size)) {}
    ~MemoryFile()
    {
        fclose(f);
        free(m_data);
    }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;
    std::string text()
    {
        fflush(f);
        return std::string(m_data, m_size);
    }

  private:
    char *m_data = nullptr;
    size_t m_size = 0;

  public:
    FILE *f;
};

#endif
