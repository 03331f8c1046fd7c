// SPDX-License-Identifier: GPL-2.0-only
// Scenarios with several workloads on eight hosts, and the tables that they give.
#ifndef WEFT_TESTS_CLI_JOBS_H
#define WEFT_TESTS_CLI_JOBS_H

#include "program.h"

inline const char kFabric[] =
    "  <topology type=\"leaf-spine\" leaves=\"2\" hosts-per-leaf=\"4\" spines=\"2\" "
    "host-rate=\"100Gbps\" uplink-rate=\"100Gbps\"/>\n";

/* A scenario over the fabric above. */
inline std::string scenario(const std::string &inside)
{
    return std::string("<scenario name=\"jobs\">\n") + kFabric + inside + "</scenario>\n";
}

inline Said run(const TempDir &dir, const std::string &inside, const std::string &out,
                std::vector<std::string> more = {})
{
    write_file(dir / "s.xml", scenario(inside));
    std::vector<std::string> args = {"run", dir / "s.xml", "--out", dir / out};
    args.insert(args.end(), more.begin(), more.end());
    return weft(args);
}

/* The cell of the row whose first cell is @p row; "?": there is none. */
inline std::string cell(const std::string &file, const std::string &row, const std::string &column)
{
    const auto all = cells(file);
    for (size_t c = 0; !all.empty() && c < all[0].size(); c++)
        for (const auto &r : all)
            if (all[0][c] == column && r[0] == row)
                return c < r.size() ? r[c] : "";
    return "?";
}

/* Rows of a table that begin with a job's name, without it. */
inline std::string rows_of(const std::string &file, const std::string &job)
{
    std::istringstream in(slurp(file));
    std::string all;
    for (std::string line; std::getline(in, line);)
        if (line.rfind(job + ",", 0) == 0)
            all += line.substr(job.size() + 1) + "\n";
    return all;
}

/* The rows of a table without its header. */
inline std::string rows(const std::string &file)
{
    const std::string text = slurp(file);
    return text.substr(text.find('\n') + 1);
}

#endif
