/* SPDX-License-Identifier: GPL-2.0-only */
#include "source_tree.h"

namespace
{

TEST(SourceTree, BlanksCommentsAndLiterals)
{
    const struct {
        const char *in, *out;
    } cases[] = {
        {"a(1); // exit(1)", "a(1);           "},
        {"a /* b */ c", "a         c"},
        {"s = \"exit(1)\";", "s = \"       \";"},
        {"s = \"a\\\"b\" + c", "s = \"    \" + c"},
        {"c = '\"'; d", "c = ' '; d"},
        {"n = 1'000'000;", "n = 1'000'000;"}, /* digit separators are no characters */
        {"r = R\"(exit(1) \" )\"; x", "r =  \"            \"; x"},
        {"u = \"//\"; y", "u = \"  \"; y"},
    };
    for (const auto &c : cases)
        EXPECT_EQ(code_only({c.in})[0], c.out);
}

TEST(SourceTree, CommentsAndRawStringsSpanLines)
{
    const auto out = code_only({"a /* b", "exit(1)", "c */ d", "R\"x(", "exit(1) )\"", ")x\" e"});
    EXPECT_EQ(out[0], "a     ");
    EXPECT_EQ(out[1], "       ");
    EXPECT_EQ(out[2], "     d");
    EXPECT_EQ(out[4].find("exit"), std::string::npos);
    EXPECT_EQ(out[5].substr(4), "e");
}

TEST(SourceTree, LiesInWholeFolderNamesOnly)
{
    EXPECT_TRUE(lies_in("frontend/net/net.h", "frontend/net"));
    EXPECT_FALSE(lies_in("frontend/network/x.h", "frontend/net"));
    EXPECT_TRUE(lies_in("congestion", "congestion"));
    EXPECT_FALSE(lies_in("cong", "congestion"));
}

TEST(SourceTree, FindsTheProject)
{
    bool base = false, build = false;
    for (const SourceFile &f : project_tree()) {
        base |= f.path == "frontend/base/err.h";
        build |= f.path.find("CMakeCache.txt") != std::string::npos || lies_in(f.path, ".git");
    }
    EXPECT_TRUE(base);
    EXPECT_FALSE(build);
}

} // namespace
