#include "reference/kernels/relu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(ReluTest, CutsWhatIsNotPositive) {
  ForEachInstructionSet([] {
    const Tensor x =
        Tensor::FromVector<float>({-1, 0, 2, -kInfinity, kInfinity});
    EXPECT_EQ(Relu(x).ToVector<float>(),
              (std::vector<float>{0, 0, 2, 0, kInfinity}));
    EXPECT_EQ(Relu(x.Cast(DType::kFloat64)).at<double>(2), 2);
    EXPECT_TRUE(std::isnan(Relu(Tensor::Scalar(std::nanf(""))).item<float>()));
  });
}

TEST(ReluTest, GradientPassesWherePositive) {
  const Tensor y = Tensor::FromVector<float>({0, 0, 2, std::nanf("")});
  const Tensor dy = Tensor::FromVector<float>({5, std::nanf(""), 7, 8});
  EXPECT_EQ(ReluBackward(y, dy).ToVector<float>(),
            (std::vector<float>{0, 0, 7, 0}));
}

TEST(ReluTest, LargeTensorsOnEveryTeam) {
  const Tensor x = SmallIntegers(Shape{50001}, 1);
  ForEachTeam([&] {
    const Tensor y = Relu(x);
    const Tensor dx = ReluBackward(y, x);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const float wanted = x.at<float>(i) > 0 ? x.at<float>(i) : 0;
      ASSERT_EQ(y.at<float>(i), wanted);
      ASSERT_EQ(dx.at<float>(i), wanted);
    }
  });
}

TEST(ReluTest, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { Relu(x.Cast(DType::kInt32)); }, "[Relu]");
  ExpectInvalid([&] { ReluBackward(x, Tensor::Zeros(Shape{3})); },
                "types and shapes must agree");
}

}  // namespace
}  // namespace lockstep::kernels
