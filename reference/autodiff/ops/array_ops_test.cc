#include "reference/autodiff/ops/array_ops.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;

Tensor Weighted(const Tensor& x, const Floats& weights) {
  return Multiply(x, Tensor::FromVector(weights, x.shape()));
}

const Tensor& Matrix() {
  static const auto* matrix =
      new Tensor(Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{2, 3}));
  return *matrix;
}

TEST(SliceTest, ValuesAndGradients) {
  const Tensor& x = Matrix();
  const auto columns = [&] { return Slice(x, -1, 1, 2); };
  EXPECT_EQ(columns().ToVector<float>(), (Floats{2, 3, 5, 6}));
  EXPECT_EQ(GradientOf(
                [&] {
                  return Weighted(columns(), {7, 8, 9, 10});
                },
                x)
                .ToVector<float>(),
            (Floats{0, 7, 8, 0, 9, 10}));
  const auto rows = [&] { return Slice(x, 0, 1, 1); };
  EXPECT_EQ(rows().ToVector<float>(), (Floats{4, 5, 6}));
  EXPECT_EQ(GradientOf(
                [&] {
                  return Weighted(rows(), {7, 8, 9});
                },
                x)
                .ToVector<float>(),
            (Floats{0, 0, 0, 7, 8, 9}));
}

TEST(SliceTest, RefusesWhatIsOutOfRange) {
  ExpectError([] { Slice(Matrix(), 1, 2, 2); }, Code::kInvalidArgument,
              "[Slice] 2 elements from 2 on are not in axis 1");
  EXPECT_EQ(CodeOf([] { Slice(Matrix(), 2, 0, 1); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Slice(Matrix(), 1, -1, 1); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Slice(Matrix(), 1, 0, -1); }), Code::kInvalidArgument);
}

// A table of two parts, as in NCF: x = [a | b], y = sum of a^2 + 3 b.
TEST(SplitTest, GradientsOfAllPieces) {
  const Tensor& x = Matrix();
  const auto y = [&] {
    const std::vector<Tensor> parts = Split(x, {1, 2}, -1);
    return Concat({Square(parts[0]), Scale(parts[1], 3)}, -1);
  };
  EXPECT_EQ(y().ToVector<float>(), (Floats{1, 6, 9, 16, 15, 18}));
  EXPECT_EQ(GradientOf(y, x).ToVector<float>(), (Floats{2, 3, 3, 8, 3, 3}));
  ExpectError(
      [&] {
        Split(x, {1, 1}, -1);
      },
      Code::kInvalidArgument, "[Split] sizes must add up to axis -1");
}

TEST(StackTest, ValuesAndGradients) {
  const Tensor a = Tensor::FromVector<float>({1, 2});
  const Tensor b = Tensor::FromVector<float>({3, 4});
  EXPECT_EQ(Stack({a, b}, 0).ToVector<float>(), (Floats{1, 2, 3, 4}));
  for (const int axis : {1, -1}) {
    const auto stacked = [&] { return Stack({a, b}, axis); };
    EXPECT_EQ(stacked().shape(), (Shape{2, 2}));
    EXPECT_EQ(stacked().ToVector<float>(), (Floats{1, 3, 2, 4}));
    const auto d = GradientsOf(
        [&] {
          return Weighted(stacked(), {5, 6, 7, 8});
        },
        {a, b});
    EXPECT_EQ(d[0].ToVector<float>(), (Floats{5, 7}));
    EXPECT_EQ(d[1].ToVector<float>(), (Floats{6, 8}));
  }
  EXPECT_EQ(CodeOf([&] { Stack({a, b}, 2); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { Stack({a, Matrix()}, 0); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Stack({}, 0); }), Code::kInvalidArgument);
}

// A loop over time: h = 2 h + x, so that x[t] counts 2^(last - t) times.
TEST(UnstackTest, ALoopOverTime) {
  const Tensor& x = Matrix();
  const auto last = [&] {
    Tensor h = Tensor::Zeros(Shape{2});
    for (const Tensor& now : Unstack(x, 1)) h = Add(Scale(h, 2), now);
    return h;
  };
  EXPECT_EQ(last().ToVector<float>(), (Floats{11, 32}));
  EXPECT_EQ(GradientOf(last, x).ToVector<float>(), (Floats{4, 2, 1, 4, 2, 1}));
  EXPECT_EQ(CodeOf([&] { Unstack(x, 2); }), Code::kInvalidArgument);
}

TEST(BatchGatherTest, EachExampleByItself) {
  // Two examples of three positions of two numbers.
  const Tensor x = Tensor::FromVector<float>(
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, Shape{2, 3, 2});
  const Tensor positions =
      Tensor::FromVector<int64_t>({2, 0, 1, 1}, Shape{2, 2});
  const auto gathered = [&] { return BatchGather(x, positions); };
  EXPECT_EQ(gathered().shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(gathered().ToVector<float>(), (Floats{5, 6, 1, 2, 9, 10, 9, 10}));
  // A position that is gathered twice gets both gradients.
  EXPECT_EQ(GradientOf(
                [&] {
                  return Weighted(gathered(), {1, 2, 3, 4, 5, 6, 7, 8});
                },
                x)
                .ToVector<float>(),
            (Floats{3, 4, 0, 0, 1, 2, 0, 0, 12, 14, 0, 0}));
}

TEST(BatchGatherTest, RefusesOtherExamplesRows) {
  const Tensor x = Tensor::Zeros(Shape{2, 3, 1});
  const auto gather = [&](const std::vector<int64_t>& positions) {
    const auto count = static_cast<int64_t>(positions.size());
    BatchGather(x, Tensor::FromVector(positions, Shape{count, 1}));
  };
  ExpectError(
      [&] {
        gather({3, 0});
      },
      Code::kInvalidArgument, "index 3 at position 0 is not in [0, 3)");
  EXPECT_EQ(CodeOf([&] { gather({0, -1}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { gather({0}); }), Code::kInvalidArgument);
}

// BERT's output layer: rows of a table are looked up, and the same table,
// transposed, is the kernel of a product. Both count.
TEST(TiedTableTest, LookedUpAndMultiplied) {
  const VariablePtr table = MakeVariable({.initial_value = [] {
    return Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  }});
  const Tensor ids = Tensor::FromVector<int64_t>({2, 0}, Shape{2});
  const Tensor ones =
      Tensor::FromVector<float>({1, 1, 1, 1, 1, 1}, Shape{2, 3});
  const auto logits = [&] {
    return MatMul(table->ReadRows(ids), table->Read(), false,
                  /*transpose_b=*/true);
  };
  EXPECT_EQ(logits().ToVector<float>(), (Floats{17, 39, 61, 5, 11, 17}));
  // As a kernel, each row gets the sum of the looked-up rows, (6, 8); rows 2
  // and 0 get the sum of all rows, (9, 12), for being looked up.
  const Floats expected = {15, 20, 6, 8, 15, 20};
  {
    GradientTape tape;
    const auto gradients = tape.Gradient(logits(), {table});
    EXPECT_EQ(gradients[0]->ToVector<float>(), expected);
  }
  GradientTape tape;
  const VariableGradients gradients =
      tape.SparseGradient(logits(), std::vector<VariablePtr>{table});
  ASSERT_TRUE(std::holds_alternative<Tensor>(*gradients[0]));
  EXPECT_EQ(std::get<Tensor>(*gradients[0]).ToVector<float>(), expected);
}

}  // namespace
}  // namespace lockstep::ops
