/* SPDX-License-Identifier: GPL-2.0-only */
/* What a test writes to a file of rows, as a string. */
#ifndef WEFT_TESTS_BASE_ROWS_FILE_H
#define WEFT_TESTS_BASE_ROWS_FILE_H

#include "base/rows.h"

#include "temp_dir.h"

class RowsFile
{
  public:
    RowsFile() : rows(weft_rows_open((m_dir / "rows").c_str(), nullptr)) {}
    ~RowsFile()
    {
        weft_rows_close(rows, nullptr);
    }
    RowsFile(const RowsFile &) = delete;
    RowsFile &operator=(const RowsFile &) = delete;
    std::string text()
    {
        weft_rows_flush(rows, nullptr);
        return slurp(m_dir / "rows");
    }

  private:
    TempDir m_dir;

  public:
    weft_rows *rows;
};

#endif
