// SPDX-License-Identifier: GPL-2.0-only
// docs/reference/chakra.md has the attributes that convert_node.c reads, and no others.
#include "tests/base/temp_dir.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace
{

std::set<std::string> Found(const std::string &text, const std::regex &what)
{
    std::set<std::string> all;
    for (std::sregex_iterator i(text.begin(), text.end(), what), end; i != end; ++i)
        all.insert((*i)[1]);
    return all;
}

} // namespace

TEST(ChakraDoc, HasTheAttributesThatAreRead)
{
    const char *root = getenv("WEFT_SOURCE_DIR");
    ASSERT_NE(root, nullptr);
    const std::string doc = slurp(std::string(root) + "/docs/reference/chakra.md");
    const std::string code = slurp(std::string(root) + "/frontend/workload/convert_node.c");
    ASSERT_FALSE(doc.empty());
    // Names of attributes in calls that look them up.
    const std::set<std::string> read = Found(
        code, std::regex("\"((?:comm|any|is_cpu|num|tensor|pg|involved|duration|cpu)_[a-z_]+)\""));
    EXPECT_GE(read.size(), 15u);
    const size_t from = doc.find("## Attributes"), to = doc.find("## Kinds of nodes");
    ASSERT_NE(from, std::string::npos);
    const std::string section = doc.substr(from, to - from);
    std::set<std::string> told;
    const std::regex row("\n\\| (`[^|]*)\\|");
    for (const std::string &cell : Found(section, row))
        for (const std::string &name : Found(cell, std::regex("`([a-z_]+)`")))
            told.insert(name);
    EXPECT_EQ(told, read);
}
