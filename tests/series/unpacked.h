// SPDX-License-Identifier: GPL-2.0-only
// The text of a packed table.
#ifndef WEFT_TESTS_SERIES_UNPACKED_H
#define WEFT_TESTS_SERIES_UNPACKED_H

#include "series/packed.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

/* What can be read, and in @p whole whether nothing failed. */
inline std::string unpacked(const std::string &path, bool *whole = nullptr)
{
    std::string text;
    char part[4096];
    weft_err e = {};
    FILE *f = weft_series_unpack(path.c_str(), &e);
    EXPECT_NE(f, nullptr) << e.msg;
    for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0;)
        text.append(part, n);
    if (whole)
        *whole = f && !ferror(f);
    if (f)
        fclose(f);
    return text;
}

#endif
