// SPDX-License-Identifier: GPL-2.0-only
// The program as a whole: help, versions, wrong command lines.
#include "processes.h"

namespace
{

const char *const commands[] = {"run", "check", "list", "show", "trace", "bench", "doctor", "help"};

TEST(Program, HelpAtEveryLevelBeginsWithAnExample)
{
    for (const char *args : {"--help", "-h", "help"}) {
        Said s = weft({args});
        EXPECT_EQ(s.code, 0);
        EXPECT_EQ(s.out.rfind("Example: weft ", 0), 0u) << s.out;
        EXPECT_EQ(s.err, "");
        for (const char *c : commands)
            EXPECT_CONTAINS(s.out, std::string("\n  ") + c + " ");
    }
    for (const char *c : commands) {
        Said s = weft({c, "--help"});
        EXPECT_EQ(s.code, 0) << c;
        EXPECT_EQ(s.out.rfind(std::string("Example: weft ") + c, 0), 0u) << s.out;
        EXPECT_CONTAINS(s.out, std::string("Usage: weft ") + c);
        EXPECT_EQ(s.err, "");
        EXPECT_EQ(weft({"help", c}).out, s.out);
    }
}

TEST(Program, OptionsOfTheHelpAreTheOptionsOfTheParser)
{
    /* Each long option that the help names is known; without its value it is a usage error. */
    for (const char *c : commands) {
        const std::string help = weft({c, "--help"}).out;
        for (size_t p = help.find("\n  "); p != std::string::npos; p = help.find("\n  ", p + 1)) {
            size_t at = help.find("--", p);
            if (at == std::string::npos || at > p + 9)
                continue;
            std::string name = help.substr(at, help.find_first_of(" \n", at) - at);
            Said s = weft({c, name + "=\x01", "--no-such-option"});
            EXPECT_LACKS(s.err, "unknown option '" + name + "'");
        }
    }
}

TEST(Program, VersionsAreLabelled)
{
    Said s = weft({"--version"});
    EXPECT_EQ(s.code, 0);
    for (const char *part : {"weft 0.", "ns-3 ", "libxml2 2.", "protobuf-c 1.", "zstd 1.",
                             "compiler ", "build type ", "commit "})
        EXPECT_CONTAINS(s.out, part);
}

TEST(Program, WrongCommandLinesExitWith2AndSuggest)
{
    struct {
        std::vector<std::string> args;
        const char *what;
    } cases[] = {
        {{}, "Usage: weft COMMAND"},
        {{"rnu"}, "did you mean 'run'"},
        {{"--vresion"}, "unknown option '--vresion'"},
        {{"run", "--sett", "a.b=1"}, "did you mean '--set'"},
        {{"run", "--set"}, "'--set' needs a value"},
        {{"run", "--quiet=3", "x"}, "takes no value"},
        {{"run", "-z"}, "unknown option '-z'"},
        {{"run"}, "no scenario given"},
        {{"run", "a", "b"}, "'b' is one too many"},
        {{"run", "x", "--out", "d", "--no-out"}, "exclude each other"},
        {{"run", "x", "--progress", "sometimes"}, "auto|always|never"},
        {{"list", "topologys"}, "did you mean 'topologies'"},
        {{"show"}, "show what?"},
        {{"show", "cc"}, "needs one name"},
        {{"trace"},
         "generate, info, check, dump, diff, transform, synthesize, convert or compare?"},
        {{"trace", "chek", "x"}, "did you mean 'check'"},
        {{"trace", "generate", "x"}, "how many ranks?"},
        {{"bench", "incats-32"}, "did you mean 'incast-32'"},
        {{"bench", "--backend", "x"}, "unknown backend 'x'"},
        {{"doctor", "x"}, "unexpected argument 'x'"},
        {{"help", "rnu"}, "did you mean 'run'"},
    };
    for (auto &c : cases) {
        Said s = weft(c.args);
        EXPECT_EQ(s.code, 2) << s.err;
        EXPECT_EQ(s.out, "");
        EXPECT_CONTAINS(s.err, c.what);
    }
}

TEST(Program, AFullDiskUnderTheAnswerIsNoticed)
{
    if (access("/dev/full", W_OK) != 0)
        GTEST_SKIP() << "no /dev/full here";
    TempDir dir;
    pid_t pid = fork();
    if (pid == 0) {
        int full = open("/dev/full", O_WRONLY);
        if (full < 0 || dup2(full, 1) < 0)
            _exit(99);
        const std::string exe = env_or_die("WEFT_BINARY_DIR") + "/frontend/cli/weft";
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 2);
        execl(exe.c_str(), "weft", "show", "schema", static_cast<char *>(nullptr));
        _exit(98);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST(Program, DoctorTriesEveryBackend)
{
    Said s = weft({"doctor"});
    EXPECT_CONTAINS(s.out, "ideal              ok: works");
    EXPECT_EQ(s.code, has_packet() ? 0 : 1) << s.out;
    EXPECT_CONTAINS(weft({"doctor", "--json"}).out, "\"command\": \"doctor\"");
}

/* The reason is whole: it ends with what the process has. */
TEST(Program, DoctorSaysWhyABackendFails)
{
    TempDir dir;
    const Said s = shell("ulimit -v 16000 && ulimit -d 900000 && '" +
                             env_or_die("WEFT_BINARY_DIR") + "/frontend/cli/weft' doctor",
                         dir);
    if (s.out.find("packet             PROBLEM") == std::string::npos)
        GTEST_SKIP() << "the limit is of another size here";
    EXPECT_CONTAINS(s.out, "; this process has ");
}

/* A program whose parts for MPI and ns-3 were not installed does all the rest. */
TEST(Program, DoctorTakesAbsentPartsForNoProblem)
{
    const std::string built = env_or_die("WEFT_BINARY_DIR") + "/frontend/cli/";
    TempDir dir;
    for (const char *file : {"weft", "weft-xml.so"})
        std::filesystem::copy_file(built + file, dir / file);
    const Said s = shell("cd '" + (dir / "") + "' && ./weft doctor", dir);
    EXPECT_CONTAINS(s.out, "\nMPI                not built in: ");
    EXPECT_EQ(s.out.find("MPI                PROBLEM"), std::string::npos);
    EXPECT_CONTAINS(s.out, "\nns-3               not built in: ");
    EXPECT_EQ(s.code, has_packet() ? 0 : 1) << s.out;
}

} // namespace
