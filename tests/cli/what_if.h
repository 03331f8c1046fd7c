// SPDX-License-Identifier: GPL-2.0-only
// Transforms of traces, and what became of them.
#ifndef WEFT_TESTS_CLI_WHAT_IF_H
#define WEFT_TESTS_CLI_WHAT_IF_H

#include "program.h"

#include "tests/workload/trace.h"

#include <cstdio>

using Words = std::vector<std::string>;

inline Words operator+(Words a, const Words &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// The words of a text, apart by blanks.
inline Words words(const std::string &text)
{
    std::istringstream in(text);
    Words out;
    for (std::string w; in >> w;)
        out.push_back(w);
    return out;
}

// A folder with traces called t (given) and o (made by transforms).
struct WhatIf {
    TempDir dir;
    Words groups; // --groups FILE, if there are any

    // weft trace transform t o TEXT
    Said transform(const std::string &text, const std::string &from = "t",
                   const std::string &to = "o")
    {
        return weft(Words{"trace", "transform", from, to} + groups + words(text), dir / "");
    }
    // The same, which must work.
    void make(const std::string &text, const std::string &from = "t", const std::string &to = "o")
    {
        const Said s = transform(text, from, to);
        ASSERT_EQ(s.code, 0) << text << ": " << s.err;
    }
    std::string dump(uint32_t rank, const std::string &prefix = "o")
    {
        return weft({"trace", "dump", prefix + "." + std::to_string(rank) + ".et"}, dir / "").out;
    }
    // A number of `trace info --json`.
    double info(const std::string &key, const std::string &prefix = "o")
    {
        const std::string file = prefix + ".json";
        Words g = access((dir / file).c_str(), R_OK) == 0 ? Words{"--groups", file} : Words{};
        const Said s = weft(Words{"trace", "info", prefix, "--json"} + g, dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
        return json_number(s.out, key);
    }
    // Bytes of all communication of the ranks together.
    double bytes(const std::string &prefix = "o")
    {
        return info("communication_bytes", prefix);
    }
    // Length of the job without a network, in microseconds.
    double path_us(const std::string &prefix = "o")
    {
        return info("critical_path_ps", prefix) / 1e6;
    }
    std::string diff(const std::string &a = "t", const std::string &b = "o")
    {
        return weft({"trace", "diff", a, b}, dir / "").out;
    }
    // A metric of a run of trace PREFIX on the ideal backend.
    double run(const std::string &key, const std::string &prefix, uint32_t ranks,
               const Words &more = {})
    {
        const Said s = weft(Words{"run", "--no-out", "--json", "--set", "network.backend=ideal",
                                  "--set", "topology.type=single-switch", "--set",
                                  "single-switch.hosts=" + std::to_string(ranks), "--set",
                                  "workload.type=chakra", "--set", "chakra.path=" + prefix} +
                                more,
                            dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
        return json_number(s.out, key);
    }
};

inline size_t count(const std::string &text, const std::string &part)
{
    size_t n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
        n++;
    return n;
}

#endif
