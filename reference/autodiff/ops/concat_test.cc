#include "reference/autodiff/ops/concat.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

TEST(ConcatTest, EachPieceGetsItsPartOfTheGradient) {
  const Tensor a = Tensor::FromVector<float>({1, 2}, Shape{2, 1});
  const Tensor b = Tensor::FromVector<float>({3, 4, 5, 6}, Shape{2, 2});
  const Tensor w = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  for (const int axis : {1, -1}) {
    const auto joined = [&] { return Concat({a, b}, axis); };
    EXPECT_EQ(joined().ToVector<float>(), (Floats{1, 3, 4, 2, 5, 6}));
    const auto d = GradientsOf([&] { return Multiply(joined(), w); }, {a, b});
    EXPECT_EQ(d[0].ToVector<float>(), (Floats{1, 4}));
    EXPECT_EQ(d[1].ToVector<float>(), (Floats{2, 3, 5, 6}));
  }
}

TEST(ConcatTest, RowsAndEmptyPieces) {
  const Tensor a = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  const Tensor none = Tensor::Zeros(Shape{0, 2});
  const auto d = GradientsOf(
      [&] {
        return Concat({a, none, a}, 0);
      },
      {a, none});
  EXPECT_EQ(d[0].ToVector<float>(), (Floats{2, 2}));
  EXPECT_EQ(d[1].shape(), (Shape{0, 2}));
  EXPECT_THROW(Concat({}, 0), Error);
}

}  // namespace
}  // namespace lockstep::ops
