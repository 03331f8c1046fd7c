// SPDX-License-Identifier: GPL-2.0-only
// docs/outputs.md names every file, column and metric that there is.
#include "report/columns.h"
#include "report/summary.h"
#include "tests/base/temp_dir.h"

#include <gtest/gtest.h>

TEST(OutputsDoc, NamesEveryColumnAndMetric)
{
    const char *root = getenv("WEFT_SOURCE_DIR");
    ASSERT_NE(root, nullptr);
    const std::string doc = slurp(std::string(root) + "/docs/outputs.md");
    ASSERT_FALSE(doc.empty());
    for (const weft_csv_file &f : weft_csv_files) {
        const size_t at = doc.find(std::string("## ") + f.name);
        ASSERT_NE(at, std::string::npos) << f.name;
        const std::string section = doc.substr(at, doc.find("\n## ", at + 3) - at);
        for (size_t i = 0; i < f.n; i++)
            EXPECT_NE(section.find(std::string("| `") + f.columns[i].name + "` |"),
                      std::string::npos)
                << f.name << " " << f.columns[i].name;
    }
    for (int k = 0; k < WEFT_SPENT_KINDS; k++) {
        const std::string row = std::string("| `") + weft_spent_name((weft_spent)k) + "` | " +
                                weft_spent_meaning((weft_spent)k) + " |";
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
}
