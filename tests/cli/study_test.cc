// SPDX-License-Identifier: GPL-2.0-only
// The commands of docs/how-to/congestion-study.md print what stands below them.
#include "program.h"

namespace
{

/* The blocks fenced with ```@p lang, in order. */
std::vector<std::string> blocks(const std::string &page, const std::string &lang)
{
    const std::string open = "\n```" + lang + "\n", close = "\n```\n";
    std::vector<std::string> all;
    for (size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
        at += open.size();
        const size_t end = page.find(close, at);
        if (end == std::string::npos)
            break;
        all.push_back(page.substr(at, end - at) + "\n");
        at = end;
    }
    return all;
}

/* The arguments of a command as a shell would take it apart: blanks, '...' and a backslash at the
 * end of a line. */
std::vector<std::string> arguments(const std::string &command)
{
    std::vector<std::string> all;
    std::string word;
    bool quoted = false, any = false;
    for (char c : command) {
        if (c == '\'') {
            quoted = !quoted;
            any = true;
        } else if (!quoted && (c == ' ' || c == '\n' || c == '\\')) {
            if (any)
                all.push_back(word);
            word.clear();
            any = false;
        } else {
            word += c;
            any = true;
        }
    }
    return all;
}

} // namespace

TEST(Study, CommandsPrintWhatThePageSays)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    const std::string page = slurp(source_dir() + "/docs/how-to/congestion-study.md");
    const auto commands = blocks(page, "sh"), printed = blocks(page, "text");
    ASSERT_EQ(commands.size(), 3u);
    ASSERT_EQ(printed.size(), 3u);
    for (size_t i = 0; i < commands.size(); i++) {
        std::vector<std::string> args = arguments(commands[i]);
        ASSERT_GT(args.size(), 2u);
        EXPECT_EQ(args[0], "weft");
        args.erase(args.begin());
        const Said s = weft(args, dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(s.out, printed[i]) << commands[i];
    }
}
