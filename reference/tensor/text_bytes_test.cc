#include "reference/tensor/text_bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

TEST(TextBytesTest, AnyBytesComeBack) {
  const std::string text("a\0\xff\n", 4);
  EXPECT_EQ(BytesOf(text).shape(), Shape{4});
  EXPECT_EQ(TextOf(BytesOf(text)), text);
  EXPECT_EQ(TextOf(BytesOf("")), "");
}

TEST(TextBytesTest, PackedTextsComeBack) {
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{}, {""}, {"", "a", "", "b\nc", "\xff"}}) {
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    EXPECT_EQ(UnpackTexts(PackTexts(views)), texts);
  }
}

TEST(TextBytesTest, OtherTensorsAreRefused) {
  const std::vector<std::string_view> words = {"ab", "c"};
  std::vector<Tensor> packed = PackTexts(words);
  packed[0] = BytesOf("a");
  ExpectError([&] { UnpackTexts(packed); }, Code::kFailedPrecondition,
              "same program");
  packed.pop_back();
  ExpectError([&] { UnpackTexts(packed); }, Code::kFailedPrecondition,
              "same program");
}

}  // namespace
}  // namespace lockstep
