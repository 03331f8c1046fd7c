/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the built libraries export: names of C with the prefix weft_, and of C++ within a namespace
 * of ns-3 or weft, or with their prefix. Everything else is static, or hidden.
 */
#include "source_tree.h"

#include <cstdio>
#include <cxxabi.h>
#include <memory>
#include <set>

namespace
{

struct Symbol {
    std::string name, binding, visibility, section;
};

/* A row of readelf's symbol table: number, value, size, type, binding, visibility, section, name.
 */
bool parse_row(const std::string &line, Symbol &s)
{
    std::istringstream in(line);
    std::string number, value, size, type;
    return in >> number >> value >> size >> type >> s.binding >> s.visibility >> s.section >>
               s.name &&
           number.back() == ':';
}

bool exported(const Symbol &s)
{
    return s.section != "UND" && s.visibility == "DEFAULT" &&
           (s.binding == "GLOBAL" || s.binding == "WEAK" || s.binding == "UNIQUE");
}

std::string demangled(const std::string &name)
{
    int status = 0;
    std::unique_ptr<char, decltype(&free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &free);
    return status == 0 ? text.get() : name;
}

/* Whether the qualified name of something of C++ starts within ns3, weft, or the standard library.
 */
bool good_cpp(const std::string &mangled)
{
    std::string name = demangled(mangled);
    /* A lambda within a template, which GCC 14's own runtime cannot read. */
    if (name == mangled)
        return mangled.compare(0, 7, "_ZN3ns3") == 0 || mangled.compare(0, 8, "_ZN4weft") == 0;
    for (const char *what :
         {"vtable for ", "typeinfo for ", "typeinfo name for ", "guard variable for ",
          "non-virtual thunk to ", "VTT for ", "construction vtable for "})
        if (name.compare(0, std::string(what).size(), what) == 0)
            name.erase(0, std::string(what).size());
    if (mangled.compare(0, 5, "_ZTIF") == 0 || mangled.compare(0, 5, "_ZTSF") == 0)
        return true; /* the type of a function, which has no name */
    /* A template of the standard library, made for a type of weft's, or the return type in front of
     * a name. */
    if (name.find("std::") != std::string::npos || name.find("__gnu_cxx::") != std::string::npos ||
        name.compare(0, 8, "operator") == 0)
        return true;
    return name.find("ns3::") != std::string::npos || name.find("weft::") != std::string::npos ||
           name.compare(0, 5, "weft_") == 0;
}

/* Names with a meaning to the compiler or its runtime. */
bool reserved(const std::string &name)
{
    for (const char *prefix : {"__", "DW.ref.", "_ITM_", "_GLOBAL_"})
        if (name.compare(0, std::string(prefix).size(), prefix) == 0)
            return true;
    return false;
}

bool good(const std::string &name)
{
    if (name.compare(0, 2, "_Z") == 0)
        return good_cpp(name);
    return name.compare(0, 5, "weft_") == 0 || reserved(name);
}

std::set<std::string> bad_symbols(std::istream &table)
{
    std::set<std::string> bad;
    Symbol s;
    for (std::string line; std::getline(table, line);)
        if (parse_row(line, s) && exported(s) && !good(s.name))
            bad.insert(demangled(s.name));
    return bad;
}

std::string output_of(const std::string &command)
{
    std::string text;
    FILE *p = popen(command.c_str(), "r");
    if (!p)
        return text;
    char buf[4096];
    for (size_t n; (n = fread(buf, 1, sizeof buf, p)) > 0;)
        text.append(buf, n);
    pclose(p);
    return text;
}

/* The libraries of the build, those of tests apart. */
std::vector<std::string> libraries(const std::filesystem::path &build)
{
    std::vector<std::string> found;
    for (const char *top : {"frontend", "congestion", "topologies", "ns3-module"})
        for (auto &e : std::filesystem::recursive_directory_iterator(build / top)) {
            const std::string name = e.path().filename().string();
            if (e.is_regular_file() && name.compare(0, 8, "libweft_") == 0 &&
                e.path().extension() == ".a")
                found.push_back(e.path().string());
        }
    return found;
}

TEST(Symbols, LibrariesExportNothingWithoutPrefix)
{
    const char *build = getenv("WEFT_BINARY_DIR");
    ASSERT_NE(build, nullptr) << "run through ctest";
    if (output_of("readelf --version").empty())
        GTEST_SKIP() << "needs readelf";
    const auto libs = libraries(build);
    EXPECT_GE(libs.size(), 10u);
    for (const std::string &lib : libs) {
        const std::string table = output_of("readelf -sW '" + lib + "' 2> /dev/null");
        if (table.find("__gnu_lto_") != std::string::npos)
            GTEST_SKIP() << "link-time optimisation leaves the symbols to the linker";
        EXPECT_NE(table.find(" weft_"), std::string::npos) << lib << " has no symbols";
        std::istringstream in(table);
        const auto bad = bad_symbols(in);
        EXPECT_TRUE(bad.empty()) << lib << " exports " << bad.size() << " such as " << *bad.begin();
    }
}

/* Names of a library that is opened at run time, or of a program that it is opened by. */
std::set<std::string> dynamic_symbols(const std::string &file, bool own)
{
    std::istringstream in(output_of("readelf --dyn-syms -W '" + file + "' 2> /dev/null"));
    std::set<std::string> names;
    Symbol s;
    for (std::string line; std::getline(in, line);)
        if (parse_row(line, s) && (s.section != "UND") == own && s.name.compare(0, 5, "weft_") == 0)
            names.insert(s.name);
    return names;
}

// What its parts call of weft is in the program that opens them, and what they are built on is not
// loaded with it.
TEST(Symbols, TheProgramHasWhatItsPartsCall)
{
    const char *build = getenv("WEFT_BINARY_DIR");
    ASSERT_NE(build, nullptr) << "run through ctest";
    const std::string folder = std::string(build) + "/frontend/cli/";
    if (output_of("readelf --version").empty())
        GTEST_SKIP() << "needs readelf";
    const auto has = dynamic_symbols(folder + "weft", true);
    unsigned parts = 0;
    for (const char *part : {"weft-xml.so", "weft-mpi.so", "weft-ns3.so"}) {
        const auto wants = dynamic_symbols(folder + part, false);
        parts += !wants.empty();
        for (const std::string &name : wants)
            EXPECT_TRUE(has.count(name)) << name << ", which " << part << " calls";
    }
    EXPECT_GE(parts, 1u) << "there is always that for XML";
    const std::string needs = output_of("readelf -d '" + folder + "weft'");
    for (const char *library : {"libxml2", "libicu", "libmpi", "libns3"})
        EXPECT_EQ(needs.find(library), std::string::npos) << library;
}

TEST(Symbols, UnprefixedOnesAreFound)
{
    const struct {
        const char *row;
        bool good;
    } cases[] = {
        {"    12: 0000000000000000    42 FUNC    GLOBAL DEFAULT    1 weft_engine_new", true},
        {"    12: 0000000000000000    42 FUNC    GLOBAL DEFAULT    1 pkt_new", false},
        {"    12: 0000000000000000    42 FUNC    GLOBAL HIDDEN     1 pkt_new", true},
        {"    12: 0000000000000000    42 FUNC    LOCAL  DEFAULT    1 pkt_new", true},
        {"    12: 0000000000000000     0 NOTYPE  GLOBAL DEFAULT  UND malloc", true},
        {"    12: 0000000000000000     8 OBJECT  GLOBAL DEFAULT    3 g_table", false},
        {"    12: 0000000000000000    42 FUNC    GLOBAL DEFAULT    1 _ZN3ns310WeftFabric5BuildEv",
         true},
        {"    12: 0000000000000000    42 FUNC    GLOBAL DEFAULT    1 _ZN8TcpHosts7GetNodeEjj",
         false},
        {"    12: 0000000000000000    42 FUNC    GLOBAL DEFAULT    1 _ZN4weft8TcpHosts7GetNodeEjj",
         true},
        {"    12: 0000000000000000    42 FUNC    WEAK   DEFAULT    1 _Z4helpv", false},
    };
    for (const auto &c : cases) {
        std::istringstream in(c.row);
        EXPECT_EQ(bad_symbols(in).empty(), c.good) << c.row;
    }
}

} // namespace
