#include "reference/autodiff/ops/all_reduce.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/gradient_of.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;

// As if another replica always brought twice the value.
class Tripling : public DistributionContext {
 public:
  std::vector<Tensor> AllReduce(ReduceOp op,
                                const std::vector<Tensor>& values) override {
    EXPECT_EQ(op, ReduceOp::kSum);
    std::vector<Tensor> sums;
    for (const Tensor& value : values) sums.push_back(Scale(value, 3));
    return sums;
  }
};

const Tensor kX = Tensor::FromVector<float>({1, 2});
const Tensor kY = Tensor::FromVector<float>({4});

// d (5 * 3 x) / dx on this replica, and the same from the two others.
TEST(AllReduceSumTest, GradientsAreSummedOverReplicasToo) {
  Tripling context;
  const DistributionContextScope scope(context);
  const auto function = [] {
    const std::vector<Tensor> sums = AllReduceSum({kX, kY});
    EXPECT_EQ(sums[1].ToVector<float>(), (Floats{12}));
    return Add(Scale(sums[0], 5), sums[1]);
  };
  EXPECT_EQ(function().ToVector<float>(), (Floats{27, 42}));
  const auto gradients = GradientsOf(function, {kX, kY});
  EXPECT_EQ(gradients[0].ToVector<float>(), (Floats{15, 15}));
  EXPECT_EQ(gradients[1].ToVector<float>(), (Floats{6}));
}

TEST(AllReduceSumTest, WithoutAStrategyValuesStay) {
  const auto function = [] { return AllReduceSum({kX})[0]; };
  EXPECT_TRUE(BitwiseEqual(function(), kX));
  EXPECT_EQ(GradientOf(function, kX).ToVector<float>(), (Floats{1, 1}));
}

}  // namespace
}  // namespace lockstep::ops
