// SPDX-License-Identifier: GPL-2.0-only
// Plays the corpus through every fuzz target, and mutations of it that are the same in every run,
// without libFuzzer.
#include "mutate.h"

#include "../base/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

// For GoogleTest.
static void PrintTo(const weft_fuzz_target &t, std::ostream *os)
{
    *os << t.name;
}

namespace
{

constexpr size_t SIZE_MAX_BYTES = 4096;
constexpr unsigned MUTATIONS = 400;

std::vector<weft_fuzz_target> Targets()
{
    size_t n = 0;
    const weft_fuzz_target *all = weft_fuzz_targets(&n);
    return {all, all + n};
}

/* Files of a target by name. */
std::vector<std::string> Corpus(const weft_fuzz_target &t)
{
    const char *root = getenv("WEFT_SOURCE_DIR");
    std::vector<std::string> files;
    std::error_code none;
    const std::string from(root ? root : ".");
    for (const auto &e :
         std::filesystem::directory_iterator(from + "/tests/fuzz/corpus/" + t.name, none))
        files.push_back(e.path());
    if (t.name == std::string("readers"))
        for (const auto &e :
             std::filesystem::recursive_directory_iterator(from + "/frontend/workload", none))
            if (e.path().parent_path().filename() == "corpus")
                files.push_back(e.path());
    std::sort(files.begin(), files.end());
    return files;
}

/* An exact copy, so that a sanitiser or valgrind sees a read past the end. */
void Play(const weft_fuzz_target &t, const void *data, size_t size)
{
    uint8_t *exact = static_cast<uint8_t *>(malloc(size ? size : 1));
    if (size)
        memcpy(exact, data, size);
    t.run(exact, size);
    free(exact);
}

class Fuzz : public testing::TestWithParam<weft_fuzz_target>
{
};

TEST_P(Fuzz, Corpus)
{
    const std::vector<std::string> files = Corpus(GetParam());
    EXPECT_FALSE(files.empty()) << "no inputs for " << GetParam().name;
    for (const std::string &file : files) {
        SCOPED_TRACE(file);
        const std::string text = slurp(file);
        Play(GetParam(), text.data(), text.size());
    }
    Play(GetParam(), "", 0);
}

TEST_P(Fuzz, Mutations)
{
    std::vector<uint8_t> data(SIZE_MAX_BYTES);
    unsigned seed = 0;
    for (const std::string &file : Corpus(GetParam())) {
        const std::string text = slurp(file);
        size_t size = 0, changed = 0;
        for (unsigned i = 0; i < MUTATIONS; i++) {
            if (i % 8 == 0) { /* a few mutations on top of each other */
                size = std::min(text.size(), SIZE_MAX_BYTES);
                std::memcpy(data.data(), text.data(), size);
            }
            size =
                weft_fuzz_mutate(&GetParam(), data.data(), size, SIZE_MAX_BYTES, seed++, nullptr);
            ASSERT_LE(size, SIZE_MAX_BYTES);
            changed += size != text.size() || std::memcmp(data.data(), text.data(), size) != 0;
            Play(GetParam(), data.data(), size);
        }
        EXPECT_GT(changed, MUTATIONS / 2) << file;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Fuzz, testing::ValuesIn(Targets()),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
