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
        EXPECT_CONTAINS(weft({c, "--help"}).out, "\n      --plugin FILE ");
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

/* @p line as bash's completion gets it: cut at blanks, '=' and ':'. */
std::vector<std::string> cut(const std::string &line)
{
    static const std::regex piece("[=:]+|[^ =:]+");
    std::vector<std::string> all(std::sregex_token_iterator(line.begin(), line.end(), piece),
                                 std::sregex_token_iterator());
    if (line.back() == ' ')
        all.push_back("");
    return all;
}

/* What bash puts in the place of the end of @p line. */
std::string complete(const std::string &line)
{
    TempDir dir;
    write_file(dir / "completion", weft({"help", "--as", "bash"}).out);
    write_file(dir / "scenarios/README", "");
    std::string script = "PATH=" + env_or_die("WEFT_BINARY_DIR") + "/frontend/cli:$PATH; cd '" +
                         (dir / "") + "'; . ./completion; COMP_LINE='" + line + "'; COMP_WORDS=(";
    const std::vector<std::string> pieces = cut(line);
    for (const std::string &p : pieces)
        script += " '" + p + "'";
    script += "); COMP_CWORD=" + std::to_string(pieces.size() - 1) +
              "; _weft; printf '%s\\n' \"${COMPREPLY[@]}\" | sort | tr '\\n' ' '";
    write_file(dir / "script", script);
    return output_of("bash '" + (dir / "script") + "' 2>&1");
}

TEST(Help, BashCompletes)
{
    EXPECT_EQ(complete("weft sw"), "sweep ");
    EXPECT_EQ(complete("weft run --pr"), "--progress ");
    EXPECT_EQ(complete("weft run --progress "), "always auto never ");
    EXPECT_EQ(complete("weft list tr"), "transforms ");
    const std::string lists = complete("weft list ");
    EXPECT_CONTAINS(lists, "metrics ");
    EXPECT_EQ(lists.find("completion"), std::string::npos) << lists; // a file of the folder
    EXPECT_CONTAINS(complete("weft trace com"), "completion");
    EXPECT_EQ(complete("weft run incast-w"), "incast-websearch ");
    EXPECT_EQ(complete("weft run --set pfc.q"), "pfc.quanta= ");
    EXPECT_EQ(complete("weft help sh"), "show ");
    for (const std::string &c : commands()) {
        std::string all;
        for (const std::string &o : options(c))
            all += o + " ";
        std::istringstream in(complete("weft " + c + " --"));
        for (std::string o; in >> o;)
            EXPECT_CONTAINS(all + "--help ", o + " ");
    }
}

TEST(Help, BashCompletesValues)
{
    EXPECT_EQ(complete("weft run --progress="), "always auto never ");
    EXPECT_EQ(complete("weft run --progress=al"), "always ");
    EXPECT_EQ(complete("weft run --set=pfc.q"), "pfc.quanta= ");
    EXPECT_EQ(complete("weft run --set cdf.arrivals="), "log-normal poisson ");
    EXPECT_EQ(complete("weft run --set=pfc.enabled=t"), "true ");
    EXPECT_EQ(complete("weft sweep --vary topology.type=leaf"), "leaf-spine ");
    EXPECT_EQ(complete("weft run --set topology.ty"), "topology.type= ");
    EXPECT_EQ(complete("weft run --set congestion-control.name=dcq"), "dcqcn ");
    EXPECT_EQ(complete("weft run --set generate.size=a"), " ");
    EXPECT_EQ(complete("weft run --out=compl"), "completion ");
    EXPECT_EQ(complete("weft run --out a:b=c --progress=al"), "always ");
}

TEST(Help, BashCompletesNames)
{
    EXPECT_EQ(complete("weft show cc dcq"), "dcqcn ");
    EXPECT_EQ(complete("weft plot out gan"), "gantt ");
    EXPECT_EQ(complete("weft show --json cc dcq"), "dcqcn ");
    EXPECT_EQ(complete("weft show scenario incast-w"), "incast-websearch ");
    EXPECT_EQ(complete("weft explain pfc.q"), "pfc.quanta ");
    EXPECT_EQ(complete("weft explain pfc.quanta incast-w"), "incast-websearch ");
    EXPECT_EQ(complete("weft list cc t"), " ");
    /* Readline marks what is a folder, but for words that are no file names. */
    EXPECT_EQ(weft({"help", "--as", "bash"}).out.find("complete -o filenames"), std::string::npos);
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
            EXPECT_CONTAINS(own, "1:argument:(");
            EXPECT_CONTAINS(own, "metrics)");
        }
    }
    if (system("command -v zsh >/dev/null") == 0) {
        TempDir dir;
        write_file(dir / "_weft", zsh);
        EXPECT_EQ(output_of("zsh -n '" + (dir / "_weft") + "' 2>&1"), "");
    }
}

