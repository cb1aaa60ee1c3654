#include "reference/kernels/binary.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "reference/kernels/broadcast_shape.h"
#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

using Floats = std::vector<float>;

Tensor Matrix(const Floats& values, const Shape& shape) {
  return Tensor::FromVector<float>(values, shape);
}

TEST(BinaryTest, ExamplesOfTheHeader) {
  const Tensor sum =
      Add(Matrix({1, 2, 3, 4}, Shape{2, 2}), Matrix({10, 20}, Shape{2}));
  EXPECT_EQ(sum.ToVector<float>(), (Floats{11, 22, 13, 24}));
  const Tensor product =
      Multiply(Matrix({1, 2}, Shape{2, 1}), Matrix({3, 4}, Shape{2}));
  EXPECT_EQ(product.shape(), (Shape{2, 2}));
  EXPECT_EQ(product.ToVector<float>(), (Floats{3, 4, 6, 8}));
  const Tensor ratio = Divide(Tensor::FromVector<int32_t>({7, 8}),
                              Tensor::FromVector<int32_t>({2, 0}));
  EXPECT_EQ(
      ratio.ToVector<double>(),
      (std::vector<double>{3.5, std::numeric_limits<double>::infinity()}));
}

TEST(BinaryTest, EveryOperationOnEveryType) {
  const auto check = []<typename T>(T) {
    const Tensor a = Tensor::FromVector<T>({8, -3, 5});
    const Tensor b = Tensor::FromVector<T>({2, 4, -5});
    EXPECT_EQ(Add(a, b).template ToVector<T>(), (std::vector<T>{10, 1, 0}));
    EXPECT_EQ(Subtract(a, b).template ToVector<T>(),
              (std::vector<T>{6, -7, 10}));
    EXPECT_EQ(Multiply(a, b).template ToVector<T>(),
              (std::vector<T>{16, -12, -25}));
    EXPECT_EQ(Divide(a, b).Cast(DType::kFloat64).template ToVector<double>(),
              (std::vector<double>{4, -0.75, -1}));
  };
  check(float{});
  check(double{});
  check(int32_t{});
  check(int64_t{});
}

TEST(BinaryTest, IntegersWrapAround) {
  const Tensor most =
      Tensor::Scalar<int32_t>(std::numeric_limits<int32_t>::max());
  EXPECT_EQ(Add(most, Tensor::Scalar<int32_t>(1)).item<int32_t>(),
            std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Multiply(most, most).item<int32_t>(), 1);
}

// The element of `tensor` that position `index` of `shape` broadcasts from.
float BroadcastElement(const Tensor& tensor, const Shape& shape,
                       int64_t index) {
  int64_t offset = 0;
  int64_t stride = 1;
  for (int i = 1; i <= shape.rank(); ++i) {
    const int64_t at = index % shape[shape.rank() - i];
    index /= shape[shape.rank() - i];
    if (i > tensor.rank()) continue;
    const int64_t size = tensor.dim(tensor.rank() - i);
    if (size > 1) offset += at * stride;
    stride *= size;
  }
  return tensor.at<float>(offset);
}

TEST(BinaryTest, BroadcastsLikeNumpyOnEveryTeamAndInstructionSet) {
  const std::vector<std::pair<Shape, Shape>> cases{
      {{}, {}},
      {{5}, {}},
      {{1}, {7}},
      {{4, 1, 3}, {1, 5, 1}},
      {{2, 3, 4}, {3, 1}},
      {{300, 130}, {130}},
      {{70000}, {70000}},
      {{1}, {70001}},
      {{2, 1, 3, 1, 2, 1, 2, 1}, {1, 2, 1, 3, 1, 2, 1, 2}}};
  const auto check = [&] {
    for (const auto& [left, right] : cases) {
      const Tensor a = SmallIntegers(left, 1);
      const Tensor b = SmallIntegers(right, 2);
      const Tensor y = Subtract(a, b);
      ASSERT_EQ(y.shape(), BroadcastShape("Test", left, right));
      for (int64_t i = 0; i < y.num_elements(); ++i) {
        ASSERT_EQ(y.at<float>(i), BroadcastElement(a, y.shape(), i) -
                                      BroadcastElement(b, y.shape(), i));
      }
    }
  };
  ForEachTeam(check);
  ForEachInstructionSet(check);
}

TEST(BinaryTest, EmptyTensors) {
  EXPECT_EQ(Add(Tensor::Empty(Shape{0, 3}), Tensor::Zeros(Shape{3})).shape(),
            (Shape{0, 3}));
  EXPECT_EQ(Add(Tensor::Empty(Shape{0}), Tensor::Zeros(Shape{1})).shape(),
            (Shape{0}));
}

TEST(BinaryTest, RefusesWhatDoesNotFit) {
  const Tensor two = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { Add(two, Tensor::Zeros(Shape{3})); },
                "[Add] shapes (2,) and (3,) do not broadcast");
  ExpectInvalid([&] { Multiply(two, two.Cast(DType::kInt32)); },
                "must be float32, got int32 (2,)");
  ExpectInvalid([&] { Subtract(two.Cast(DType::kBool), two); }, "got bool");
  ExpectInvalid([&] { Divide(Tensor(), two); }, "got no tensor");
}

}  // namespace
}  // namespace lockstep::kernels
