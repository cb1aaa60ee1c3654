#include "reference/kernels/add_in_place.h"

#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(AddInPlaceTest, ChangesTheMemoryItIsGiven) {
  Tensor sum = Tensor::FromVector<float>({1, 2});
  const void* memory = sum.raw_data();
  AddInPlace(sum, Tensor::FromVector<float>({4, 8}));
  EXPECT_EQ(sum.ToVector<float>(), (std::vector<float>{5, 10}));
  SubtractInPlace(sum, Tensor::FromVector<float>({1, 20}));
  EXPECT_EQ(sum.ToVector<float>(), (std::vector<float>{4, -10}));
  EXPECT_EQ(sum.raw_data(), memory);
}

TEST(AddInPlaceTest, IntegersWrapAround) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Tensor count = Tensor::Scalar<int64_t>(kMost);
  AddInPlace(count, Tensor::Scalar<int64_t>(1));
  EXPECT_EQ(count.item<int64_t>(), std::numeric_limits<int64_t>::min());
  SubtractInPlace(count, Tensor::Scalar<int64_t>(1));
  EXPECT_EQ(count.item<int64_t>(), kMost);
  Tensor small = Tensor::Scalar<uint8_t>(250);
  AddInPlace(small, Tensor::Scalar<uint8_t>(10));
  EXPECT_EQ(small.item<uint8_t>(), 4);
}

// 256 + 1 lies between 256 and 258, the neighbours in bfloat16: ties to even.
TEST(AddInPlaceTest, SixteenBitsAreRoundedOnce) {
  Tensor sum = Tensor::FromVector<float>({256, 256}).Cast(DType::kBFloat16);
  AddInPlace(sum, Tensor::FromVector<float>({1, 1.5f}).Cast(DType::kBFloat16));
  EXPECT_EQ(sum.Cast(DType::kFloat32).ToVector<float>(),
            (std::vector<float>{256, 258}));
}

TEST(AddInPlaceTest, RefusesWhatCannotBeAdded) {
  Tensor sum = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { AddInPlace(sum, Tensor::Zeros(Shape{3})); }, "agree");
  ExpectInvalid(
      [&] { SubtractInPlace(sum, Tensor::Zeros(Shape{2}, DType::kFloat64)); },
      "agree");
  Tensor flag = Tensor::Scalar(true);
  ExpectInvalid([&] { AddInPlace(flag, flag); }, "wants numbers, got bool ()");
}

}  // namespace
}  // namespace lockstep::kernels
