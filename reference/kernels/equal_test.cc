#include "reference/kernels/equal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(EqualTest, ComparesElements) {
  const Tensor a = Tensor::FromVector<int64_t>({1, 2, 3});
  const Tensor b = Tensor::FromVector<int64_t>({1, 5, 3});
  EXPECT_EQ(Equal(a, b).ToVector<bool>(),
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(CountEqual(a, b), 2);
  const Tensor words = Tensor::FromVector<std::string>({"a", "b"});
  EXPECT_EQ(CountEqual(words, words), 2);
  EXPECT_EQ(CountEqual(a.Slice(0, 0), b.Slice(0, 0)), 0);
}

TEST(EqualTest, NaNEqualsNothing) {
  const Tensor x = Tensor::Scalar(std::nanf(""));
  EXPECT_EQ(CountEqual(x, x), 0);
}

TEST(EqualTest, RefusesWhatDoesNotFit) {
  const Tensor a = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { Equal(a, a.Cast(DType::kInt32)); }, "agree");
  ExpectInvalid([&] { CountEqual(a, Tensor::Zeros(Shape{3})); }, "agree");
}

}  // namespace
}  // namespace lockstep::kernels
