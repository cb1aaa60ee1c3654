#include "reference/base/encoding/compression.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

std::string Deflate(Compression format, std::string_view text) {
  std::string archive;
  const auto append = [&](std::string_view piece) { archive += piece; };
  Deflater deflater(format);
  deflater.Add(text, append);
  deflater.Finish(append);
  return archive;
}

// With `step` bytes of input and of output at a time.
std::string Inflate(Compression format, std::string_view archive, size_t step) {
  Inflater inflater(format, "[Read] x");
  std::string text, piece(step, '\0');
  while (!archive.empty()) {
    std::string_view in = archive.substr(0, step);
    const size_t given = in.size();
    while (const int64_t made = inflater.Inflate(&in, piece)) {
      text += piece.substr(0, made);
    }
    EXPECT_TRUE(in.empty());
    archive.remove_prefix(given);
  }
  inflater.CheckEnd();
  return text;
}

std::string Text() {
  std::string text;
  for (int i = 0; i < 9000; ++i) text += std::to_string(i * 7919 % 10007);
  return text;
}

TEST(CompressionTest, RoundTripsInPiecesOfAnySize) {
  for (const Compression format : {Compression::kGzip, Compression::kZlib}) {
    const std::string archive = Deflate(format, Text());
    EXPECT_LT(archive.size(), Text().size());
    for (const size_t step : {1, 2, 1000, 1 << 20}) {
      EXPECT_EQ(Inflate(format, archive, step), Text()) << step;
    }
    EXPECT_EQ(Inflate(format, Deflate(format, ""), 10), "");
  }
}

// Python 3.11: gzip.compress(b"abc", mtime=0), zlib.compress(b"abc").
TEST(CompressionTest, ReadsWhatOthersWrote) {
  const std::string gzip(
      "\x1f\x8b\x08\0\0\0\0\0\x02\xff\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0"
      "\0",
      23);
  EXPECT_EQ(Inflate(Compression::kGzip, gzip, 100), "abc");
  EXPECT_EQ(Inflate(Compression::kGzip, gzip + gzip, 7), "abcabc");
  const std::string zlib("\x78\x9c\x4b\x4c\x4a\x06\0\x02\x4d\x01\x27", 11);
  EXPECT_EQ(Inflate(Compression::kZlib, zlib, 100), "abc");
  ExpectError([&] { Inflate(Compression::kZlib, zlib + zlib, 7); },
              Code::kDataLoss,
              "[Read] x: the archive ends before its file, at offset 11");
}

TEST(CompressionTest, ReportsEveryPrefixAsTruncated) {
  for (const Compression format : {Compression::kGzip, Compression::kZlib}) {
    const std::string archive = Deflate(format, "to be or not to be");
    for (size_t size = 0; size < archive.size(); ++size) {
      ExpectError([&] { Inflate(format, archive.substr(0, size), 5); },
                  Code::kDataLoss,
                  "[Read] x: the archive is truncated at offset " +
                      std::to_string(size));
    }
  }
}

TEST(CompressionTest, ReportsTheOffsetOfDamage) {
  std::string archive = Deflate(Compression::kGzip, Text());
  archive[archive.size() - 6] ^= 1;  // of the checksum
  ExpectError([&] { Inflate(Compression::kGzip, archive, 1 << 20); },
              Code::kDataLoss, "incorrect data check");
  ExpectError([&] { Inflate(Compression::kGzip, "plain text", 100); },
              Code::kDataLoss,
              "[Read] x: the archive is damaged at offset 2: incorrect header "
              "check");
  ExpectError(
      [&] { Inflate(Compression::kGzip, archive.substr(0, 0) + "\x1f", 100); },
      Code::kDataLoss, "truncated at offset 1");
}

}  // namespace
}  // namespace lockstep
