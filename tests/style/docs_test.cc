/* SPDX-License-Identifier: GPL-2.0-only */
/* The pages point to what there is. */
#include "source_tree.h"

#include <regex>

namespace
{

std::string root()
{
    const char *dir = std::getenv("WEFT_SOURCE_DIR");
    return dir ? dir : ".";
}

std::string text_of(const std::filesystem::path &path)
{
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/* The files that links and words in `...` name and that do not exist; my_... are for the reader to
 * write. */
Offenders dead_ends(const std::string &page, const std::string &text)
{
    static const std::regex link(R"(\]\(([^)#:\s]+)(#[^)]*)?\))");
    static const std::regex word(
        R"(`((congestion|topologies|frontend|ns3-module|tests)/(?!my_)(?:[\w.-]+/)*(?!my_)[\w.-]+\.(c|h|cc|def|csv|txt))`)");
    const auto base = std::filesystem::path(root()) / page;
    Offenders out;
    for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i)
        if (!std::filesystem::exists(base.parent_path() / (*i)[1].str()))
            out.push_back(page + ": link to " + (*i)[1].str());
    for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i)
        if (!std::filesystem::exists(std::filesystem::path(root()) / (*i)[1].str()))
            out.push_back(page + ": no file " + (*i)[1].str());
    return out;
}

TEST(Docs, FindDeadEnds)
{
    EXPECT_EQ(
        dead_ends("docs/x.md", "[a](outputs.md#b) [b](https://x.org/y) `congestion/cc.h`").size(),
        0u);
    EXPECT_EQ(dead_ends("docs/x.md", "[a](no-such-page.md) `congestion/no_such.c`").size(), 2u);
}

TEST(Docs, LinksAndFilesOfEveryPageExist)
{
    Offenders all = dead_ends("README.md", text_of(root() + "/README.md"));
    for (const auto &e : std::filesystem::directory_iterator(root() + "/docs")) {
        if (e.path().extension() != ".md")
            continue;
        const std::string page = "docs/" + e.path().filename().string();
        for (const std::string &x : dead_ends(page, text_of(e.path())))
            all.push_back(x);
    }
    for (const std::string &x : all)
        ADD_FAILURE() << x;
}

} // namespace
