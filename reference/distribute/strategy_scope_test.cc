#include "reference/distribute/strategy_scope.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_variable.h"

namespace lockstep {
namespace {

TEST(StrategyScopeTest, PutsTheStrategyInForceForTheThread) {
  const auto strategy = MakeStrategy(2);
  {
    StrategyScope scope = strategy->Scope();
    EXPECT_TRUE(HasStrategy());
    EXPECT_TRUE(InCrossReplicaContext());
    EXPECT_EQ(&GetStrategy(), strategy.get());
    EXPECT_EQ(CodeOf([] { GetReplicaContext(); }), Code::kFailedPrecondition);
    EXPECT_EQ(DistributionContext::Current().num_replicas_in_sync(), 2);
    std::thread([] { EXPECT_FALSE(HasStrategy()); }).join();
  }
  EXPECT_FALSE(HasStrategy());
}

TEST(StrategyScopeTest, OneReplicaIsAStrategyToo) {
  const auto strategy = MakeStrategy(1);
  StrategyScope scope = strategy->Scope();
  EXPECT_TRUE(HasStrategy());
  EXPECT_TRUE(InCrossReplicaContext());
}

TEST(StrategyScopeTest, OpensAgainToAnyDepth) {
  const auto strategy = MakeStrategy(2);
  StrategyScope outer = strategy->Scope();
  {
    StrategyScope middle = strategy->Scope();
    StrategyScope inner = strategy->Scope();
    EXPECT_EQ(&GetStrategy(), strategy.get());
  }
  EXPECT_EQ(&GetStrategy(), strategy.get());
  const VariablePtr v = MakeIn(*strategy, 1);
  EXPECT_NE(dynamic_cast<MirroredVariable*>(v.get()), nullptr);
}

TEST(StrategyScopeTest, AnotherStrategyIsRefused) {
  const auto three = MakeStrategy(3);
  const auto two = MakeStrategy(2);
  StrategyScope scope = two->Scope();
  EXPECT_EQ(CodeOf([&] { StrategyScope other = three->Scope(); }),
            Code::kFailedPrecondition);
  EXPECT_EQ(CodeOf([&] { three->Run([] {}); }), Code::kFailedPrecondition);
  EXPECT_EQ(&GetStrategy(), two.get());
  EXPECT_EQ(
      CodeOf([&] { two->Run([&] { StrategyScope other = three->Scope(); }); }),
      Code::kFailedPrecondition);
}

TEST(StrategyScopeTest, InsideAReplicaItStaysAReplica) {
  const auto strategy = MakeStrategy(2);
  strategy->Run([&] {
    StrategyScope scope = strategy->Scope();
    EXPECT_FALSE(InCrossReplicaContext());
  });
}

TEST(StrategyScopeTest, ClosingOutOfOrderIsRefused) {
  const auto strategy = MakeStrategy(2);
  StrategyScope outer = strategy->Scope();
  StrategyScope inner = strategy->Scope();
  EXPECT_EQ(CodeOf([&] { outer.Close(); }), Code::kFailedPrecondition);
  EXPECT_EQ(CodeOf([&] {
              std::thread([&] {
                EXPECT_EQ(CodeOf([&] { inner.Close(); }),
                          Code::kFailedPrecondition);
              }).join();
            }),
            std::nullopt);
  inner.Close();
  inner.Close();  // once more does nothing
  outer.Close();
  EXPECT_FALSE(HasStrategy());
}

TEST(StrategyScopeTest, DestroyingOutOfOrderIsLoggedAndPutRight) {
  const auto strategy = MakeStrategy(2);
  LogCapture log;
  auto outer = std::make_unique<StrategyScope>(*strategy);
  auto inner = std::make_unique<StrategyScope>(*strategy);
  outer.reset();
  EXPECT_EQ(log.lines().size(), 1);
  EXPECT_TRUE(HasStrategy());  // the inner one is still open
  inner.reset();
  EXPECT_FALSE(HasStrategy());
}

}  // namespace
}  // namespace lockstep
