#include "reference/kernels/elementwise/binary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/kernels/broadcast_plan.h"
#include "reference/kernels/elementwise/in_place.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

using Floats = std::vector<float>;

Tensor Matrix(const Floats& values, const Shape& shape) {
  return Tensor::FromVector<float>(values, shape);
}

TEST(BinaryTest, HeaderExamples) {
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

// The element of `tensor` that is broadcast to position `index` of `shape`.
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

TEST(BinaryTest, BroadcastsLikeNumpy) {
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

TEST(BinaryTest, RefusesWrongArguments) {
  const Tensor two = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { Add(two, Tensor::Zeros(Shape{3})); },
                "[Add] shapes (2,) and (3,) do not broadcast");
  ExpectInvalid([&] { Multiply(two, two.Cast(DType::kInt32)); },
                "must be float32, got int32 (2,)");
  ExpectInvalid([&] { Subtract(two.Cast(DType::kBool), two); }, "got bool");
  ExpectInvalid([&] { Divide(Tensor(), two); }, "got no tensor");
}

TEST(ScaleTest, MultipliesEachElement) {
  EXPECT_EQ(Scale(Tensor::FromVector<float>({1, 2, -4}), 0.5).ToVector<float>(),
            (std::vector<float>{0.5, 1, -2}));
  EXPECT_EQ(Scale(Tensor::Scalar(3.0), 0.1).item<double>(), 3.0 * 0.1);
  EXPECT_EQ(Scale(Tensor::Scalar(3.0f), 0.1).item<float>(), 3.0f * 0.1f);
}

TEST(ScaleTest, RefusesIntegers) {
  ExpectInvalid([] { Scale(Tensor::Scalar<int32_t>(1), 2); }, "[Scale]");
}

TEST(BroadcastToTest, Repeats) {
  const Tensor row = Tensor::FromVector<int64_t>({1, 2});
  EXPECT_EQ(BroadcastTo(row, Shape{2, 2}).ToVector<int64_t>(),
            (std::vector<int64_t>{1, 2, 1, 2}));
  EXPECT_EQ(
      BroadcastTo(row.Reshape(Shape{2, 1}), Shape{2, 3}).ToVector<int64_t>(),
      (std::vector<int64_t>{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(BroadcastTo(Tensor::Scalar(true), Shape{2}).ToVector<bool>(),
            (std::vector<bool>{true, true}));
  EXPECT_EQ(BroadcastTo(row, Shape{0, 2}).shape(), (Shape{0, 2}));
}

TEST(BroadcastToTest, RefusesToShrink) {
  const Tensor row = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { BroadcastTo(row, Shape{1}); }, "(2,)");
  ExpectInvalid([&] { BroadcastTo(row, Shape{3}); }, "do not broadcast");
  ExpectInvalid([&] { BroadcastTo(Tensor(), Shape{3}); }, "no tensor");
}

TEST(EqualTest, ComparesElements) {
  const Tensor a = Tensor::FromVector<int64_t>({1, 2, 3});
  const Tensor b = Tensor::FromVector<int64_t>({1, 5, 3});
  EXPECT_EQ(Equal(a, b).ToVector<bool>(),
            (std::vector<bool>{true, false, true}));
  const Tensor words = Tensor::FromVector<std::string>({"a", "b"});
  EXPECT_EQ(Equal(words, words).ToVector<bool>(),
            (std::vector<bool>{true, true}));
  EXPECT_EQ(Equal(a.Slice(0, 0), b.Slice(0, 0)).shape(), (Shape{0}));
}

TEST(EqualTest, NaNEqualsNothing) {
  const Tensor x = Tensor::Scalar(std::nanf(""));
  EXPECT_FALSE(Equal(x, x).item<bool>());
}

TEST(EqualTest, RefusesWrongArguments) {
  const Tensor a = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { Equal(a, a.Cast(DType::kInt32)); }, "agree");
  ExpectInvalid([&] { Equal(a, Tensor::Zeros(Shape{3})); }, "agree");
}

TEST(AddInPlaceTest, WritesInPlace) {
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

// 256 + 1 is between 256 and 258, its neighbours in bfloat16: ties to even.
TEST(AddInPlaceTest, Rounds16BitsOnce) {
  Tensor sum = Tensor::FromVector<float>({256, 256}).Cast(DType::kBFloat16);
  AddInPlace(sum, Tensor::FromVector<float>({1, 1.5f}).Cast(DType::kBFloat16));
  EXPECT_EQ(sum.Cast(DType::kFloat32).ToVector<float>(),
            (std::vector<float>{256, 258}));
}

TEST(AddInPlaceTest, RefusesWrongArguments) {
  Tensor sum = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { AddInPlace(sum, Tensor::Zeros(Shape{3})); }, "agree");
  ExpectInvalid(
      [&] { SubtractInPlace(sum, Tensor::Zeros(Shape{2}, DType::kFloat64)); },
      "agree");
  Tensor flag = Tensor::Scalar(true);
  ExpectInvalid([&] { AddInPlace(flag, flag); }, "needs numbers, got bool ()");
}

TEST(AssignWhereTest, WritesInPlaceOrNothing) {
  Tensor target = Tensor::FromVector<float>({1, 2});
  const void* memory = target.raw_data();
  const Tensor value = Tensor::FromVector<float>({3, 4});
  AssignWhere(Tensor::Scalar(false), target, value);
  EXPECT_EQ(target.ToVector<float>(), (std::vector<float>{1, 2}));
  AssignWhere(Tensor::Scalar(true), target, value);
  EXPECT_EQ(target.ToVector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(target.raw_data(), memory);
}

TEST(AssignWhereTest, RefusesWrongArguments) {
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
