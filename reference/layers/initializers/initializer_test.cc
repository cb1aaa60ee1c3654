#include "reference/layers/initializers/initializer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/layers/initializers/constant.h"
#include "reference/layers/initializers/glorot_uniform.h"
#include "reference/layers/initializers/random_seed.h"

namespace lockstep {
namespace {

TEST(InitializerTest, Constants) {
  Random random(0);
  EXPECT_EQ(initializers::Zeros()(Shape{2}, random).ToVector<float>(),
            (std::vector<float>{0, 0}));
  EXPECT_EQ(initializers::Ones()(Shape{2, 1}, random).shape(), (Shape{2, 1}));
  EXPECT_EQ(initializers::Constant(0.5)(Shape{}, random).item<float>(), 0.5);
}

void ExpectUniform(const Shape& shape, double limit) {
  Random random(1);
  const Tensor values = initializers::GlorotUniform()(shape, random);
  ASSERT_EQ(values.shape(), shape);
  double sum = 0, squares = 0, largest = 0;
  for (const float value : values.span<float>()) {
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::abs(double{value}));
  }
  const double count = static_cast<double>(values.num_elements());
  EXPECT_LE(largest, limit * (1 + 1e-7));  // the limit rounded to float
  EXPECT_GT(largest, 0.99 * limit);
  // Variance limit^2 / 3; five deviations of mean and of mean square.
  EXPECT_NEAR(sum / count, 0, 5 * limit / std::sqrt(3 * count));
  EXPECT_NEAR(squares / count, limit * limit / 3,
              5 * limit * limit * std::sqrt(4.0 / 45 / count));
}

TEST(InitializerTest, GlorotUniformOfDenseAndConvolutionKernels) {
  ExpectUniform(Shape{100, 50}, std::sqrt(6.0 / 150));
  ExpectUniform(Shape{3, 3, 32, 64}, std::sqrt(6.0 / (9 * 96)));
}

TEST(InitializerTest, ASeedOfItsOwnGivesTheSameValuesEveryTime) {
  const Initializer seeded = initializers::GlorotUniform(5);
  Random a(1), b(2);
  EXPECT_TRUE(BitwiseEqual(seeded(Shape{4}, a), seeded(Shape{4}, b)));
  const Initializer other = initializers::GlorotUniform(6);
  EXPECT_FALSE(BitwiseEqual(seeded(Shape{4}, a), other(Shape{4}, a)));
}

TEST(RandomSeedTest, StreamsDifferAndStartAgain) {
  SetRandomSeed(9);
  Random first = NextRandomStream();
  Random second = NextRandomStream();
  const uint64_t from_first = first.Next64();
  EXPECT_NE(from_first, second.Next64());
  SetRandomSeed(9);
  EXPECT_EQ(NextRandomStream().Next64(), from_first);
  SetRandomSeed(10);
  EXPECT_NE(NextRandomStream().Next64(), from_first);
}

}  // namespace
}  // namespace lockstep
