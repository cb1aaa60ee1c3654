#include "reference/autodiff/ops/gather.h"

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

TEST(GatherTest, RowsLookedUpTwiceGetBothGradients) {
  const Tensor table =
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  const Tensor ids = Tensor::FromVector<int64_t>({1, 0, 1});
  const Tensor w = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  EXPECT_EQ(Gather(table, ids).ToVector<float>(), (Floats{3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(GradientOf([&] { return Multiply(Gather(table, ids), w); }, table)
                .ToVector<float>(),
            (Floats{3, 4, 6, 8, 0, 0}));
  EXPECT_THROW(Gather(table, Tensor::FromVector<int64_t>({3})), Error);
}

}  // namespace
}  // namespace lockstep::ops
