// SPDX-License-Identifier: GPL-2.0-only
// The reference names every column, metric and cause that there is. Its tables are made by
// docs/update; that they are up to date is asked by Docs.reference.
#include "report/columns.h"
#include "report/summary.h"
#include "series/series.h"
#include "tests/base/temp_dir.h"

#include <gtest/gtest.h>

#include <vector>

namespace
{

/* The section of a file has a row for each of its columns. */
void ExpectColumns(const std::string &doc, const std::string &name, const weft_csv_file &f)
{
    const size_t at = doc.find("## " + name);
    ASSERT_NE(at, std::string::npos) << name;
    const std::string section = doc.substr(at, doc.find("\n## ", at + 3) - at);
    for (size_t i = 0; i < f.n; i++)
        EXPECT_NE(section.find(std::string("| `") + f.columns[i].name + "` |"), std::string::npos)
            << name << " " << f.columns[i].name;
}

/* All files of a run. */
std::vector<const weft_csv_file *> AllFiles()
{
    std::vector<const weft_csv_file *> all(weft_csv_files, weft_csv_files + WEFT_CSV_FILES);
    all.insert(all.end(), weft_series_files, weft_series_files + WEFT_SERIES_FILES);
    return all;
}

} // namespace

TEST(OutputsDoc, NamesEveryColumnAndMetric)
{
    const char *root = getenv("WEFT_SOURCE_DIR");
    ASSERT_NE(root, nullptr);
    const std::string folder = std::string(root) + "/docs/reference/";
    const std::string doc =
        slurp(folder + "columns.md") + slurp(folder + "metrics.md") + slurp(folder + "summary.md");
    ASSERT_FALSE(doc.empty());
    for (const weft_csv_file *file : weft_csv_files)
        ExpectColumns(doc, file->name, *file);
    for (const weft_csv_file *file : weft_series_files)
        ExpectColumns(doc, std::string(WEFT_SERIES_DIR "/") + file->name, *file);
    for (int k = 0; k < WEFT_CAUSES; k++) {
        const std::string row = std::string("| `") + weft_cause_name((weft_cause)k) + "` | " +
                                weft_cause_meaning((weft_cause)k) + " |";
        EXPECT_NE(doc.find(row), std::string::npos) << row;
    }
    size_t n;
    const weft_metric *m = weft_metrics(&n);
    for (size_t i = 0; i < n; i++) {
        char key[WEFT_METRIC_TEXT_MAX];
        EXPECT_NE(doc.find(std::string("| `") + m[i].name + "` | `" + weft_metric_key(&m[i], key) +
                           "` |"),
                  std::string::npos)
            << m[i].name << " " << key;
    }
    for (const char *const before : {"job.WORKLOAD.", "class.PRIO."}) {
        m = weft_metrics_of(before[0] == 'j' ? WEFT_METRIC_OF_JOB : WEFT_METRIC_OF_CLASS, &n);
        for (size_t i = 0; i < n; i++)
            EXPECT_NE(doc.find(std::string("| `") + before + m[i].name + "` |"), std::string::npos)
                << before << m[i].name;
    }
}

/* A column's name ends with its unit, and there is room for all columns. */
TEST(Columns, NamesCarryTheirUnits)
{
    for (const weft_csv_file *f : AllFiles()) {
        EXPECT_LE(f->n, size_t(WEFT_COLUMNS_MAX)) << f->name;
        for (size_t i = 0; i < f->n; i++) {
            const weft_column &c = f->columns[i];
            const std::string name = c.name, unit = weft_column_unit_name(c.unit);
            std::string end;
            for (int u = 0; u < WEFT_COLUMN_UNITS; u++) {
                const std::string word = weft_column_unit_name(weft_column_unit(u));
                if (!word.empty() &&
                    (name == word || (name.size() > word.size() &&
                                      name.compare(name.size() - word.size() - 1, std::string::npos,
                                                   "_" + word) == 0)))
                    end = word;
            }
            EXPECT_EQ(end, unit) << f->name << " " << name;
            EXPECT_EQ(c.type == WEFT_CELL_PS, c.unit == WEFT_UNIT_NS) << name;
            EXPECT_EQ(c.type == WEFT_CELL_TEXT || c.type == WEFT_CELL_HEX, c.unit == WEFT_UNIT_TEXT)
                << name;
            EXPECT_NE(std::string(c.help), "") << name;
            for (size_t k = 0; k < i; k++)
                EXPECT_STRNE(f->columns[k].name, c.name) << f->name;
        }
    }
}
