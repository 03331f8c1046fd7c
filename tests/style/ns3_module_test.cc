/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The C++ of the ns-3 module is as ns-3's own: a copyright line, classes in a Doxygen group, tags
 * that begin with @, headers of the same folder without "ns3/". Public methods begin with
 * NS_LOG_FUNCTION, so that NS_LOG shows who calls what; one that must not begins with a comment
 * "Not logged: " and the reason.
 */
#include "source_tree.h"

#include <regex>
#include <set>

namespace
{

const std::vector<std::string> folders = {"ns3-module/model", "ns3-module/helper"};

bool is_module(const SourceFile &f, const char *extension)
{
    return has_extension(f.path, {extension}) &&
           std::any_of(folders.begin(), folders.end(),
                       [&](const std::string &d) { return lies_in(f.path, d); });
}

/* "Class::Method" of everything that a class of a header declares as private. */
std::set<std::string> private_methods(const SourceTree &tree)
{
    static const std::regex head(R"(^(class|struct) (\w+)\b[^;]*$)");
    static const std::regex label(R"(^  (public|protected|private):)");
    static const std::regex method(R"(^    [\w:<>,&* ]*?(~?\w+)\()");
    std::set<std::string> found;
    std::smatch m;
    for (const SourceFile &f : tree) {
        std::string name, access;
        for (size_t i = 0; is_module(f, ".h") && i < f.lines.size(); i++) {
            const std::string &line = f.lines[i];
            if (std::regex_search(line, m, head)) {
                name = m[2];
                access = m[1] == "class" ? "private" : "public";
            } else if (line.compare(0, 2, "};") == 0) {
                name.clear();
            } else if (std::regex_search(line, m, label)) {
                access = m[1];
            } else if (!name.empty() && access == "private" && std::regex_search(line, m, method)) {
                found.insert(name + "::" + m[1].str());
            }
        }
    }
    return found;
}

Offenders silent_methods(const SourceTree &tree)
{
    static const std::regex definition(R"(^(Weft\w+::~?\w+)\()");
    const std::set<std::string> hidden = private_methods(tree);
    Offenders bad;
    std::smatch m;
    for (const SourceFile &f : tree) {
        for (size_t i = 0; is_module(f, ".cc") && i < f.lines.size(); i++) {
            if (!std::regex_search(f.lines[i], m, definition) || hidden.count(m[1]))
                continue;
            const std::string name = m[1];
            if (name.find("::GetTypeId") != std::string::npos)
                continue;
            size_t body = i;
            while (body < f.lines.size() && f.lines[body] != "{")
                body++;
            const std::string first = body + 1 < f.lines.size() ? f.lines[body + 1] : "";
            if (first.find("NS_LOG_FUNCTION") == std::string::npos &&
                first.find("// Not logged: ") == std::string::npos)
                bad.push_back(at(f, i, name + " does not begin with NS_LOG_FUNCTION"));
        }
    }
    return bad;
}

/* What ns-3's documentation lacks of a file. */
Offenders undocumented(const SourceTree &tree)
{
    static const std::regex head(R"(^(class|struct) \w+[^;]*$)");
    static const std::regex old_tag(
        R"(\\(param|return|returns|brief|file|ingroup|defgroup|copydoc)\b)");
    static const std::regex included(R"re(^#include "ns3/([\w-]+\.h)")re");
    Offenders bad;
    std::set<std::string> paths;
    for (const SourceFile &f : tree)
        paths.insert(f.path);
    std::smatch m;
    for (const SourceFile &f : tree) {
        if (!is_module(f, ".h") && !is_module(f, ".cc"))
            continue;
        const std::string folder = f.path.substr(0, f.path.rfind('/') + 1);
        bool copyright = false;
        for (size_t i = 0; i < f.lines.size(); i++) {
            copyright |= i < 5 && f.lines[i].find("Copyright (c) ") != std::string::npos;
            if (std::regex_search(f.lines[i], old_tag))
                bad.push_back(at(f, i, "tags begin with @"));
            if (std::regex_search(f.lines[i], m, included) && paths.count(folder + m[1].str()))
                bad.push_back(at(f, i, "a header of the same folder is included without ns3/"));
            if (!is_module(f, ".h") || !std::regex_search(f.lines[i], head))
                continue;
            size_t k = i;
            while (k > 0 && f.lines[k - 1].compare(0, 8, "template") == 0)
                k--;
            bool grouped = false;
            if (k > 0 && f.lines[k - 1] == " */")
                for (k--; k > 0 && f.lines[k] != "/**"; k--)
                    grouped |= f.lines[k].find("@ingroup") != std::string::npos;
            if (!grouped)
                bad.push_back(at(f, i, "the comment of a class names its group: @ingroup weft"));
        }
        if (!copyright)
            bad.push_back(at(f, 0, "no copyright line"));
    }
    return bad;
}

TEST(Ns3Module, FilesAreDocumentedAsThoseOfNs3)
{
    EXPECT_EQ(joined(undocumented(project_tree())), "");
}

TEST(Ns3Module, WhatIsNotDocumentedIsFound)
{
    const std::string c = " * Copyright (c) 2026 The weft project";
    const struct {
        std::vector<std::string> lines;
        size_t bad;
    } cases[] = {
        {{"/*", c, " */", "/**", " * @ingroup weft", " * X.", " */", "class X : public Y", "{"}, 0},
        {{"/*", c, " */", "/**", " * @ingroup weft", " */", "template <class T>", "struct X", "{"},
         0},
        {{"/*", c, " */", "class X;"}, 0},
        {{"/*", c, " */", "/**", " * X.", " */", "class X", "{"}, 1},
        {{"/*", c, " */", "class X", "{"}, 1},
        {{"/*", c, " */", "#include \"ns3/weft-x.h\""}, 1},
        {{"/*", c, " */", "#include \"ns3/node.h\"", "#include \"weft-x.h\""}, 0},
        {{"/*", c, " */", "/** \\return something */"}, 1},
        {{"/* text */"}, 1},
    };
    for (const auto &k : cases)
        EXPECT_EQ(undocumented({{"ns3-module/model/weft-x.h", k.lines}}).size(), k.bad)
            << k.lines.back();
}

TEST(Ns3Module, PublicMethodsSayThatTheyAreCalled)
{
    EXPECT_EQ(joined(silent_methods(project_tree())), "");
}

TEST(Ns3Module, ASilentMethodIsFound)
{
    const SourceFile header = {"ns3-module/model/weft-x.h",
                               {"class WeftX : public Object", "{", "  public:", "    void Go();",
                                "  private:", "    int Hide(int a) const;", "};"}};
    const struct {
        std::vector<std::string> lines;
        size_t bad;
    } cases[] = {
        {{"void", "WeftX::Go()", "{", "    NS_LOG_FUNCTION(this);", "}"}, 0},
        {{"void", "WeftX::Go()", "{", "    // Not logged: the logs call it.", "}"}, 0},
        {{"void", "WeftX::Go()", "{", "    m_gone = true;", "}"}, 1},
        {{"void", "WeftX::Go()", "{", "}"}, 1},
        {{"WeftX::WeftX()", "    : m_a(1)", "{", "}"}, 1},
        {{"int", "WeftX::Hide(int a) const", "{", "    return a;", "}"}, 0},
        {{"TypeId", "WeftX::GetTypeId()", "{", "    return {};", "}"}, 0},
    };
    for (const auto &c : cases)
        EXPECT_EQ(silent_methods({header, {"ns3-module/model/weft-x.cc", c.lines}}).size(), c.bad)
            << c.lines[c.lines.size() > 3 ? 3 : 0];
    EXPECT_TRUE(silent_methods({{"frontend/x.cc", {"void", "WeftX::Go()", "{", "}"}}}).empty());
}

} // namespace
