#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

TEST(ParallelMapTest, LightElementsAreMadeByTheCaller) {
  const std::thread::id caller = std::this_thread::get_id();
  const auto is_caller = [&](const Structure&) {
    return Structure(
        Tensor::Scalar<int64_t>(std::this_thread::get_id() == caller));
  };
  const std::vector<int64_t> numbers = ReadNumbers(
      Dataset::Range(20'000).Map(is_caller, {.num_parallel_calls = 4}));
  ASSERT_EQ(numbers.size(), 20'000u);
  EXPECT_EQ(numbers.front(), 0);
  EXPECT_GT(std::accumulate(numbers.begin(), numbers.end(), int64_t{0}), 0);
}

}  // namespace
}  // namespace lockstep
