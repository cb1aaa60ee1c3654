#include "reference/base/encoding/crc32c.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "reference/base/random.h"

namespace lockstep {
namespace {

// RFC 3720, appendix B.4; the last is the check value of every CRC catalogue.
TEST(Crc32cTest, AgreesWithTheVectorsOfRfc3720) {
  std::string rising, falling;
  for (int i = 0; i < 32; ++i) {
    rising.push_back(static_cast<char>(i));
    falling.push_back(static_cast<char>(31 - i));
  }
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(Crc32c(rising), 0x46dd794eu);
  EXPECT_EQ(Crc32c(falling), 0x113fdb5cu);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(""), 0u);
}

TEST(Crc32cTest, TableAndInstructionAgree) {
  Random random(1);
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    bytes.push_back(static_cast<char>(random.Next32()));
  }
  for (size_t begin = 0; begin < 16; ++begin) {
    for (size_t size = 0; begin + size <= bytes.size(); ++size) {
      const std::string_view part(bytes.data() + begin, size);
      EXPECT_EQ(ExtendCrc32c(7, part), ExtendCrc32cByTable(7, part));
    }
  }
}

// Around the lengths from which three checksums are interleaved.
TEST(Crc32cTest, TableAndInstructionAgreeOnLongInput) {
  Random random(2);
  std::string bytes;
  for (int i = 0; i < 40'000; ++i) {
    bytes.push_back(static_cast<char>(random.Next32()));
  }
  for (const size_t size :
       {12'287, 12'288, 12'289, 24'575, 24'576, 24'585, 36'864, 39'999}) {
    for (const size_t begin : {0, 1}) {
      const std::string_view part(bytes.data() + begin, size);
      EXPECT_EQ(ExtendCrc32c(9, part), ExtendCrc32cByTable(9, part)) << size;
    }
  }
}

TEST(Crc32cTest, ExtendsAcrossEverySplit) {
  const std::string text = "a checkpoint is written in pieces";
  for (size_t split = 0; split <= text.size(); ++split) {
    EXPECT_EQ(ExtendCrc32c(Crc32c(text.substr(0, split)), text.substr(split)),
              Crc32c(text));
  }
}

// The masked checksum TensorFlow 2.21 stored for int64 1 (a save_counter).
TEST(Crc32cTest, MasksAsTensorFlowDoes) {
  const std::string one("\1\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(MaskCrc32c(Crc32c(one)), 0x41de7501u);
  for (const uint32_t crc : {0u, 1u, 0x80000000u, 0xffffffffu}) {
    EXPECT_NE(MaskCrc32c(crc), crc);
  }
}

}  // namespace
}  // namespace lockstep
