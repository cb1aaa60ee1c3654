#include "reference/kernels/cuda/convolution_signature.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lockstep::kernels_internal {
namespace {

using kernels::PlaceWindows;

// A 3 x 3 filter with stride 2 on 56 x 57 images, padded as SAME.
ConvolutionSignature Strided() {
  const auto place = [](int64_t input) {
    return PlaceWindows("Test", input, 3, 2, kernels::Padding::kSame);
  };
  return {.images = 8,
          .shape = {56, 57, 4, 3, 3, 16, {2, 2}, place(56), place(57)}};
}

TEST(ConvolutionSignatureTest, EveryPartTellsPlansApart) {
  using Signature = ConvolutionSignature;
  const std::vector<std::function<void(Signature&)>> changes = {
      [](Signature& s) { s.pass = ConvolutionPass::kBackwardData; },
      [](Signature& s) { s.dtype = DType::kFloat64; },
      [](Signature& s) { s.images = 9; },
      [](Signature& s) { s.shape.height = 58; },
      [](Signature& s) {
        s.shape.strides = {1, 2};
      },
      [](Signature& s) { s.shape.columns.before = 0; },
      [](Signature& s) { s.bias = true; },
      [](Signature& s) { s.relu = true; },
      [](Signature& s) { s.wide = true; },
      [](Signature& s) { s.allow_winograd = true; },
      [](Signature& s) { s.allow_tf32 = true; },
      [](Signature& s) { s.autotune = true; }};
  std::map<Signature, int> plans = {{Strided(), -1}};
  std::set<std::string> words = {Describe(Strided())};
  for (size_t i = 0; i < changes.size(); ++i) {
    Signature changed = Strided();
    changes[i](changed);
    EXPECT_TRUE(plans.emplace(changed, i).second) << i;
    EXPECT_TRUE(words.insert(Describe(changed)).second) << i;
  }
  EXPECT_EQ(plans.at(Strided()), -1);
}

TEST(ConvolutionSignatureTest, UnevenPaddingBecomesZerosBehind) {
  const ConvolutionSignature uneven = Strided();
  ASSERT_EQ(uneven.shape.rows, (kernels::Windows{28, 0, 1}));
  ASSERT_EQ(uneven.shape.columns, (kernels::Windows{29, 1, 1}));
  EXPECT_TRUE(uneven.NeedsZerosBehind());
  const ConvolutionSignature even = uneven.WithZerosBehind();
  EXPECT_FALSE(even.NeedsZerosBehind());
  EXPECT_EQ(even.shape.height, 57);
  EXPECT_EQ(even.shape.width, 57);
  EXPECT_EQ(even.shape.rows, (kernels::Windows{28, 0, 0}));
  EXPECT_EQ(even.shape.columns, uneven.shape.columns);
}

TEST(ConvolutionSignatureTest, WordsForPeople) {
  ConvolutionSignature signature = Strided();
  signature.bias = true;
  EXPECT_EQ(Describe(signature),
            "Conv2D forward 8 x 56 x 57 x 4, filter 3 x 3 x 16, strides 2 x 2, "
            "padding 0 1 1 1, float32, bias");
}

TEST(ConvolutionSignatureTest, EvenPaddingStays) {
  ConvolutionSignature valid = Strided();
  valid.shape.rows = {27, 0, 0};
  EXPECT_FALSE(valid.NeedsZerosBehind());
  EXPECT_EQ(valid.WithZerosBehind(), valid);
}

}  // namespace
}  // namespace lockstep::kernels_internal
