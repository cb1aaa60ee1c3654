#include "reference/kernels/scale.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(ScaleTest, MultipliesEachElement) {
  EXPECT_EQ(Scale(Tensor::FromVector<float>({1, 2, -4}), 0.5).ToVector<float>(),
            (std::vector<float>{0.5, 1, -2}));
  EXPECT_EQ(Scale(Tensor::Scalar(3.0), 0.1).item<double>(), 3.0 * 0.1);
  EXPECT_EQ(Scale(Tensor::Scalar(3.0f), 0.1).item<float>(), 3.0f * 0.1f);
}

TEST(ScaleTest, RefusesIntegers) {
  ExpectInvalid([] { Scale(Tensor::Scalar<int32_t>(1), 2); }, "[Scale]");
}

}  // namespace
}  // namespace lockstep::kernels
