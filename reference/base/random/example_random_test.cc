#include "reference/base/random/example_random.h"

#include <gtest/gtest.h>

#include <utility>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

// TensorFlow 2.21.0, tf.random.Generator, alg="philox", with state
// [epoch << 32, example, seed].
TEST(ExampleRandomTest, AgreesWithTensorFlow) {
  EXPECT_EQ(ExampleRandom(1, 0, 0).Next32(), 3823634032u);
  EXPECT_EQ(ExampleRandom(1, 0, 1).Next32(), 117906450u);
  EXPECT_EQ(ExampleRandom(1, 1, 0).Next32(), 2202007772u);
  Random random = ExampleRandom(42, 3, 7);
  for (const uint32_t expected :
       {728503148u, 2576580075u, 2912440740u, 4036950553u, 3112536317u}) {
    EXPECT_EQ(random.Next32(), expected);
  }
}

TEST(ExampleRandomTest, RefusesWrongNumbers) {
  for (const auto& [epoch, example] :
       {std::pair<int64_t, int64_t>(-1, 0), {0, -1}, {int64_t{1} << 32, 0}}) {
    EXPECT_EQ(CodeOf([&] { ExampleRandom(1, epoch, example); }),
              Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace lockstep