/* What a line of zsh becomes by the tabulator key, in a terminal. */
std::string zsh_line(const TempDir &dir, const std::string &line)
{
    write_file(dir / "keys",
               "zmodload zsh/zpty; zpty shell zsh -f -i\n"
               "zpty -w shell \"PS1=; fpath=('" +
                   (dir / "") +
                   "' \\$fpath); autoload -U compinit; compinit -u -D; unsetopt beep\"\n"
                   "zpty -w shell 'done-it() { print -r \"LINE<$BUFFER>\"; exit }; "
                   "zle -N done-it; bindkey \"^X\" done-it; print REA\"\"DY'\n"
                   "zpty -r -m shell out '*READY*'\n"
                   "zpty -w -n shell $'" +
                   line + "\\t\\C-x'\nzpty -r -m shell out '*LINE<*>*'\nprint -r -- $out\n");
    const std::string out =
        output_of("PATH=" + env_or_die("WEFT_BINARY_DIR") +
                  "/frontend/cli:$PATH TERM=dumb timeout 20 zsh -f '" + (dir / "keys") + "' 2>&1");
    const size_t at = out.rfind("LINE<");
    return at == std::string::npos ? out : out.substr(at + 5, out.find('>', at) - at - 5);
}

TEST(Help, ZshCompletes)
{
    if (system("zsh -fc 'zmodload zsh/zpty' 2>/dev/null") != 0)
        GTEST_SKIP() << "no zsh";
    TempDir dir;
    write_file(dir / "_weft", weft({"help", "--as", "zsh"}).out);
    EXPECT_EQ(zsh_line(dir, "weft run incast-w"), "weft run incast-websearch ");
    EXPECT_EQ(zsh_line(dir, "weft run --set pfc.q"), "weft run --set pfc.quanta=");
    EXPECT_EQ(zsh_line(dir, "weft run --set=cdf.arrivals=l"),
              "weft run --set=cdf.arrivals=log-normal ");
    EXPECT_EQ(zsh_line(dir, "weft run -s topology.type=leaf"),
              "weft run -s topology.type=leaf-spine ");
    EXPECT_EQ(zsh_line(dir, "weft show cc dcq"), "weft show cc dcqcn ");
    EXPECT_EQ(zsh_line(dir, "weft explain pfc.quanta incast-w"),
              "weft explain pfc.quanta incast-websearch ");
}

TEST(Explain, SaysWhatAWordNames)
{
    Said s = weft({"explain", "bus-bandwidth"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "metric all-reduce-bus-bandwidth: bus bandwidth of all-reduce");
    EXPECT_CONTAINS(weft({"explain", "speed-up"}).out, "column of 'weft sweep'");
    EXPECT_CONTAINS(weft({"explain", "max-quee"}).err, "did you mean 'max-queue'?");
    EXPECT_CONTAINS(weft({"explain", "congestion-control.name"}).out, "'weft list cc'");
    EXPECT_CONTAINS(weft({"explain", "congestion-control.preset"}).out, "'weft list presets'");
    EXPECT_CONTAINS(weft({"explain", "label.order"}).out, "in a column NAME");
    EXPECT_CONTAINS(weft({"explain", "exposed-own-nic-mean"}).out,
                    "mean over ranks of the time that exposed communication waited for messages");
    EXPECT_CONTAINS(weft({"explain", "hpcc"}).out, "'weft show cc hpcc'");
    s = weft({"explain", "diagnose"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "command diagnose: ");
    EXPECT_CONTAINS(s.out, "; 'weft diagnose --help'\n");
    s = weft({"explain", "slowdown"});
    EXPECT_CONTAINS(s.out, "metric job.WORKLOAD.fct-slowdown-p99: ");
    EXPECT_CONTAINS(s.out, "more metrics: 'weft list metrics'");
    EXPECT_CONTAINS(s.out, "column slowdown of flows.csv: fct_ns / ideal_fct_ns");
    s = weft({"explain", "qqqq"});
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "nothing is called 'qqqq'");
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
                           "  cdf.sigma\n");
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
    EXPECT_CONTAINS(weft({"explain", "ecn.kmin"}).out,
                    "needs rate-map empty and one of: congestion-control.signals has ecn; "
                    "transport.type=tcp and transport.variant=dctcp; ");
    EXPECT_CONTAINS(weft({"explain", "transport.rto"}).out, "needs type=roce|uet\n");
    EXPECT_CONTAINS(weft({"explain", "own NIC"}).out, "cause of waiting");
    EXPECT_CONTAINS(weft({"explain", "DCQCN"}).out, "cc dcqcn: ");
    EXPECT_CONTAINS(weft({"explain", "IRN"}).out, "transport.recovery=selective-repeat");
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
