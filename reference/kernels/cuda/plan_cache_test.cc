#include "reference/kernels/cuda/plan_cache.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace lockstep::kernels_internal {
namespace {

using Cache = PlanCache<int, std::string>;

// Counts how often a plan is made.
class PlanCacheTest : public testing::Test {
 protected:
  std::string Get(Cache& cache, int signature) {
    return *cache.Get(signature, [&] {
      ++made_;
      return std::make_shared<const std::string>(std::to_string(signature));
    });
  }
  int made_ = 0;
};

TEST_F(PlanCacheTest, MakesEachPlanOnce) {
  Cache cache;
  EXPECT_EQ(Get(cache, 3), "3");
  EXPECT_EQ(Get(cache, 4), "4");
  EXPECT_EQ(Get(cache, 3), "3");
  EXPECT_EQ(made_, 2);
  EXPECT_EQ(cache.statistics().hits, 1);
  EXPECT_EQ(cache.statistics().misses, 2);
  EXPECT_EQ(cache.statistics().evictions, 0);
}

TEST_F(PlanCacheTest, FindsWhatWasMadeAndNothingElse) {
  Cache cache;
  EXPECT_EQ(cache.Find(3), nullptr);
  Get(cache, 3);
  ASSERT_NE(cache.Find(3), nullptr);
  EXPECT_EQ(*cache.Find(3), "3");
  EXPECT_EQ(cache.Find(4), nullptr);
  EXPECT_EQ(cache.statistics().misses, 1);
}

TEST_F(PlanCacheTest, DropsTheOneUsedLongestAgo) {
  Cache cache(2);
  Get(cache, 1);
  Get(cache, 2);
  Get(cache, 1);
  Get(cache, 3);  // 2 goes
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.statistics().evictions, 1);
  Get(cache, 1);
  EXPECT_EQ(made_, 3);
  Get(cache, 2);
  EXPECT_EQ(made_, 4);
}

TEST_F(PlanCacheTest, APlanInUseOutlivesItsPlace) {
  Cache cache(1);
  const auto held =
      cache.Get(1, [] { return std::make_shared<const std::string>("held"); });
  Get(cache, 2);
  EXPECT_EQ(*held, "held");
}

TEST_F(PlanCacheTest, AFailureIsNotKept) {
  Cache cache;
  const auto fail = []() -> Cache::PlanPtr { throw std::runtime_error("no"); };
  EXPECT_THROW(cache.Get(1, fail), std::runtime_error);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(Get(cache, 1), "1");
}

}  // namespace
}  // namespace lockstep::kernels_internal
