#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/kernels/convolution/cuda/convolution_signature.h"
#include "reference/kernels/cuda/choose_plan.h"
#include "reference/kernels/linear/cuda/matmul_signature.h"
#include "reference/kernels/plan_cache.h"

namespace lockstep::kernels_internal {
namespace {

void Succeed() {}
void Fail() { throw Internal("[Library] {}", "bad parameter"); }
void RunOutOfMemory() { throw ResourceExhausted("[Library] {}", "no memory"); }

struct Offer {
  double seconds;
  bool builds = true;
  Verdict verdict = Verdict::kTaken;
  void (*build)() = &Succeed;
  void (*try_out)() = &Succeed;
  void (*time)() = &Succeed;
};

struct Kind {
  std::vector<Offer> offers;
  void (*ask)() = &Succeed;
};

// Choose returns ChoosePlan's choice as 10 * kind + i, or -1 for none.
class ChoosePlanTest : public testing::Test {
 protected:
  int Choose(const std::vector<Kind>& kinds, const TrialLimits& limits) {
    built_ = timed_ = 0;
    const auto offer = [&](size_t plan) -> const Offer& {
      return kinds[plan / 10].offers[plan % 10];
    };
    const PlanTrial<size_t> trial{
        .offers =
            [&](size_t kind) {
              kinds[kind].ask();
              return kinds[kind].offers.size();
            },
        .build =
            [&](size_t kind, size_t i) {
              ++built_;
              const size_t plan = 10 * kind + i;
              offer(plan).build();
              return offer(plan).builds ? std::make_unique<size_t>(plan)
                                        : nullptr;
            },
        .try_out =
            [&](const size_t& plan) {
              offer(plan).try_out();
              return offer(plan).verdict;
            },
        .seconds =
            [&](const size_t& plan) {
              ++timed_;
              offer(plan).time();
              return offer(plan).seconds;
            }};
    choice_ = ChoosePlan(kinds.size(), trial, limits);
    return choice_.plan == nullptr ? -1 : static_cast<int>(*choice_.plan);
  }
  Choice<size_t> choice_;
  int built_ = 0;
  int timed_ = 0;
};

constexpr TrialLimits kOne{};

TEST_F(ChoosePlanTest, TakesTheFastestOfAFew) {
  EXPECT_EQ(Choose({{{{3}, {2}, {4}, {1}}}}, {9, 3}), 1);
  EXPECT_EQ(built_, 3);
  EXPECT_EQ(timed_, 3);
  EXPECT_EQ(Choose({{{{3}, {2}, {4}, {1}}}}, {9, 4}), 3);
}

TEST_F(ChoosePlanTest, TakesAFewOfEachKind) {
  EXPECT_EQ(Choose({{{{5}, {4}, {1}}}, {{{3}, {2}}}}, {2, 4}), 11);
  EXPECT_EQ(built_, 4);
  EXPECT_EQ(Choose({{{{5}, {4}, {1}}}, {{{3}, {2}}}}, {2, 3}), 10);
}

TEST_F(ChoosePlanTest, WithoutTimingTakesTheFirst) {
  EXPECT_EQ(Choose({{{{3}, {2}}}, {{{1}}}}, kOne), 0);
  EXPECT_EQ(built_, 1);
  EXPECT_EQ(timed_, 0);
}

TEST_F(ChoosePlanTest, UnusablePlansDoNotCount) {
  const std::vector<Kind> kinds = {
      {{{1, false}, {1, true, Verdict::kRefused}, {5}, {4}, {2}}}};
  EXPECT_EQ(Choose(kinds, kOne), 2);
  EXPECT_EQ(Choose(kinds, {2, 2}), 3);
  EXPECT_EQ(timed_, 2);
  EXPECT_EQ(choice_.offered, 4u);
}

TEST_F(ChoosePlanTest, TakesTheFirstOfEquals) {
  EXPECT_EQ(Choose({{{{2}, {2}}}, {{{2}}}}, {3, 3}), 0);
}

TEST_F(ChoosePlanTest, NaNTimeLoses) {
  EXPECT_EQ(
      Choose({{{{1}, {std::numeric_limits<double>::quiet_NaN()}}}}, {2, 2}), 0);
}

TEST_F(ChoosePlanTest, NoPlans) {
  EXPECT_EQ(Choose({}, {3, 3}), -1);
  EXPECT_EQ(choice_.problem, "");
  EXPECT_EQ(Choose({{{{1, false}, {1, true, Verdict::kRefused}}}}, {3, 3}), -1);
}

TEST_F(ChoosePlanTest, TriesTheNextPlanAfterAFailure) {
  constexpr Verdict kTaken = Verdict::kTaken;
  const Offer no_build{1, true, kTaken, &Fail};
  const Offer no_run{1, true, kTaken, &Succeed, &Fail};
  const Offer no_time{1, true, kTaken, &Succeed, &Succeed, &Fail};
  EXPECT_EQ(Choose({{{no_build, no_run, {5}}}}, kOne), 2);
  EXPECT_EQ(Choose({{{no_build, no_run, no_time, {5}}}}, {4, 4}), 3);
  EXPECT_EQ(Choose({{{no_run}}, {{{7}}}}, kOne), 10);
  EXPECT_EQ(Choose({{{{1}}, &Fail}, {{{7}}}}, kOne), 10);
}

TEST_F(ChoosePlanTest, ReportsTheLastProblem) {
  EXPECT_EQ(Choose({{{}, &Fail}}, kOne), -1);
  EXPECT_EQ(choice_.problem, "[Library] bad parameter");
}

TEST_F(ChoosePlanTest, OutOfMemoryReachesTheCaller) {
  constexpr Verdict kTaken = Verdict::kTaken;
  const std::vector<Kind> kinds[] = {
      {{{}, &RunOutOfMemory}, {{{1}}}},
      {{{{1, true, kTaken, &RunOutOfMemory}, {1}}}},
      {{{{1, true, kTaken, &Succeed, &RunOutOfMemory}, {1}}}}};
  for (const std::vector<Kind>& tried : kinds) {
    try {
      Choose(tried, kOne);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kResourceExhausted);
    }
  }
}

TEST_F(ChoosePlanTest, AbandonsKindsThatLoseNaNTwice) {
  const Offer loses{1, true, Verdict::kLosesNaN};
  EXPECT_EQ(Choose({{{loses, loses, {1}}}, {{{7}}}}, kOne), 10);
  EXPECT_EQ(built_, 3);
  EXPECT_EQ(Choose({{{loses, {1}, loses, {0}}}, {{{7}}}}, {4, 4}), 1);
  EXPECT_EQ(built_, 4);
  // Each kind is counted separately.
  EXPECT_EQ(Choose({{{loses, loses}}, {{loses, {7}}}}, kOne), 11);
}

using Kinds = std::vector<Fusion>;

constexpr Fusion kNothing{};
constexpr Fusion kBias{.bias = true};
constexpr Fusion kRelu{.relu = true};
constexpr Fusion kBoth{.bias = true, .relu = true};
constexpr Fusion kWide{.wide = true};

TEST(FusionKindsTest, TriesTheMostFusedFirst) {
  EXPECT_EQ(FusionKinds(kNothing, true, false), (Kinds{kNothing}));
  EXPECT_EQ(FusionKinds(kBias, true, false), (Kinds{kBias, kNothing}));
  EXPECT_EQ(FusionKinds(kRelu, true, false), (Kinds{kRelu, kNothing}));
  EXPECT_EQ(FusionKinds(kBoth, true, false), (Kinds{kBoth, kBias, kNothing}));
}

TEST(FusionKindsTest, WithoutFusedRelu) {
  EXPECT_EQ(FusionKinds(kBoth, false, false), (Kinds{kBias, kNothing}));
  EXPECT_EQ(FusionKinds(kRelu, false, false), (Kinds{kNothing}));
}

TEST(FusionKindsTest, Adds16BitBiasBeforeRounding) {
  EXPECT_EQ(FusionKinds(kBoth, true, true),
            (Kinds{kBoth, kBias, kWide, kNothing}));
  EXPECT_EQ(FusionKinds(kBias, false, true), (Kinds{kBias, kWide, kNothing}));
  // ReLU after rounding changes no bit.
  EXPECT_EQ(FusionKinds(kRelu, true, true), (Kinds{kRelu, kNothing}));
}

using Cache = PlanCache<int, std::string>;

// Counts how often a plan is created.
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

TEST_F(PlanCacheTest, CreatesEachPlanOnce) {
  Cache cache;
  EXPECT_EQ(Get(cache, 3), "3");
  EXPECT_EQ(Get(cache, 4), "4");
  EXPECT_EQ(Get(cache, 3), "3");
  EXPECT_EQ(made_, 2);
  EXPECT_EQ(cache.size(), 2u);
}

TEST_F(PlanCacheTest, FindsCreatedPlansOnly) {
  Cache cache;
  EXPECT_EQ(cache.Find(3), nullptr);
  Get(cache, 3);
  ASSERT_NE(cache.Find(3), nullptr);
  EXPECT_EQ(*cache.Find(3), "3");
  EXPECT_EQ(cache.Find(4), nullptr);
  EXPECT_EQ(made_, 1);
}

TEST_F(PlanCacheTest, DropsTheLeastRecentlyUsed) {
  Cache cache(2);
  Get(cache, 1);
  Get(cache, 2);
  Get(cache, 1);
  Get(cache, 3);  // drops 2
  EXPECT_EQ(cache.size(), 2u);
  Get(cache, 1);
  EXPECT_EQ(made_, 3);
  Get(cache, 2);
  EXPECT_EQ(made_, 4);
}

TEST_F(PlanCacheTest, PlansInUseOutliveEviction) {
  Cache cache(1);
  const auto held =
      cache.Get(1, [] { return std::make_shared<const std::string>("held"); });
  Get(cache, 2);
  EXPECT_EQ(*held, "held");
}

TEST_F(PlanCacheTest, FailuresAreNotCached) {
  Cache cache;
  const auto fail = []() -> Cache::PlanPtr { throw std::runtime_error("no"); };
  EXPECT_THROW(cache.Get(1, fail), std::runtime_error);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(Get(cache, 1), "1");
}

TEST(MatMulSignatureTest, ComparesEveryField) {
  using Signature = MatMulSignature;
  const std::vector<std::function<void(Signature&)>> changes = {
      [](Signature& s) { s.dtype = DType::kFloat64; },
      [](Signature& s) { s.m = 4; },
      [](Signature& s) { s.n = 4; },
      [](Signature& s) { s.k = 4; },
      [](Signature& s) { s.transpose_a = true; },
      [](Signature& s) { s.transpose_b = true; },
      [](Signature& s) { s.bias = true; },
      [](Signature& s) { s.relu = true; },
      [](Signature& s) { s.wide = true; },
      [](Signature& s) { s.allow_tf32 = true; },
      [](Signature& s) { s.autotune = true; }};
  const Signature first{.m = 1, .n = 2, .k = 3};
  std::set<Signature> seen = {first};
  std::set<std::string> words = {Describe(first)};
  EXPECT_EQ(*words.begin(), "MatMul 1 x 3 x 2, float32");
  for (size_t i = 0; i < changes.size(); ++i) {
    Signature changed = first;
    changes[i](changed);
    EXPECT_TRUE(seen.insert(changed).second) << i;
    EXPECT_TRUE(words.insert(Describe(changed)).second) << i;
  }
  EXPECT_FALSE(seen.insert(first).second);
}

using kernels::PlaceWindows;

// A 3 x 3 filter with stride 2 on 56 x 57 images with SAME padding.
ConvolutionSignature Strided() {
  const auto place = [](int64_t input) {
    return PlaceWindows("Test", input, 3, 2, kernels::Padding::kSame);
  };
  return {.images = 8,
          .shape = {56, 57, 4, 3, 3, 16, {2, 2}, place(56), place(57)}};
}

TEST(ConvolutionSignatureTest, ComparesEveryField) {
  using Signature = ConvolutionSignature;
  const std::vector<std::function<void(Signature&)>> changes = {
      [](Signature& s) { s.pass = ConvolutionPass::kBackwardData; },
      [](Signature& s) { s.dtype = DType::kFloat64; },
      [](Signature& s) { s.images = 9; },
      [](Signature& s) { s.shape.height = 58; },
      [](Signature& s) {
        s.shape.strides = {1, 2};
      },
      [](Signature& s) { s.shape.columns.before = 0; },
      [](Signature& s) { s.bias = true; },
      [](Signature& s) { s.relu = true; },
      [](Signature& s) { s.wide = true; },
      [](Signature& s) { s.allow_winograd = true; },
      [](Signature& s) { s.allow_tf32 = true; },
      [](Signature& s) { s.autotune = true; }};
  std::map<Signature, int> plans = {{Strided(), -1}};
  std::set<std::string> words = {Describe(Strided())};
  for (size_t i = 0; i < changes.size(); ++i) {
    Signature changed = Strided();
    changes[i](changed);
    EXPECT_TRUE(plans.emplace(changed, i).second) << i;
    EXPECT_TRUE(words.insert(Describe(changed)).second) << i;
  }
  EXPECT_EQ(plans.at(Strided()), -1);
}

TEST(ConvolutionSignatureTest, UnevenPaddingBecomesZeros) {
  const ConvolutionSignature uneven = Strided();
  ASSERT_EQ(uneven.shape.rows, (kernels::Windows{28, 0, 1}));
  ASSERT_EQ(uneven.shape.columns, (kernels::Windows{29, 1, 1}));
  const ConvolutionSignature even = uneven.WithTrailingZeros();
  EXPECT_EQ(even.WithTrailingZeros(), even);
  EXPECT_EQ(even.shape.height, 57);
  EXPECT_EQ(even.shape.width, 57);
  EXPECT_EQ(even.shape.rows, (kernels::Windows{28, 0, 0}));
  EXPECT_EQ(even.shape.columns, uneven.shape.columns);
}

TEST(ConvolutionSignatureTest, Describe) {
  ConvolutionSignature signature = Strided();
  signature.bias = true;
  EXPECT_EQ(Describe(signature),
            "Conv2D forward 8 x 56 x 57 x 4, filter 3 x 3 x 16, strides 2 x 2, "
            "padding 0 1 1 1, float32, bias");
}

TEST(ConvolutionSignatureTest, EvenPaddingIsKept) {
  ConvolutionSignature valid = Strided();
  valid.shape.rows = {27, 0, 0};
  EXPECT_EQ(valid.WithTrailingZeros(), valid);
}

}  // namespace
}  // namespace lockstep::kernels_internal
