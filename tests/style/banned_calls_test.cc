/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that would make weft's results depend on chance or on the clock, let a library print or
 * end the process, or hide an error; and what compilers of ns-3 or later releases of it refuse.
 */
#include "source_tree.h"

#include <cctype>

namespace
{

enum Form {
    CALL, /* the name as a function: followed by '(' */
    WORD  /* the name alone */
};

struct Banned {
    const char *name;
    Form form;
    const char *why;
    std::vector<std::string> allowed_in; /* folders that may, besides programs if not for_all */
    bool for_all;                        /* banned in programs (tests, scripts) too */
};

const char chance[] = "results must be reproducible: use base/rng.h";
const char wall[] = "results must not depend on the wall clock";
const char prints[] = "only the program prints: hand results and errors up";
const char ends[] = "only the program ends the process: return a struct weft_err";
const char overflow[] = "it cannot be told the size of its buffer";
const char pedantic[] = "ns-3 builds with -Wpedantic: use base/int128.h";
const char later[] = "later releases of ns-3 have it no more";
const char width[] = "say the width: int64_t, and PRId64 in formats";
const char silent[] = "it hides errors: use base/units.h";

/* Commands, and the runs that they start, also in processes of their own. */
const std::vector<std::string> program = {"frontend/cli", "frontend/run", "frontend/sweep",
                                          "frontend/bench"};

const std::vector<Banned> banned = {
    {"rand", CALL, chance, {}, true},
    {"srand", CALL, chance, {}, true},
    {"random", CALL, chance, {}, true},
    {"srandom", CALL, chance, {}, true},
    {"drand48", CALL, chance, {}, true},
    {"random_device", WORD, chance, {}, true},
    {"time(NULL)", WORD, wall, program, true},
    {"time(nullptr)", WORD, wall, program, true},
    {"time(0)", WORD, wall, program, true},
    {"gettimeofday", CALL, wall, program, true},
    {"clock_gettime",
     CALL,
     wall,
     {"frontend/cli", "frontend/run", "frontend/base/progress.c",
      "ns3-module/engine/parallel/thread_pool.c"},
     false},
    {"system_clock", WORD, wall, program, false},
    {"exit", CALL, ends, program, false},
    {"_exit", CALL, ends, program, false},
    {"quick_exit", CALL, ends, program, false},
    {"printf", CALL, prints, program, false},
    {"vprintf", CALL, prints, program, false},
    {"puts", CALL, prints, program, false},
    {"putchar", CALL, prints, program, false},
    {"perror", CALL, prints, program, false},
    {"stdout", WORD, prints, program, false},
    {"stderr", WORD, prints, program, false},
    {"cout", WORD, prints, program, false},
    {"cerr", WORD, prints, program, false},
    {"gets", CALL, overflow, {}, true},
    {"strcpy", CALL, overflow, {}, true},
    {"strcat", CALL, overflow, {}, true},
    {"sprintf", CALL, overflow, {}, true},
    {"vsprintf", CALL, overflow, {}, true},
    {"atoi", CALL, silent, {}, true},
    {"atol", CALL, silent, {}, true},
    {"atoll", CALL, silent, {}, true},
    {"atof", CALL, silent, {}, true},
    {"GetInstanceTypeId() const override", WORD, later, {}, true},
    {"TestCase::QUICK", WORD, later, {}, true},
    {"TestCase::EXTENSIVE", WORD, later, {}, true},
    {", SYSTEM)", WORD, later, {}, true},
    {", UNIT)", WORD, later, {}, true},
    {"long long", WORD, width, {}, false},
    {"__int128", WORD, pedantic, {"frontend/base/int128.h"}, true},
};

/* Programs of their own rather than parts of a library. */
const std::vector<std::string> programs = {"tests",           "scenarios",
                                           "contrib-patches", "frontend/adapters",
                                           "ns3-module/test", "ns3-module/examples"};

bool in_any(const std::string &path, const std::vector<std::string> &folders)
{
    return std::any_of(folders.begin(), folders.end(),
                       [&](const std::string &f) { return lies_in(path, f); });
}

bool is_word_char(char c)
{
    return isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/* Whether a line of code, without comments and literals, uses the name itself, unqualified or of
 * std. */
bool uses(const std::string &code, const Banned &b)
{
    const std::string name = b.name;
    for (size_t p = code.find(name); p != std::string::npos; p = code.find(name, p + 1)) {
        const size_t end = p + name.size();
        if (p > 0 && is_word_char(code[p - 1]))
            continue;
        if (name.back() != ')' && end < code.size() && is_word_char(code[end]))
            continue;
        if (p > 0 && (code[p - 1] == '.' || (p > 1 && code.compare(p - 2, 2, "->") == 0)))
            continue; /* a member that happens to have the name */
        if (p > 1 && code.compare(p - 2, 2, "::") == 0 && p > 2 && is_word_char(code[p - 3]) &&
            !(p >= 5 && code.compare(p - 5, 5, "std::") == 0) && b.form == CALL)
            continue; /* another namespace's or class's */
        if (b.form == CALL) {
            const size_t next = code.find_first_not_of(' ', end);
            if (next == std::string::npos || code[next] != '(')
                continue;
        }
        return true;
    }
    return false;
}

Offenders banned_uses(const SourceTree &tree)
{
    Offenders bad;
    for (const SourceFile &f : tree) {
        if (!is_code(f.path))
            continue;
        const bool program = in_any(f.path, programs);
        const std::vector<std::string> code = code_only(f.lines);
        for (const Banned &b : banned) {
            if (in_any(f.path, b.allowed_in) || (program && !b.for_all))
                continue;
            for (size_t i = 0; i < code.size(); i++)
                if (uses(code[i], b))
                    bad.push_back(at(f, i, std::string(b.name) + ": " + b.why));
        }
    }
    return bad;
}

TEST(BannedCalls, NoneInTheProject)
{
    EXPECT_EQ(joined(banned_uses(project_tree())), "");
}

TEST(BannedCalls, UsesAreFound)
{
    const struct {
        const char *path, *line;
        bool good;
    } cases[] = {
        {"frontend/net/x.c", "int r = rand();", false},
        {"frontend/net/x.c", "int r = rand ();", false},
        {"frontend/net/x.c", "int r = operand(1);", true},
        {"frontend/net/x.c", "int r = rand_of(1);", true},
        {"frontend/net/x.c", "/* rand() */ s = \"rand()\"; // rand()", true},
        {"frontend/net/x.c", "srand(7);", false},
        {"tests/net/x.cc", "std::random_device d;", false},
        {"ns3-module/model/x.cc", "uint64_t s = time(NULL);", false},
        {"ns3-module/model/x.cc", "uint64_t s = std::time(nullptr);", false},
        {"ns3-module/model/x.cc", "uint64_t s = sometime(NULL);", true},
        {"frontend/cli/x.c", "exit(3);", true},
        {"frontend/cli/x.c", "printf(text);", true},
        {"frontend/report/x.c", "exit(3);", false},
        {"frontend/report/x.c", "std::exit(3);", false},
        {"frontend/report/x.c", "weft_exit_code(3); atexit(f); loop->exit(1); q.exit(2);", true},
        {"frontend/report/x.c", "Loop::exit(1);", true},
        {"frontend/report/x.c", "printf(text);", false},
        {"frontend/report/x.c", "fprintf(f, text); snprintf(b, 1, text); weft_arena_printf(a);",
         true},
        {"frontend/report/x.c", "__attribute__((format(printf, 2, 3)));", true},
        {"frontend/report/x.c", "fprintf(stdout, text);", false},
        {"frontend/report/x.c", "fputs(text, stderr);", false},
        {"ns3-module/helper/x.cc", "std::cout << 1;", false},
        {"ns3-module/examples/x.cc", "std::cout << 1;", true},
        {"tests/x/x.cc", "printf(text);", true},
        {"tests/x/x.cc", "int v = atoi(text);", false},
        {"frontend/base/x.c", "strcpy(a, b);", false},
        {"frontend/base/x.c", "sprintf(a, b);", false},
        {"frontend/base/x.c", "f((unsigned long long)n);", false},
        {"frontend/base/x.txt", "sprintf(a, b);", true}, /* no code */
    };
    for (const auto &c : cases) {
        const Offenders bad = banned_uses({{c.path, {"", c.line}}});
        EXPECT_EQ(bad.empty(), c.good) << c.path << ": " << c.line << "\n" << joined(bad);
        if (!bad.empty()) {
            EXPECT_EQ(bad[0].find(std::string(c.path) + ":2: "), 0u);
        }
    }
}

} // namespace
