#include "reference/kernels/gather.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(GatherTest, TakesRows) {
  const Tensor params = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  const Tensor indices = Tensor::FromVector<int64_t>({1, 0, 1});
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kUInt8}) {
    EXPECT_EQ(Gather(params, indices.Cast(dtype)).ToVector<float>(),
              (std::vector<float>{3, 4, 1, 2, 3, 4}));
  }
  EXPECT_EQ(Gather(params, indices.Reshape(Shape{3, 1})).shape(),
            (Shape{3, 1, 2}));
  EXPECT_EQ(Gather(params, Tensor::Scalar<int32_t>(1)).ToVector<float>(),
            (std::vector<float>{3, 4}));
  EXPECT_EQ(Gather(params, indices.Slice(0, 0)).shape(), (Shape{0, 2}));
  const Tensor words = Tensor::FromVector<std::string>({"a", "b"});
  EXPECT_EQ(Gather(words, indices).ToVector<std::string>(),
            (std::vector<std::string>{"b", "a", "b"}));
}

TEST(GatherTest, GradientAddsRepeatedRows) {
  const Tensor indices = Tensor::FromVector<int32_t>({1, 0, 1});
  const Tensor dy = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  EXPECT_EQ(GatherBackward(Shape{3, 2}, indices, dy).ToVector<float>(),
            (std::vector<float>{3, 4, 6, 8, 0, 0}));
}

TEST(GatherTest, RefusesWhatDoesNotFit) {
  const Tensor params = Tensor::Zeros(Shape{2, 2});
  const auto at = [](int32_t index) {
    return Tensor::FromVector<int32_t>({0, index});
  };
  ExpectInvalid([&] { Gather(params, at(2)); },
                "[Gather] index 2 at position 1 is not in [0, 2)");
  ExpectInvalid([&] { Gather(params, at(-1)); }, "index -1");
  ExpectInvalid([&] { Gather(params, params); }, "indices must be int32");
  ExpectInvalid([&] { Gather(Tensor::Scalar(1.0f), at(0)); }, "must have rows");
  ExpectInvalid([&] { GatherBackward(Shape{2, 2}, at(5), params); }, "index 5");
  ExpectInvalid(
      [&] {
        GatherBackward(Shape{2, 3}, at(0), params);
      },
      "dy must be of shape (2, 3)");
}

}  // namespace
}  // namespace lockstep::kernels
