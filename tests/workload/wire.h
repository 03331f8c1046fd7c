/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making Chakra bytes by hand, independent of weft's writer and of protobuf-c, and files for them.
 */
#ifndef WEFT_TESTS_WIRE_H
#define WEFT_TESTS_WIRE_H

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/err.h"

namespace wire
{

using Bytes = std::string;

inline Bytes Varint(uint64_t v)
{
    Bytes out;
    for (; v > 0x7f; v >>= 7)
        out += static_cast<char>((v & 0x7f) | 0x80);
    return out + static_cast<char>(v);
}

inline Bytes Key(int field, int wire_type)
{
    return Varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(wire_type));
}

inline Bytes Int(int field, uint64_t v)
{
    return Key(field, 0) + Varint(v);
}

inline Bytes Blob(int field, const Bytes &b)
{
    return Key(field, 2) + Varint(b.size()) + b;
}

inline Bytes Fixed(int field, uint64_t v, int bytes)
{
    Bytes out = Key(field, bytes == 8 ? 1 : 5);
    for (int i = 0; i < bytes; i++)
        out += static_cast<char>(v >> (8 * i));
    return out;
}

/** One framed message. */
inline Bytes Frame(const Bytes &b)
{
    return Varint(b.size()) + b;
}

/** A metadata message with a version. */
inline Bytes Header(const char *version = "0.0.4")
{
    return Frame(Blob(1, version));
}

/** An attribute field of a node; @p value is the encoded oneof member. */
inline Bytes Attr(const char *name, const Bytes &value)
{
    return Blob(10, Blob(1, name) + value);
}

/** An attribute with an int64_val. */
inline Bytes AttrInt(const char *name, int64_t v)
{
    return Attr(name, Int(9, static_cast<uint64_t>(v)));
}

/** The start of a node: id, name and type, with proto3's rule that zeros are not written. */
inline Bytes NodeHead(uint64_t id, const char *name, int type)
{
    return (id ? Int(1, id) : "") + (*name ? Blob(2, name) : "") +
           (type ? Int(3, static_cast<uint64_t>(type)) : "");
}

/** A COMP node that waits for @p deps (data_deps, packed). */
inline Bytes Comp(uint64_t id, const char *name, std::initializer_list<uint64_t> deps = {})
{
    Bytes packed;
    for (uint64_t d : deps)
        packed += Varint(d);
    return NodeHead(id, name, 4) + (packed.empty() ? "" : Blob(5, packed));
}

/** A COMM_COLL node. */
inline Bytes Coll(uint64_t id, const char *name, int64_t type, int64_t size)
{
    return NodeHead(id, name, 7) + AttrInt("comm_type", type) + AttrInt("comm_size", size);
}

/** A folder that disappears with the test. */
class Folder
{
  public:
    Folder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "weft-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr)
            ADD_FAILURE() << "mkdtemp failed";
        m_path = pattern;
    }
    ~Folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    std::string operator/(const std::string &name) const
    {
        return m_path + "/" + name;
    }
    std::string Write(const std::string &name, const Bytes &data) const
    {
        std::ofstream(*this / name, std::ios::binary) << data;
        return *this / name;
    }

  private:
    std::string m_path;
};

inline Bytes ReadAll(const std::string &path)
{
    std::ifstream f(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(f), {});
}

inline std::string Text(const weft_err &err)
{
    char buf[WEFT_ERR_MSG_MAX + WEFT_ERR_FILE_MAX + 64];
    return weft_err_format(&err, buf, sizeof buf);
}

} // namespace wire

/** The error code, the byte offset and a part of the message, with the message shown on failure. */
#define EXPECT_ERR(err, want_code, want_offset, part)                                              \
    do {                                                                                           \
        EXPECT_EQ((err).code, (want_code)) << wire::Text(err);                                     \
        EXPECT_EQ((err).offset, (want_offset)) << wire::Text(err);                                 \
        EXPECT_NE(std::string((err).msg).find(part), std::string::npos) << wire::Text(err);        \
    } while (0)

#endif
