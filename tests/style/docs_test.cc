/* SPDX-License-Identifier: GPL-2.0-only */
/* The pages point to what there is. */
#include "source_tree.h"

#include <algorithm>
#include <map>
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
        dead_ends("docs/reference/x.md", "[a](outputs.md#b) [b](https://x.org/y) `congestion/cc.h`")
            .size(),
        0u);
    EXPECT_EQ(
        dead_ends("docs/reference/x.md", "[a](no-such-page.md) `congestion/no_such.c`").size(), 2u);
}

/* The pages of the handbook, relative to the root. */
std::vector<std::string> pages()
{
    std::vector<std::string> all;
    for (const auto &e : std::filesystem::recursive_directory_iterator(root() + "/docs"))
        if (e.path().extension() == ".md")
            all.push_back(std::filesystem::relative(e.path(), root()).string());
    std::sort(all.begin(), all.end());
    return all;
}

TEST(Docs, LinksAndFilesOfEveryPageExist)
{
    Offenders all;
    std::vector<std::string> names = pages();
    for (const char *other : {"README.md", "CONTRIBUTING.md", "CHANGES.md"})
        names.push_back(other);
    for (const auto &e : std::filesystem::directory_iterator(root() + "/scenarios"))
        if (std::filesystem::exists(e.path() / "README.md"))
            names.push_back("scenarios/" + e.path().filename().string() + "/README.md");
    for (const std::string &page : names)
        for (const std::string &x : dead_ends(page, text_of(root() + "/" + page)))
            all.push_back(x);
    for (const std::string &x : all)
        ADD_FAILURE() << x;
}

/* Every page lies in the folder of its kind, and the index links it under the heading of the kind.
 */
TEST(Docs, TheIndexHasEveryPageUnderItsKind)
{
    const std::string index = text_of(root() + "/docs/README.md");
    const std::map<std::string, std::string> headings = {{"tutorial", "## Tutorials"},
                                                         {"how-to", "## How-to guides"},
                                                         {"reference", "## Reference"},
                                                         {"explanation", "## Explanation"}};
    for (const std::string &page : pages()) {
        if (page == "docs/README.md")
            continue;
        const std::string path = page.substr(5), kind = path.substr(0, path.find('/'));
        const auto heading = headings.find(kind);
        ASSERT_NE(heading, headings.end()) << page << " is in none of the four folders";
        const size_t begin = index.find(heading->second);
        ASSERT_NE(begin, std::string::npos) << heading->second;
        const std::string section = index.substr(begin, index.find("\n## ", begin + 3) - begin);
        EXPECT_NE(section.find("](" + path + ")"), std::string::npos)
            << page << " is not in docs/README.md under " << heading->second;
    }
}

} // namespace
