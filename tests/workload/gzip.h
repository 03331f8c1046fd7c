// SPDX-License-Identifier: GPL-2.0-only
// Bytes as gzip files have them.
#ifndef WEFT_TESTS_WORKLOAD_GZIP_H
#define WEFT_TESTS_WORKLOAD_GZIP_H

#include "wire.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace wire
{

inline Bytes Gzip(const Bytes &in)
{
    z_stream z{};
    EXPECT_EQ(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    Bytes out(deflateBound(&z, in.size()), '\0');
    z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(in.data()));
    z.avail_in = static_cast<uInt>(in.size());
    z.next_out = reinterpret_cast<Bytef *>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

} // namespace wire

#endif
