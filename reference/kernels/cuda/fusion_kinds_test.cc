#include "reference/kernels/cuda/fusion_kinds.h"

#include <gtest/gtest.h>

namespace lockstep::kernels_internal {
namespace {

using Kinds = std::vector<Fusion>;

constexpr Fusion kNothing{};
constexpr Fusion kBias{.bias = true};
constexpr Fusion kRelu{.relu = true};
constexpr Fusion kBoth{.bias = true, .relu = true};

TEST(FusionKindsTest, MostIsTriedFirst) {
  EXPECT_EQ(FusionKinds(kNothing, true), (Kinds{kNothing}));
  EXPECT_EQ(FusionKinds(kBias, true), (Kinds{kBias, kNothing}));
  EXPECT_EQ(FusionKinds(kRelu, true), (Kinds{kRelu, kNothing}));
  EXPECT_EQ(FusionKinds(kBoth, true), (Kinds{kBoth, kBias, kNothing}));
}

TEST(FusionKindsTest, ReluCanBeLeftToAKernel) {
  EXPECT_EQ(FusionKinds(kBoth, false), (Kinds{kBias, kNothing}));
  EXPECT_EQ(FusionKinds(kRelu, false), (Kinds{kNothing}));
}

}  // namespace
}  // namespace lockstep::kernels_internal
