/* SPDX-License-Identifier: GPL-2.0-only */
/* The framing: lengths, truncation, limits, gzip. */
#include "gzip.h"
#include "wire.h"
#include "workload/chakra_stream.h"

#include <vector>

using namespace wire;

namespace
{

struct Result {
    std::vector<Bytes> messages;
    std::vector<int64_t> offsets;
    int rc;
    weft_err err;
};

Result ReadStream(weft_chakra_stream *s, weft_err err)
{
    Result r{{}, {}, -1, err};
    const uint8_t *data = nullptr;
    size_t size = 0;
    int64_t offset = 0;
    while (s && (r.rc = weft_chakra_next(s, &data, &size, &offset, &r.err)) == 1) {
        r.messages.emplace_back(reinterpret_cast<const char *>(data), size);
        r.offsets.push_back(offset);
    }
    weft_chakra_close(s);
    return r;
}

Result ReadBytes(const Bytes &b)
{
    weft_err err{};
    return ReadStream(weft_chakra_open_memory("x.et", b.data(), b.size(), &err), err);
}

} // namespace

TEST(ChakraStream, MessagesAndOffsets)
{
    Bytes big(300, 'b'); // its length takes two bytes
    Result r = ReadBytes(Frame("abc") + Frame("") + Frame(big) + Frame("d"));
    ASSERT_EQ(r.rc, 0) << Text(r.err);
    EXPECT_EQ(r.messages, (std::vector<Bytes>{"abc", "", big, "d"}));
    EXPECT_EQ(r.offsets, (std::vector<int64_t>{0, 4, 5, 307}));
}

TEST(ChakraStream, EmptyInputHasNoMessages)
{
    Result r = ReadBytes("");
    EXPECT_EQ(r.rc, 0);
    EXPECT_TRUE(r.messages.empty());
}

TEST(ChakraStream, MessageLargerThanEveryBuffer)
{
    Bytes big(1000003, 'x');
    big[0] = 'f';
    big.back() = 'l';
    for (const Bytes &data : {Frame("a") + Frame(big), Gzip(Frame("a") + Frame(big))}) {
        Result r = ReadBytes(data);
        ASSERT_EQ(r.rc, 0) << Text(r.err);
        ASSERT_EQ(r.messages.size(), 2u);
        EXPECT_TRUE(r.messages[1] == big);
        EXPECT_EQ(r.offsets[1], 2);
    }
}

TEST(ChakraStream, TruncatedMessage)
{
    Result r = ReadBytes(Frame("abc") + Frame("0123456789").substr(0, 7));
    EXPECT_EQ(r.messages.size(), 1u);
    EXPECT_ERR(r.err, WEFT_E_INPUT, 4,
               "a message of 10 bytes starts here, but the file has only 6");
    EXPECT_STREQ(r.err.file, "x.et");
}

TEST(ChakraStream, TruncatedLength)
{
    Result r = ReadBytes(Frame("abc") + "\x80");
    EXPECT_ERR(r.err, WEFT_E_INPUT, 4, "ends inside a message length");
}

TEST(ChakraStream, LengthOfMoreThanFiveBytes)
{
    Result r = ReadBytes(Frame("abc") + "\x80\x80\x80\x80\x80\x01");
    EXPECT_ERR(r.err, WEFT_E_INPUT, 4, "takes more than 5 bytes");
}

TEST(ChakraStream, PaddedLengthIsAccepted)
{
    Result r = ReadBytes(Bytes("\x81\x80\x80\x80\x00z", 6));
    ASSERT_EQ(r.rc, 0) << Text(r.err);
    EXPECT_EQ(r.messages, std::vector<Bytes>{"z"});
}

TEST(ChakraStream, LengthOverTheLimit)
{
    Result at = ReadBytes(Varint(WEFT_CHAKRA_MESSAGE_MAX) + "x"); // allowed, but truncated
    EXPECT_ERR(at.err, WEFT_E_INPUT, 0, "the file has only 1 of them");
    Result over = ReadBytes(Varint(WEFT_CHAKRA_MESSAGE_MAX + 1) + "x");
    EXPECT_ERR(over.err, WEFT_E_INPUT, 0, "a message of 268435457 bytes is over the limit");
    Result five = ReadBytes(Varint(UINT64_C(0x7ffffffff)) + "x"); // five bytes, 35 bits
    EXPECT_ERR(five.err, WEFT_E_INPUT, 0, "over the limit");
}

