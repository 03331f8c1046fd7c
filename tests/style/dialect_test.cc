/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One dialect of C: sizeof takes an expression bare and a type in parentheses.
 */
#include "source_tree.h"

#include <regex>

namespace
{

/* A name with what follows it ("*a", "a->b[0]") alone in the parentheses of a sizeof. */
const std::regex
    in_parentheses(R"(\bsizeof ?\((\*{0,2}[A-Za-z_][\w.]*((->|\.)\w+|\[[^\[\]()]*\])*)\))");
const std::regex type(
    R"((u?int(8|16|32|64)?(ptr)?(_t)?|char|double|float|size_t|bool|void|long|FILE|[a-z0-9_]+_t|)"
    R"([A-Z]\w*))");

Offenders wrapped_expressions(const SourceTree &tree)
{
    Offenders bad;
    for (const SourceFile &f : tree) {
        if (!has_extension(f.path, {".c", ".h"}) || lies_in(f.path, "tests"))
            continue;
        const std::vector<std::string> code = code_only(f.lines);
        bool macro = false; /* an argument of a macro may be anything */
        for (size_t i = 0; i < code.size(); i++) {
            macro |= code[i].find("#define") != std::string::npos;
            std::smatch m;
            if (!macro && std::regex_search(code[i], m, in_parentheses) &&
                !std::regex_match(m[1].str(), type))
                bad.push_back(at(f, i, "sizeof " + m[1].str() + " needs no parentheses"));
            macro &= !code[i].empty() && code[i].back() == '\\';
        }
    }
    return bad;
}

TEST(Dialect, SizeofWrapsTypesAlone)
{
    EXPECT_EQ(joined(wrapped_expressions(project_tree())), "");
}

TEST(Dialect, WrappedExpressionsAreFound)
{
    const struct {
        const char *line;
        bool good;
    } cases[] = {
        {"calloc(n, sizeof(*p));", false},      {"memset(s, 0, sizeof(s->key[0]));", false},
        {"n = sizeof(table) / 2;", false},      {"calloc(n, sizeof *p);", true},
        {"n = sizeof(uint64_t);", true},        {"n = sizeof(struct pkt);", true},
        {"#define N(a) sizeof(a)", true},       {"/* sizeof(x) */", true},
        {"n = sizeof(long) + sizeof v;", true},
    };
    for (const auto &c : cases) {
        const Offenders bad = wrapped_expressions({{"frontend/net/x.c", {c.line}}});
        EXPECT_EQ(bad.empty(), c.good) << c.line;
    }
}

} // namespace
