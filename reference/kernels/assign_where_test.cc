#include "reference/kernels/assign_where.h"

#include <gtest/gtest.h>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(AssignWhereTest, WritesInPlaceOrNotAtAll) {
  Tensor target = Tensor::FromVector<float>({1, 2});
  const void* memory = target.raw_data();
  const Tensor value = Tensor::FromVector<float>({3, 4});
  AssignWhere(Tensor::Scalar(false), target, value);
  EXPECT_EQ(target.ToVector<float>(), (std::vector<float>{1, 2}));
  AssignWhere(Tensor::Scalar(true), target, value);
  EXPECT_EQ(target.ToVector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(target.raw_data(), memory);
}

TEST(AssignWhereTest, RefusesWhatDoesNotFit) {
  Tensor target = Tensor::Zeros(Shape{2});
  const Tensor value = Tensor::Zeros(Shape{2});
  ExpectInvalid(
      [&] {
        AssignWhere(Tensor::Scalar(true), target, Tensor::Zeros(Shape{3}));
      },
      "agree");
  ExpectInvalid([&] { AssignWhere(Tensor::Scalar(1.0f), target, value); },
                "one bool, got float32 (2,), float32 ()");
  const Tensor flags = Tensor::Full(Shape{2}, true);
  ExpectInvalid([&] { AssignWhere(flags, target, value); }, "one bool");
}

}  // namespace
}  // namespace lockstep::kernels