TEST(ChakraStream, GzipIsRecognisedByContent)
{
    Folder dir;
    Bytes plain = Frame("abc") + Frame("defg");
    dir.Write("x.et", Gzip(plain));
    std::string path = dir / "x.et";
    weft_err err{};
    weft_chakra_stream *s = weft_chakra_open(path.c_str(), &err);
    ASSERT_NE(s, nullptr) << Text(err);
    EXPECT_TRUE(weft_chakra_is_gzip(s));
    Result r = ReadStream(s, err);
    EXPECT_EQ(r.rc, 0);
    EXPECT_EQ(r.messages, (std::vector<Bytes>{"abc", "defg"}));
    EXPECT_EQ(r.offsets, (std::vector<int64_t>{0, 4}));
}

TEST(ChakraStream, GzipOfSeveralMembers)
{
    Bytes plain = Frame("abc") + Frame("defg");
    Result r = ReadBytes(Gzip(plain.substr(0, 2)) + Gzip("") + Gzip(plain.substr(2)));
    EXPECT_EQ(r.rc, 0) << Text(r.err);
    EXPECT_EQ(r.messages, (std::vector<Bytes>{"abc", "defg"}));
}

TEST(ChakraStream, GzipErrorsSayThatOffsetsAreUncompressed)
{
    Result inner = ReadBytes(Gzip(Frame("abc") + Frame("0123456789").substr(0, 7)));
    EXPECT_ERR(inner.err, WEFT_E_INPUT, 4, "(the byte counts uncompressed data)");
}

/* A message of 200 MiB of one byte takes 200 KB packed: its first 64 MiB are as much as is read. */
TEST(ChakraStream, GzipThatUnpacksToMuchIsRefused)
{
    const Bytes packed = Gzip(Varint(200u << 20) + Bytes(200u << 20, 'a'));
    EXPECT_LT(packed.size(), 300000u);
    const Result r = ReadBytes(packed);
    EXPECT_EQ(r.rc, WEFT_E_LIMIT);
    EXPECT_NE(Text(r.err).find("unpack to more than 100 times as much"), Bytes::npos);
    EXPECT_EQ(ReadBytes(Gzip(Frame(Bytes(60u << 20, 'a')))).rc, 0);
}

TEST(ChakraStream, GzipTruncatedAnywhere)
{
    Bytes whole = Gzip(Frame("abc") + Frame(Bytes(5000, 'q')));
    for (size_t cut = 2; cut < whole.size(); cut++) {
        Result r = ReadBytes(whole.substr(0, cut));
        EXPECT_EQ(r.rc, WEFT_E_INPUT) << cut;
        EXPECT_NE(Text(r.err).find("truncated"), std::string::npos) << Text(r.err);
    }
}

TEST(ChakraStream, GzipDamaged)
{
    Bytes z = Gzip(Frame("abc") + Frame(Bytes(5000, 'q')));
    z[z.size() - 6] = static_cast<char>(z[z.size() - 6] ^ 1); // CRC
    EXPECT_ERR(ReadBytes(z).err, WEFT_E_INPUT, 5006, "the gzip data is damaged");
    Result tail = ReadBytes(Gzip(Frame("abc")) + "rest");
    EXPECT_ERR(tail.err, WEFT_E_INPUT, 4, "not gzip follow");
}

TEST(ChakraStream, MissingFile)
{
    weft_err err{};
    EXPECT_EQ(weft_chakra_open("/nonexistent/x.0.et", &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_STREQ(err.file, "/nonexistent/x.0.et");
}

TEST(ChakraStream, AFolderIsNotATrace)
{
    Folder dir;
    std::string path = dir / "";
    weft_err err{};
    EXPECT_EQ(weft_chakra_open(path.c_str(), &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_IO) << Text(err);
}
