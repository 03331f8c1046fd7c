/* SPDX-License-Identifier: GPL-2.0-only */
// How hard the pages of the handbook are to read, against the limits below. prose.csv has the pages
// that are above one, with their measures: these may only fall, and a page within the limits loses
// its row.
#include "prose.h"

#include <cstring>
#include <iomanip>
#include <iostream>
#include <map>

namespace
{

constexpr double most_mean = 17, most_over_30 = 6, most_vague = 4;
constexpr size_t most_words = 2500, most_in_all = 65000; // of the handbook

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

struct Row {
    size_t words = most_words; /* of the whole page, written by hand */
    double mean = most_mean, over_30 = most_over_30, vague = most_vague;
};

double rounded(double x)
{
    return std::stod([&] {
        std::ostringstream s;
        s << std::fixed << std::setprecision(1) << x;
        return s.str();
    }());
}

Row row_of(const std::string &text)
{
    const Prose p = measure(text);
    return {hand_written_words(text), rounded(p.mean()), rounded(p.over_30_pct()),
            p.vague > 1 ? rounded(p.vague_pct()) : 0};
}

std::map<std::string, std::string> pages()
{
    std::map<std::string, std::string> all;
    for (const char *page : {"README.md", "CHANGES.md", "contrib-patches/README.md"})
        all[page] = text_of(root() + "/" + page);
    for (const auto &e : std::filesystem::recursive_directory_iterator(root() + "/docs"))
        if (e.path().extension() == ".md")
            all[std::filesystem::relative(e.path(), root()).string()] = text_of(e.path());
    return all;
}

std::map<std::string, Row> recorded()
{
    std::map<std::string, Row> rows;
    std::ifstream in(root() + "/tests/style/prose.csv");
    std::string line;
    std::getline(in, line); // the names of the columns
    while (std::getline(in, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream cells(line);
        std::string page;
        Row r;
        cells >> page >> r.words >> r.mean >> r.over_30 >> r.vague;
        EXPECT_FALSE(cells.fail()) << line;
        rows[page] = r;
    }
    return rows;
}

std::string row_text(const std::string &page, const Row &r)
{
    std::ostringstream s;
    s << std::fixed << std::setprecision(1) << page << "," << r.words << "," << r.mean << ","
      << r.over_30 << "," << r.vague;
    return s.str();
}

TEST(Prose, PagesAreWithinTheLimits)
{
    const auto rows = recorded();
    const auto all = pages();
    size_t words = 0;
    for (const auto &p : all) {
        const Row now = row_of(p.second);
        if (p.first == "README.md" || p.first.rfind("docs/", 0) == 0)
            words += now.words;
        const bool within = now.words <= most_words && now.mean <= most_mean &&
                            now.over_30 <= most_over_30 && now.vague <= most_vague;
        const auto row = rows.find(p.first);
        if (row == rows.end()) {
            EXPECT_TRUE(within) << row_text(p.first, now)
                                << ": words, mean words per sentence, % above 30 words, % that "
                                   "begin without a noun; at most "
                                << row_text("", Row());
            continue;
        }
        EXPECT_FALSE(within) << "take the row out of tests/style/prose.csv: " << p.first;
        EXPECT_TRUE(now.words <= std::max(row->second.words, most_words) &&
                    now.mean <= std::max(row->second.mean, most_mean) &&
                    now.over_30 <= std::max(row->second.over_30, most_over_30) &&
                    now.vague <= std::max(row->second.vague, most_vague))
            << row_text(p.first, now) << " is above its row in tests/style/prose.csv";
    }
    for (const auto &r : rows)
        EXPECT_TRUE(r.first == "all" || all.count(r.first)) << "no page: " << r.first;
    std::cout << words << " words written by hand\n";
    const auto sum = rows.find("all");
    EXPECT_LE(words, sum == rows.end() ? most_in_all : std::max(sum->second.words, most_in_all));
    EXPECT_TRUE(sum == rows.end() || words > most_in_all) << "take the row `all` out";
}

TEST(Prose, CountsSentences)
{
    const std::string page = "# A heading. Of two\n\nA page has `code spans`, e.g. this, and a "
                             "number of 1.5 ms. It ends here! (A third [link text](x.md).)\n"
                             "* One item: The second half\n* No. 7\n\n| a | b |\n```\ncode here. "
                             "Not counted\n```\n1. What follows is **vague** and a __name__.\n";
    const auto s = sentences_of(page);
    std::vector<size_t> words;
    for (const Sentence &x : s)
        words.push_back(x.words);
    EXPECT_EQ(words, (std::vector<size_t>{12, 3, 4, 2, 3, 2, 7}));
    EXPECT_EQ(s[0].line, 3u);
    EXPECT_EQ(s[0].text, "A page has CODE, e.g this, and a number of 15 ms.");
    const Prose p = measure(page);
    EXPECT_EQ(p.vague, 3u); // It, One, What
    EXPECT_EQ(p.over_30, 0u);
    std::string long_one = "Words";
    for (int i = 0; i < 30; i++)
        long_one += " more";
    EXPECT_EQ(measure(long_one).over_30, 1u);
    EXPECT_EQ(hand_written_words(
                  "a b\n<!-- made: x -->\nc d\n<!-- end -->\n| e | - |\n```out\nf\n```\ng\n"),
              4u);
}

/* The tool beside the sources, where there is one, says the same of every page. */
TEST(Prose, AgreesWithTheToolOfReviews)
{
    const char *shared = std::getenv("WEFT_SHARED");
    const std::string tool = std::string(shared ? shared : "../shared") + "/tools/prose";
    if (!std::filesystem::exists(tool) || std::system("python3 -c 1 2>/dev/null") != 0)
        GTEST_SKIP() << "no " << tool;
    FILE *out = popen(("cd '" + root() + "' && python3 '" + tool +
                       "' $(find README.md CHANGES.md contrib-patches docs -name "
                       "'*.md' | sort) 2>&1")
                          .c_str(),
                      "r");
    ASSERT_TRUE(out);
    char line[1024];
    const auto all = pages();
    size_t seen = 0;
    while (fgets(line, sizeof(line), out)) {
        char page[512];
        size_t words;
        double mean, over;
        if (sscanf(line, "%511s %zu words mean %lf over 30: %lf", page, &words, &mean, &over) !=
                4 ||
            !all.count(page))
            continue;
        const Prose p = measure(all.at(page));
        EXPECT_EQ(p.words, words) << page;
        EXPECT_NEAR(p.mean(), mean, 0.051) << page;
        EXPECT_NEAR(p.over_30_pct(), over, 0.051) << page;
        seen++;
    }
    EXPECT_EQ(pclose(out), 0);
    EXPECT_GT(seen, 40u);
}

} // namespace
