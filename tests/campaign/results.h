// SPDX-License-Identifier: GPL-2.0-only
// A run folder, as a reader of the CSV files sees it.
#ifndef WEFT_TESTS_CAMPAIGN_RESULTS_H
#define WEFT_TESTS_CAMPAIGN_RESULTS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/* The text of a table: of its file, or of the packed one beside it. Where frames of a packed table
 * begin follows from when it was flushed, what they hold does not. */
std::string table_text(const std::string &path);

/* A CSV file: rows of cells, found by the names of the header. */
class Csv
{
  public:
    explicit Csv(const std::string &path = "");
    size_t rows() const
    {
        return m_rows.size();
    }
    bool exists() const
    {
        return !m_columns.empty();
    }
    const std::string &text(size_t row, const std::string &column) const;
    uint64_t u64(size_t row, const std::string &column) const;
    double real(size_t row, const std::string &column) const;
    /* Nanoseconds with three decimals, as picoseconds: exact. */
    int64_t ps(size_t row, const std::string &column) const;
    /* Sum of a column of whole numbers. */
    uint64_t sum(const std::string &column) const;

  private:
    std::map<std::string, size_t> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/* The files of a run, and what run.json sums up. */
struct Results {
    explicit Results(const std::string &folder);
    std::string folder, outcome;
    Csv flows, links, ops, ranks, pfc, path, collectives, faults, tcp;
    std::map<std::string, double> summary; // numbers by JSON key
};

#endif
