// SPDX-License-Identifier: GPL-2.0-only
// Runs with series, and their tables as rows.
#ifndef WEFT_TESTS_CLI_SERIES_RUNS_H
#define WEFT_TESTS_CLI_SERIES_RUNS_H

#include "program.h"

#include <fstream>
#include <map>

using Row = std::map<std::string, std::string>;

inline std::vector<std::string> Split(const std::string &line)
{
    std::vector<std::string> cells;
    std::string cell;
    std::istringstream in(line + ",");
    while (std::getline(in, cell, ','))
        cells.push_back(cell);
    return cells;
}

inline std::vector<Row> Rows(const std::string &path)
{
    std::vector<Row> rows;
    std::istringstream in(slurp(path));
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> names = Split(line);
    while (std::getline(in, line)) {
        const std::vector<std::string> cells = Split(line);
        EXPECT_EQ(cells.size(), names.size()) << line;
        Row row;
        for (size_t i = 0; i < names.size() && i < cells.size(); i++)
            row[names[i]] = cells[i];
        rows.push_back(row);
    }
    return rows;
}

inline double Number(const Row &row, const char *column)
{
    EXPECT_TRUE(row.count(column)) << column;
    return std::stod("0" + row.at(column));
}

/* Two hosts send 1 MB each to a third, through one switch, from 100 us on. */
inline std::string Incast(const std::string &dir, const std::string &more)
{
    const std::string path = dir + "/scenario.xml";
    std::ofstream(path) << "<scenario name='incast'>\n"
                           "<topology type='single-switch' hosts='3' rate='100Gbps' delay='1us'/>\n"
                           "<congestion-control name='none'/>\n"
                           "<workload type='incast' degree='2' size='1MB' receiver='first' "
                           "period='100us' duration='101us'/>\n"
                        << more << "</scenario>\n";
    return path;
}

inline std::string Play(const TempDir &dir, const std::string &scenario, const std::string &out,
                        std::vector<std::string> more = {})
{
    std::vector<std::string> args = {"run", scenario, "--quiet", "-o", dir / out};
    args.insert(args.end(), more.begin(), more.end());
    const Said said = weft(args);
    EXPECT_EQ(said.code, 0) << said.err;
    return dir / out;
}

inline std::string Value(const std::string &json, const std::string &key)
{
    const size_t at = json.find("\"" + key + "\":");
    return at == std::string::npos ? "" : json.substr(at, json.find('\n', at) - at);
}

#endif
