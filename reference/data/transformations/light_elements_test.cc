#include <gtest/gtest.h>

#include <cstdint>
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
  std::vector<int64_t> by_caller;
  // On a busy machine few are light: one is enough.
  for (const Structure& x :
       Dataset::Range(2'000'000).Map(is_caller, {.num_parallel_calls = 4})) {
    by_caller.push_back(x.leaf().item<int64_t>());
    if (by_caller.back() == 1) break;
  }
  EXPECT_EQ(by_caller.front(), 0);
  EXPECT_EQ(by_caller.back(), 1);
}

}  // namespace
}  // namespace lockstep
