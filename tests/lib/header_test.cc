/* SPDX-License-Identifier: GPL-2.0-only */
/* weft.h by itself, and what libweft.so exports for others. */
#include "frontend/lib/weft.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace
{

std::set<std::string> matches(const std::string &text, const std::string &pattern)
{
    const std::regex form(pattern);
    std::set<std::string> found;
    for (std::sregex_iterator i(text.begin(), text.end(), form), end; i != end; ++i)
        found.insert((*i)[1]);
    return found;
}

std::string text_of(const std::string &path)
{
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(LibHeader, EachFunctionHasAVersionInTheMap)
{
    const std::string folder = std::string(getenv("WEFT_SOURCE_DIR")) + "/frontend/lib/";
    const std::set<std::string> declared =
        matches(text_of(folder + "weft.h"), "\n[a-z_0-9 *]*?\\b(weft_sim_[a-z]+(?:_[a-z]+)?)\\(");
    EXPECT_EQ(declared, matches(text_of(folder + "libweft.map"), "\n    (weft_sim_[a-z_]+);"));
    EXPECT_GE(declared.size(), 19u);
}

TEST(LibHeader, VersionsAgree)
{
    EXPECT_EQ(weft_sim_abi(), static_cast<uint32_t>(WEFT_SIM_ABI));
    EXPECT_STRNE(weft_sim_version(), "");
}

TEST(LibHeader, SizesOfRecordsAreThoseOfTheFirstVersion)
{
    EXPECT_EQ(sizeof(weft_event), 64u);
    EXPECT_EQ(sizeof(weft_send), 56u);
    EXPECT_EQ(sizeof(weft_recv), 24u);
    EXPECT_EQ(sizeof(weft_stats), 152u);
    EXPECT_EQ(sizeof(weft_link_stats), 112u);
    EXPECT_EQ(sizeof(weft_sim_options), 48u);
    EXPECT_EQ(sizeof(weft_error), 1404u);
}

} // namespace
