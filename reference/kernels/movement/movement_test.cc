#include "reference/kernels/movement/movement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

Tensor Column(float a, float b) {
  return Tensor::FromVector<float>({a, b}, Shape{2, 1});
}

TEST(ConcatTest, AlongAnyAxis) {
  const std::array<Tensor, 2> columns{Column(1, 2), Column(3, 4)};
  const Tensor wide = Concat(columns, 1);
  EXPECT_EQ(wide.shape(), (Shape{2, 2}));
  EXPECT_EQ(wide.ToVector<float>(), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_TRUE(BitwiseEqual(Concat(columns, -1), wide));
  const Tensor tall = Concat(columns, 0);
  EXPECT_EQ(tall.shape(), (Shape{4, 1}));
  EXPECT_EQ(tall.ToVector<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST(ConcatTest, EmptyPiecesAndStrings) {
  const std::array<Tensor, 2> rows{Tensor::Empty(Shape{0, 1}), Column(1, 2)};
  EXPECT_EQ(Concat(rows, 0).ToVector<float>(), (std::vector<float>{1, 2}));
  const std::array<Tensor, 2> words{Tensor::FromVector<std::string>({"a"}),
                                    Tensor::FromVector<std::string>({"b"})};
  EXPECT_EQ(Concat(words, 0).ToVector<std::string>(),
            (std::vector<std::string>{"a", "b"}));
}

TEST(ConcatTest, RefusesWrongArguments) {
  ExpectInvalid([] { Concat({}, 0); }, "got no tensors");
  const std::array<Tensor, 2> shapes{Column(1, 2), Tensor::Zeros(Shape{2, 2})};
  ExpectInvalid([&] { Concat(shapes, 0); },
                "float32 (2, 2) does not continue float32 (2, 1)");
  const std::array<Tensor, 2> types{Column(1, 2),
                                    Column(1, 2).Cast(DType::kInt32)};
  ExpectInvalid([&] { Concat(types, 0); }, "int32");
  ExpectInvalid([&] { Concat(types, 2); }, "axis 2");
}

TEST(SplitTest, AlongAnyAxis) {
  const Tensor x = Tensor::FromVector<float>({1, 3, 2, 4}, Shape{2, 2});
  const auto columns = Split(x, std::array<int64_t, 2>{1, 1}, 1);
  EXPECT_EQ(columns[0].shape(), (Shape{2, 1}));
  EXPECT_EQ(columns[0].ToVector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(columns[1].ToVector<float>(), (std::vector<float>{3, 4}));
  const auto rows = Split(x, std::array<int64_t, 3>{1, 0, 1}, 0);
  EXPECT_TRUE(rows[0].SharesMemoryWith(x));
  EXPECT_EQ(rows[1].shape(), (Shape{0, 2}));
  EXPECT_EQ(rows[2].ToVector<float>(), (std::vector<float>{2, 4}));
}

TEST(SplitTest, RefusesSizesThatDoNotAddUp) {
  const Tensor x = Tensor::Zeros(Shape{3});
  ExpectInvalid(
      [&] {
        Split(x, std::array<int64_t, 2>{1, 1}, 0);
      },
      "their sum is 2");
  ExpectInvalid([&] { Split(x, std::array<int64_t, 2>{4, -1}, 0); }, "[Split]");
  ExpectInvalid([&] { Split(x, std::array<int64_t, 1>{3}, 1); }, "axis 1");
}

RC_GTEST_PROP(SplitTest, ConcatUndoesIt, ()) {
  const auto sizes =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int64_t>>(
          rc::gen::inRange<int64_t>(0, 4)));
  const int axis = *rc::gen::inRange(0, 3);
  int64_t total = 0;
  for (const int64_t size : sizes) total += size;
  const Tensor x = SmallIntegers(Shape{2, 3, 2}.WithDim(axis, total), 1);
  RC_ASSERT(BitwiseEqual(Concat(Split(x, sizes, axis), axis), x));
}

TEST(GatherTest, GathersRows) {
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

TEST(GatherTest, RefusesWrongArguments) {
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

using Floats = std::vector<float>;

TEST(Pad2DTest, HeaderExample) {
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 1, 2, 1});
  const Pad2DOptions options{.top = 1, .right = 1};
  const Tensor y = Pad2D(x, options);
  EXPECT_EQ(y.shape(), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(y.ToVector<float>(), (Floats{0, 0, 0, 1, 2, 0}));
  EXPECT_EQ(Pad2DBackward(y, options).ToVector<float>(), (Floats{1, 2}));
}

TEST(Pad2DTest, SidesDiffer) {
  const Tensor x =
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8}, Shape{2, 1, 2, 2});
  const Pad2DOptions options{.top = 0, .bottom = 1, .left = 2, .right = 0};
  const Tensor y = Pad2D(x, options);
  EXPECT_EQ(y.shape(), (Shape{2, 2, 4, 2}));
  EXPECT_EQ(y.ToVector<float>(), (Floats{0, 0, 0, 0, 1, 2, 3, 4,  //
                                         0, 0, 0, 0, 0, 0, 0, 0,  //
                                         0, 0, 0, 0, 5, 6, 7, 8,  //
                                         0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(BitwiseEqual(Pad2DBackward(y, options), x));
}

TEST(Pad2DTest, BorderHasNoGradient) {
  const Tensor dy =
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, Shape{1, 3, 3, 1});
  const Tensor dx = Pad2DBackward(dy, {1, 1, 1, 1});
  EXPECT_EQ(dx.shape(), (Shape{1, 1, 1, 1}));
  EXPECT_EQ(dx.item<float>(), 5);
}

TEST(Pad2DTest, CopiesAllTypes) {
  const Pad2DOptions options{1, 2, 3, 4};
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kUInt8}) {
    const Tensor x = SmallIntegers(Shape{5, 3, 4, 3}, 1).Cast(dtype);
    ForEachTeam([&] {
      EXPECT_TRUE(BitwiseEqual(Pad2DBackward(Pad2D(x, options), options), x));
    });
  }
}

TEST(Pad2DTest, NothingToPad) {
  const Tensor none = Pad2D(Tensor::Empty(Shape{0, 2, 2, 1}), {1, 1, 1, 1});
  EXPECT_EQ(none.shape(), (Shape{0, 4, 4, 1}));
  const Tensor thin = Pad2D(Tensor::Empty(Shape{1, 1, 0, 1}), {.left = 2});
  EXPECT_EQ(thin.ToVector<float>(), (Floats{0, 0}));
}

TEST(Pad2DTest, RefusesWrongArguments) {
  const Tensor x = Tensor::Zeros(Shape{1, 2, 2, 1});
  ExpectInvalid([&] { Pad2D(x.Reshape(Shape{4}), {}); }, "rank 4");
  ExpectInvalid([&] { Pad2D(x, {.left = -1}); }, "got 0, 0, -1, 0");
  ExpectInvalid([&] { Pad2DBackward(x, {.top = 3}); },
                "dy (1, 2, 2, 1) is smaller than its padding of 3 x 0");
}

TEST(AssignRowsTest, UndoesGather) {
  Tensor table = Tensor::FromVector<float>({0, 1, 2, 3, 4, 5}, Shape{3, 2});
  const Tensor indices = Tensor::FromVector<int64_t>({2, 0});
  AssignRows(table, indices,
             Tensor::FromVector<float>({9, 8, 7, 6}, Shape{2, 2}));
  EXPECT_EQ(ToString(table), "[[7, 6], [2, 3], [9, 8]]");
  AssignRows(table, indices, Gather(table, indices));
  EXPECT_EQ(ToString(table), "[[7, 6], [2, 3], [9, 8]]");
}

TEST(AssignRowsTest, WritesNothingAfterAnError) {
  Tensor table = Tensor::Zeros(Shape{3, 2});
  const Tensor ones = Tensor::Full(Shape{2, 2}, 1.0f);
  EXPECT_THROW(AssignRows(table, Tensor::FromVector<int64_t>({0, 3}), ones),
               Error);
  EXPECT_THROW(AssignRows(table, Tensor::FromVector<int64_t>({0}), ones),
               Error);
  EXPECT_THROW(AssignRows(table, Tensor::FromVector<int64_t>({0, 1}),
                          ones.Cast(DType::kFloat64)),
               Error);
  EXPECT_EQ(table.ToVector<float>(), std::vector<float>(6, 0));
}

TEST(SwapLastAxesTest, TransposesEachMatrix) {
  const Tensor x = Tensor::FromVector<int32_t>(
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, Shape{2, 2, 3});
  const Tensor y = SwapLastAxes(x);
  EXPECT_EQ(y.shape(), (Shape{2, 3, 2}));
  EXPECT_EQ(y.ToVector<int32_t>(),
            (std::vector<int32_t>{1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12}));
  EXPECT_EQ(SwapLastAxes(Tensor::Zeros(Shape{0, 3, 2})).shape(),
            (Shape{0, 2, 3}));
}

TEST(SwapLastAxesTest, RefusesWrongArguments) {
  ExpectInvalid([] { SwapLastAxes(Tensor::Zeros(Shape{3})); }, "two axes");
}

}  // namespace
}  // namespace lockstep::kernels
