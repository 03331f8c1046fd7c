/* SPDX-License-Identifier: GPL-2.0-only */
/* Run folders made by hand, and the points of figures drawn of them. */
#ifndef WEFT_TESTS_PLOT_FOLDER_H
#define WEFT_TESTS_PLOT_FOLDER_H

#include "tests/cli/program.h"

#include <filesystem>
#include <map>

/* A folder with a run.json that has these settings: "\"congestion-control\": {\"name\": \"hpcc\"}".
 */
inline void make_run(const std::string &dir, const std::string &config = "")
{
    std::filesystem::create_directories(dir);
    write_file(dir + "/run.json",
               "{\"schema_version\": 1, \"scenario\": \"by-hand\", \"outcome\": \"finished\", "
               "\"partial\": false, \"config\": {" +
                   config + "}, \"summary\": {\"end_to_end_ns\": 1000}}\n");
}

struct Point {
    std::string panel, curve, text;
    double x, y, x_to, y_to, value;
};

inline double number(const std::string &s)
{
    return s.empty() ? NAN : std::stod(s);
}

/* The cells of a line; quotes within quotes do not occur. */
inline std::vector<std::string> cells_of(const std::string &line)
{
    std::vector<std::string> out = {""};
    bool quoted = false;
    for (char c : line)
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            out.emplace_back();
        else
            out.back() += c;
    return out;
}

/* The points of a figure as `weft plot --to csv` prints them. */
inline std::vector<Point> points_of(const std::string &csv)
{
    std::vector<Point> out;
    std::istringstream in(csv);
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line.compare(0, 13, "panel,curve,x"), 0) << line;
    while (std::getline(in, line)) {
        const std::vector<std::string> c = cells_of(line);
        if (c.size() != 8) {
            ADD_FAILURE() << line;
            continue;
        }
        out.push_back({c[0], c[1], c[7], number(c[2]), number(c[3]), number(c[4]), number(c[5]),
                       number(c[6])});
    }
    return out;
}

inline std::vector<Point> plot(std::vector<std::string> args)
{
    args.insert(args.begin(), "plot");
    args.insert(args.end(), {"--to", "csv", "--out", "-"});
    const Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    return points_of(s.out);
}

/* Points of one curve of one panel. */
inline std::vector<Point> curve(const std::vector<Point> &all, const std::string &name,
                                const std::string &panel = "")
{
    std::vector<Point> out;
    for (const Point &p : all)
        if (p.curve == name && p.panel == panel)
            out.push_back(p);
    return out;
}

/* Rows of a CSV file by column. */
inline std::vector<std::map<std::string, std::string>> table(const std::string &file)
{
    std::vector<std::map<std::string, std::string>> out;
    const auto rows = cells(file);
    for (size_t i = 1; i < rows.size(); i++) {
        out.emplace_back();
        for (size_t k = 0; k < rows[0].size() && k < rows[i].size(); k++)
            out.back()[rows[0][k]] = rows[i][k];
    }
    return out;
}

/* An incast on the ideal backend's fabric or, where there are packets, on those. */
inline void run_incast(const std::string &dir, std::vector<std::string> more = {})
{
    std::vector<std::string> a = {"run",
                                  "--set",
                                  "topology.type=single-switch",
                                  "--set",
                                  "single-switch.hosts=9",
                                  "--set",
                                  "workload.type=incast",
                                  "--set",
                                  "incast.degree=8",
                                  "--set",
                                  "incast.size=20KB",
                                  "--set",
                                  "incast.period=50us",
                                  "--set",
                                  "incast.duration=300us",
                                  "--quiet",
                                  "--out",
                                  dir};
    a.insert(a.end(), more.begin(), more.end());
    const Said s = weft(a);
    EXPECT_EQ(s.code, 0) << s.err;
}

#endif
