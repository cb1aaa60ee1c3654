#include "text_datasets/mo_catalog.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"

namespace lockstep {
namespace {

const std::string kMoFolder = "text_datasets/testdata/mo/";

// Python 3.11's gettext reads these of both files.
const std::vector<CatalogEntry> kEntries = {
    {"", "%d file", "%d Datei", true},
    {"menu", "open the file", "\u00f6ffne die Datei"},
    {"", "the file is missing", "die Datei fehlt"}};

TEST(ReadMoFileTest, ReadsBothByteOrders) {
  EXPECT_EQ(ReadMoFile(kMoFolder + "little_endian.mo"), kEntries);
  EXPECT_EQ(ReadMoFile(kMoFolder + "big_endian.mo"), kEntries);
  EXPECT_TRUE(ReadMoFile(kMoFolder + "empty.mo").empty());
}

// The message of an error, after its code.
std::string MoProblem(const std::string& bytes, Code code = Code::kDataLoss) {
  try {
    ParseMo(bytes, "a.mo");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "no error";
}

std::string WithByte(std::string bytes, size_t place, char byte) {
  bytes[place] = byte;
  return bytes;
}

// The tables of 4 entries are at offsets 28 and 60, the strings from 92 on; the
// second original, "%d file\0%d files", has 16 bytes.
TEST(ParseMoTest, NamesTheOffsetOfAnError) {
  const std::string good = ReadWholeFile(kMoFolder + "little_endian.mo");
  const std::string size = std::to_string(good.size());
  EXPECT_EQ(MoProblem(""),
            "[ReadMo] a.mo: truncated at offset 0: the magic number wants 4 "
            "bytes at offset 0");
  EXPECT_EQ(
      MoProblem(good.substr(0, 10)),
      "[ReadMo] a.mo: truncated at offset 10: the number of strings wants "
      "4 bytes at offset 8");
  EXPECT_EQ(MoProblem(WithByte(good, 0, 'x')),
            "[ReadMo] a.mo: at offset 0: the magic number is 95041278, wanted "
            "950412de in either byte order");
  EXPECT_EQ(MoProblem(WithByte(good, 6, 2), Code::kUnimplemented),
            "[ReadMo] a.mo: at offset 4: revision 2, wanted 0 or 1");
  EXPECT_EQ(MoProblem(WithByte(good, 9, 1)),
            "[ReadMo] a.mo: at offset 12: a table of 260 strings at offset 28 "
            "ends after the file, which has " +
                size + " bytes");
  EXPECT_EQ(MoProblem(WithByte(good, 18, 1)),
            "[ReadMo] a.mo: at offset 16: a table of 4 strings at offset 65596 "
            "ends after the file, which has " +
                size + " bytes");
  EXPECT_EQ(
      MoProblem(WithByte(good, 36, 15)),
      "[ReadMo] a.mo: at offset 36: a string of 15 bytes at offset 93 has "
      "no end in the file, which has " +
          size + " bytes");
  EXPECT_EQ(MoProblem(WithByte(good, 93, '\xff')),
            "[ReadMo] a.mo: the string at offset 93 is not UTF-8");
}

// Many strings at one place are more than a file can have.
TEST(ParseMoTest, RefusesStringsThatShareTheirBytes) {
  std::string bytes("\xde\x12\x04\x95\0\0\0\0\x04\0\0\0\x1c\0\0\0\x1c\0\0\0",
                    20);
  bytes.append(8, '\0');
  for (int i = 0; i < 4; ++i) bytes.append("\x10\0\0\0\x3c\0\0\0", 8);
  bytes.append(std::string(16, 'a')).append(1, '\0');
  ASSERT_EQ(bytes.size(), 77u);
  EXPECT_EQ(MoProblem(bytes),
            "[ReadMo] a.mo: at offset 44: strings so far claim 85 bytes, and "
            "the file has 77");
}

TEST(ParseMoTest, RefusesOtherCharacterSets) {
  const std::string bytes = ReadWholeFile(kMoFolder + "latin1.mo");
  EXPECT_TRUE(
      MoProblem(bytes, Code::kUnimplemented)
          .ends_with("texts are ISO-8859-1, wanted UTF-8; msgconv converts "
                     "them"));
  EXPECT_EQ(CodeOf([] { ReadMoFile("text_datasets/none.mo"); }),
            Code::kNotFound);
}

}  // namespace
}  // namespace lockstep
