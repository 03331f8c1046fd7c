// SPDX-License-Identifier: GPL-2.0-only
#include "results.h"

#include "tests/base/temp_dir.h"
#include "tests/series/unpacked.h"

#include <jansson.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace fs = std::filesystem;

// Quotes hold commas, doubled quotes and line ends.
static std::vector<std::vector<std::string>> parse(const std::string &text)
{
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row;
    std::string cell;
    bool quoted = false;
    for (size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        if (quoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else if (c == '"')
                quoted = false;
            else
                cell += c;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',' || c == '\n') {
            row.push_back(cell);
            cell.clear();
            if (c == '\n') {
                rows.push_back(row);
                row.clear();
            }
        } else {
            cell += c;
        }
    }
    return rows;
}

std::string table_text(const std::string &path)
{
    const bool named = path.rfind(WEFT_SERIES_PACKED) != std::string::npos;
    const std::string packed = named ? path : path + WEFT_SERIES_PACKED;
    return (named || !fs::exists(path)) && fs::exists(packed) ? unpacked(packed) : slurp(path);
}

Csv::Csv(const std::string &path)
{
    if (path.empty())
        return;
    m_rows = parse(table_text(path));
    if (m_rows.empty())
        return;
    for (size_t i = 0; i < m_rows[0].size(); i++)
        m_columns[m_rows[0][i]] = i;
    m_rows.erase(m_rows.begin());
}

const std::string &Csv::text(size_t row, const std::string &column) const
{
    static const std::string none;
    const auto c = m_columns.find(column);
    return c == m_columns.end() || c->second >= m_rows[row].size() ? none : m_rows[row][c->second];
}

uint64_t Csv::u64(size_t row, const std::string &column) const
{
    return strtoull(text(row, column).c_str(), nullptr, 10);
}

double Csv::real(size_t row, const std::string &column) const
{
    return strtod(text(row, column).c_str(), nullptr);
}

int64_t Csv::ps(size_t row, const std::string &column) const
{
    std::string t = text(row, column);
    const size_t dot = t.find('.');
    if (dot == std::string::npos)
        return strtoll(t.c_str(), nullptr, 10) * 1000;
    t.erase(dot, 1);
    return strtoll(t.c_str(), nullptr, 10);
}

uint64_t Csv::sum(const std::string &column) const
{
    uint64_t all = 0;
    for (size_t i = 0; i < rows(); i++)
        all += u64(i, column);
    return all;
}

Results::Results(const std::string &dir)
    : folder(dir), flows(dir + "/flows.csv"), links(dir + "/links.csv"), ops(dir + "/ops.csv"),
      ranks(dir + "/ranks.csv"), pfc(dir + "/pfc.csv"), path(dir + "/critical_path.csv"),
      collectives(dir + "/collectives.csv"), faults(dir + "/faults.csv"),
      tcp(dir + "/tcp_connections.csv")
{
    json_t *doc = json_loads(slurp(dir + "/run.json").c_str(), 0, nullptr);
    const char *o = json_string_value(json_object_get(doc, "outcome"));
    outcome = o ? o : "";
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(doc, "summary"), key, value)
    {
        if (json_is_number(value))
            summary[key] = json_number_value(value);
    }
    json_decref(doc);
}
