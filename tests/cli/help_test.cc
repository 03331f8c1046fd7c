// SPDX-License-Identifier: GPL-2.0-only
// Man pages, completion and explain, which are made from the tables of commands and parameters.
#include "program.h"

#include <regex>

namespace
{

std::vector<std::string> commands()
{
    std::vector<std::string> names;
    const std::string help = weft({"--help"}).out;
    std::istringstream in(help.substr(help.find("Commands:\n") + 10));
    for (std::string line; std::getline(in, line) && line.rfind("  ", 0) == 0;)
        names.push_back(line.substr(2, line.find(' ', 2) - 2));
    return names;
}

/* The options that --help lists. */
std::vector<std::string> options(const std::string &command)
{
    const std::string help = weft({command, "--help"}).out;
    static const std::regex option("\n  (?:-., |    )(--[a-z_-]+)");
    std::vector<std::string> all;
    for (std::sregex_iterator i(help.begin(), help.end(), option), end; i != end; ++i)
        all.push_back((*i)[1]);
    return all;
}

std::string output_of(const std::string &command)
{
    std::string text;
    FILE *p = popen(command.c_str(), "r");
    for (int c; p && (c = fgetc(p)) != EOF;)
        text += char(c);
    return p && pclose(p) == 0 ? text : "failed: " + text;
}

TEST(Help, ManPagesHaveEveryOption)
{
    TempDir dir;
    ASSERT_GT(commands().size(), 10U);
    const bool man = system("command -v man >/dev/null && command -v groff >/dev/null") == 0;
    for (const std::string &c : commands()) {
        const std::string page = weft({"help", "--as", "man", c}).out;
        EXPECT_EQ(page.rfind(".\\\" SPDX", 0), 0U) << c;
        for (std::string o : options(c)) {
            o = std::regex_replace(o, std::regex("-"), "\\-");
            EXPECT_CONTAINS(page, o + "\\fR");
        }
        write_file(dir / "page.1", page);
        if (man) {
            EXPECT_EQ(output_of("cd '" + (dir / "") +
                                "' && groff -man -ww -Tutf8 page.1 2>&1 >/dev/null"),
                      "")
                << c;
        }
    }
    EXPECT_CONTAINS(weft({"help", "--as", "man"}).out, ".BR weft\\-run (1)");
}

/* What bash completes @p words to; the last one is being written. */
std::string complete(const std::vector<std::string> &words)
{
    TempDir dir;
    write_file(dir / "completion", weft({"help", "--as", "bash"}).out);
    std::string script = "PATH=" + env_or_die("WEFT_BINARY_DIR") + "/frontend/cli:$PATH; cd '" +
                         (dir / "") + "'; . ./completion; COMP_WORDS=(weft";
    for (const std::string &w : words)
        script += " '" + w + "'";
    script += "); COMP_CWORD=" + std::to_string(words.size()) +
              "; _weft; printf '%s\\n' \"${COMPREPLY[@]}\" | sort | tr '\\n' ' '";
    write_file(dir / "script", script);
    return output_of("bash '" + (dir / "script") + "' 2>&1");
}

TEST(Help, BashCompletes)
{
    EXPECT_EQ(complete({"sw"}), "sweep ");
    EXPECT_EQ(complete({"run", "--pr"}), "--progress ");
    EXPECT_EQ(complete({"run", "--progress", ""}), "always auto never ");
    EXPECT_EQ(complete({"list", "tr"}), "transforms troubles ");
    const std::string lists = complete({"list", ""});
    EXPECT_CONTAINS(lists, "metrics ");
    EXPECT_EQ(lists.find("completion"), std::string::npos) << lists; // a file of the folder
    EXPECT_CONTAINS(complete({"trace", "com"}), "completion");
    EXPECT_EQ(complete({"run", "incast-w"}), "incast-websearch ");
    EXPECT_EQ(complete({"run", "--set", "pfc.q"}), "pfc.quanta= ");
    EXPECT_EQ(complete({"help", "sh"}), "show ");
    for (const std::string &c : commands()) {
        std::string all;
        for (const std::string &o : options(c))
            all += o + " ";
        std::istringstream in(complete({c, "--"}));
        for (std::string o; in >> o;)
            EXPECT_CONTAINS(all + "--help ", o + " ");
    }
}

TEST(Help, ZshHasEveryOption)
{
    const std::string zsh = weft({"help", "--as", "zsh"}).out;
    EXPECT_EQ(zsh.rfind("#compdef weft\n", 0), 0U);
    for (const std::string &c : commands()) {
        const size_t at = zsh.find("        " + c + ")\n");
        ASSERT_NE(at, std::string::npos) << c;
        const std::string own = zsh.substr(at, zsh.find(";;", at) - at);
        for (const std::string &o : options(c))
            EXPECT_CONTAINS(own, o);
        if (c == "list") {
            EXPECT_CONTAINS(own, "*:argument:(");
            EXPECT_CONTAINS(own, "metrics)");
        }
    }
    if (system("command -v zsh >/dev/null") == 0) {
        TempDir dir;
        write_file(dir / "_weft", zsh);
        EXPECT_EQ(output_of("zsh -n '" + (dir / "_weft") + "' 2>&1"), "");
    }
}

TEST(Explain, SaysWhereASettingMatters)
{
    Said s = weft({"explain", "generate.size"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "  generate.size                  size    default 1MiB");
    s = weft({"explain", "generate.siez"});
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "no setting is called 'generate.siez'; did you mean 'generate.size'?");
    s = weft({"explain", "cdf.arrivals"});
    EXPECT_CONTAINS(s.out, "decides whether these matter:\n"
                           "  cdf.sigma (needs arrivals=log-normal)\n");
    std::vector<std::string> a = small({"--set", "generate.size=2MiB"});
    a[0] = "explain";
    a.insert(a.begin() + 1, "generate.size");
    s = weft(a);
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "in these settings:\n  = 2MiB (--set)\n  has an effect\n");
    EXPECT_CONTAINS(weft({"explain"}).out, "\nrun.seed\n");
}

/* "dimension.unset has buffer" is no key that anybody could set, and says nothing of this one. */
TEST(Explain, NeedsAreForPeople)
{
    const Said s = weft({"explain", "switch.buffer"});
    EXPECT_CONTAINS(s.out, "needs a dimension of the fabric that does not set its own buffer");
    EXPECT_EQ(s.out.find("decides whether"), std::string::npos) << s.out;
}

TEST(Explain, SaysWhyASettingHasNoEffect)
{
    TempDir dir;
    write_file(dir / "s.xml", "<scenario>\n<topology type=\"single-switch\"/>\n"
                              "<workload type=\"cdf\" duration=\"1us\"/>\n</scenario>\n");
    Said s = weft({"explain", "cdf.sigma", dir / "s.xml"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "  = 2 (default)\n  has no effect: cdf.arrivals is poisson\n");
    s = weft({"explain", "leaf-spine.leaves", dir / "s.xml"});
    EXPECT_CONTAINS(s.out, "  not a setting of it");
    s = weft({"explain", "cdf.duration", dir / "s.xml", "--json"});
    EXPECT_CONTAINS(s.out, "\"value\": \"1us\"");
    EXPECT_CONTAINS(s.out, "\"effective\": true");
}

} // namespace
