#include "reference/kernels/cuda/fusion_kinds.h"

#include <gtest/gtest.h>

namespace lockstep::kernels_internal {
namespace {

using Kinds = std::vector<Fusion>;

constexpr Fusion kNothing{};
constexpr Fusion kBias{.bias = true};
constexpr Fusion kRelu{.relu = true};
constexpr Fusion kBoth{.bias = true, .relu = true};
constexpr Fusion kWide{.wide = true};

TEST(FusionKindsTest, MostIsTriedFirst) {
  EXPECT_EQ(FusionKinds(kNothing, true, false), (Kinds{kNothing}));
  EXPECT_EQ(FusionKinds(kBias, true, false), (Kinds{kBias, kNothing}));
  EXPECT_EQ(FusionKinds(kRelu, true, false), (Kinds{kRelu, kNothing}));
  EXPECT_EQ(FusionKinds(kBoth, true, false), (Kinds{kBoth, kBias, kNothing}));
}

TEST(FusionKindsTest, ReluCanBeLeftToAKernel) {
  EXPECT_EQ(FusionKinds(kBoth, false, false), (Kinds{kBias, kNothing}));
  EXPECT_EQ(FusionKinds(kRelu, false, false), (Kinds{kNothing}));
}

TEST(FusionKindsTest, ABiasBehind16BitsIsAddedBeforeTheyAreRounded) {
  EXPECT_EQ(FusionKinds(kBoth, true, true),
            (Kinds{kBoth, kBias, kWide, kNothing}));
  EXPECT_EQ(FusionKinds(kBias, false, true), (Kinds{kBias, kWide, kNothing}));
  // ReLU changes no bit that rounding has left.
  EXPECT_EQ(FusionKinds(kRelu, true, true), (Kinds{kRelu, kNothing}));
}

}  // namespace
}  // namespace lockstep::kernels_internal
