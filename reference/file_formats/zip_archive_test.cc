#include "reference/file_formats/zip_archive.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/base/error_testing.h"
#include "reference/file_formats/damage_testing.h"

namespace lockstep::export_internal {
namespace {

constexpr uint64_t kEnough = 1 << 20;

TEST(ZipArchiveTest, MembersRoundTripUncompressed) {
  const std::string large(300000, 'x');
  const std::string bytes =
      WriteZip({{"a.json", "{}"}, {"b", large}, {"c", ""}});
  EXPECT_NE(bytes.find(large), std::string::npos);
  EXPECT_EQ(bytes, WriteZip({{"a.json", "{}"}, {"b", large}, {"c", ""}}));
  const ZipReader archive(bytes, "memory");
  EXPECT_EQ(archive.Read("a.json", kEnough), "{}");
  EXPECT_EQ(archive.Read("b", kEnough), large);
  EXPECT_EQ(archive.Read("c", kEnough), "");
  ExpectError([&] { archive.Read("d", kEnough); }, Code::kNotFound, "'d'");
}

TEST(ZipArchiveTest, RefusesMoreThanTheLimit) {
  const std::string bytes = WriteZip({{"a", "12345"}});
  const ZipReader archive(bytes, "memory");
  EXPECT_EQ(archive.Read("a", 5), "12345");
  ExpectError([&] { archive.Read("a", 4); }, Code::kInvalidArgument,
              "5 bytes, of 4");
}

TEST(ZipArchiveTest, PathsThatLeaveTheFolder) {
  for (const char* name :
       {"../a", "/a", "a/../../b", "a\\..\\b", "C:a", ".."}) {
    const std::string bytes = WriteZip({{name, ""}});
    ExpectError([&] { ZipReader(bytes, "memory"); }, Code::kInvalidArgument,
                "leaves the folder");
  }
  const std::string bytes = WriteZip({{"a/..b", "x"}});
  EXPECT_EQ(ZipReader(bytes, "memory").Read("a/..b", kEnough), "x");
}

TEST(ZipArchiveTest, RefusesZipBombs) {
  const std::string bytes = DeflatedZip("zeros", std::string(1000000, '\0'));
  EXPECT_LT(bytes.size(), 2000u);
  const ZipReader archive(bytes, "bomb");
  EXPECT_EQ(archive.Read("zeros", kEnough), std::string(1000000, '\0'));
  ExpectError([&] { archive.Read("zeros", 999999); }, Code::kInvalidArgument,
              "1000000 bytes");
  // Declares a small size, but has a large content.
  const std::string real("\x40\x42\x0f\0", 4), lie("\x10\0\0\0", 4);
  std::string lying = bytes;
  for (size_t at = lying.find(real); at != std::string::npos;
       at = lying.find(real)) {
    lying.replace(at, 4, lie);
  }
  ExpectError([&] { ZipReader(lying, "liar").Read("zeros", 999999); },
              Code::kDataLoss, "zeros");
}

std::string ReadBoth(const std::string& bytes) {
  const ZipReader archive(bytes, "damaged");
  return archive.Read("config.json", kEnough) + archive.Read("w", kEnough);
}

TEST(DamagedZipTest, EveryTruncation) {
  ExpectTruncationsAreDataLoss(WriteZip({{"config.json", "{}"}, {"w", "123"}}),
                               ReadBoth);
}

TEST(DamagedZipTest, EveryByte) {
  const std::string bytes = WriteZip({{"config.json", "{}"}, {"w", "123"}});
  // Only dates, versions and attributes may change.
  EXPECT_LE(CountUnnoticedBytes<std::string>(bytes, ReadBoth), 50);
}

}  // namespace
}  // namespace lockstep::export_internal
