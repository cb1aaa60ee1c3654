#include "reference/distribute/strategy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <thread>

#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/per_replica.h"
#include "reference/distribute/variables/distributed_variable.h"

namespace lockstep {
namespace {

using distribute_internal::ComponentOf;

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

TEST(PerReplicaTest, PrintsAsDocumented) {
  const PerReplica<Tensor> value({Row({1, 2}), Row({3})});
  EXPECT_EQ(ToString(value), "PerReplica:{\n  0: [1, 2],\n  1: [3]\n}");
  EXPECT_EQ(ToString(PerReplica<int>({7})), "PerReplica:{\n  0: 7\n}");
}

TEST(PerReplicaTest, PrintsStructures) {
  const auto pair = Structure::Tuple({Row({1}), Row({2})});
  const auto named = Structure::Dict({{"b", Row({2})}, {"a", Row({1})}});
  EXPECT_EQ(ToString(PerReplica<Structure>({pair})),
            "PerReplica:{\n  0: ([1], [2])\n}");
  EXPECT_EQ(ToString(PerReplica<Structure>({named})),
            "PerReplica:{\n  0: {'a': [1], 'b': [2]}\n}");
}

TEST(PerReplicaTest, MissingReplicaIsOutOfRange) {
  const PerReplica<int> value({1, 2});
  for (int replica : {-1, 2}) {
    try {
      value[replica];
      FAIL() << "no error for replica " << replica;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kOutOfRange);
    }
  }
}

TEST(PerReplicaTest, MapAppliesToEachEntry) {
  const PerReplica<int> doubled =
      PerReplica<int>({1, 2}).Map([](int value) { return 2 * value; });
  EXPECT_EQ(doubled.values(), (std::vector<int>{2, 4}));
}

TEST(PerReplicaTest, ComponentsOfArguments) {
  const PerReplica<int> distributed({5, 6});
  EXPECT_EQ(ComponentOf(distributed, 1), 6);
  EXPECT_EQ(ComponentOf(9, 1), 9);
  const auto nest = Nest<PerReplica<int>>::Tuple({distributed, distributed});
  EXPECT_EQ(ComponentOf(nest, 0)[1].leaf(), 5);
}

TEST(PerReplicaTest, RegroupsStructures) {
  const PerReplica<Structure> values({Structure::Tuple({Row({1}), Row({2})}),
                                      Structure::Tuple({Row({3}), Row({4})})});
  const Nest<PerReplica<Tensor>> nest = Regroup(values);
  EXPECT_EQ(nest[0].leaf()[1].at<float>(0), 3);
  EXPECT_EQ(nest[1].leaf()[0].at<float>(0), 2);
  EXPECT_EQ(nest[1].leaf()[1].at<float>(0), 4);
}

TEST(PerReplicaTest, RegroupRefusesDifferentForms) {
  const PerReplica<Structure> values(
      {Structure(Row({1})), Structure::Tuple({Row({3})})});
  try {
    Regroup(values);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
  }
  EXPECT_THROW(Regroup(PerReplica<Structure>()), Error);
}

TEST(StrategyScopeTest, MakesTheStrategyCurrentForTheThread) {
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

TEST(StrategyScopeTest, NestsToAnyDepth) {
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

TEST(StrategyScopeTest, RefusesAnotherStrategy) {
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

TEST(StrategyScopeTest, KeepsReplicaContextInsideRun) {
  const auto strategy = MakeStrategy(2);
  strategy->Run([&] {
    StrategyScope scope = strategy->Scope();
    EXPECT_FALSE(InCrossReplicaContext());
  });
}

TEST(StrategyScopeTest, RefusesClosingOutOfOrder) {
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
  inner.Close();  // a second call does nothing
  outer.Close();
  EXPECT_FALSE(HasStrategy());
}

TEST(StrategyScopeTest, RepairsDestructionOutOfOrder) {
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

// The numbers are from the catalogue of behaviour: REDUCE and GATHER.

namespace {

class StrategyReduceTest : public testing::Test {
 protected:
  std::string Reduce(ReduceOp op, std::vector<Tensor> values,
                     const ReduceAxes& axes) {
    return ToString(strategy_->Reduce(op, Tensors(std::move(values)), axes));
  }

  const std::unique_ptr<MirroredStrategy> strategy_ = MakeStrategy(2);
};

TEST_F(StrategyReduceTest, WithoutAxisElementwise) {
  EXPECT_EQ(Reduce(ReduceOp::kSum, {Row({1, 2}), Row({3, 4})}, std::nullopt),
            "[4, 6]");
  EXPECT_EQ(Reduce(ReduceOp::kMean, {Row({1, 2}), Row({3, 4})}, std::nullopt),
            "[2, 3]");
}

TEST_F(StrategyReduceTest, MeanOverAnAxisDividesByTheTotalCount) {
  EXPECT_EQ(Reduce(ReduceOp::kMean, {Row({1, 2, 3}), Row({5})}, 0), "2.75");
  EXPECT_EQ(Reduce(ReduceOp::kSum, {Row({1, 2, 3}), Row({5})}, 0), "11");
}

TEST_F(StrategyReduceTest, AxesOfMatrices) {
  const Tensor two_rows = Matrix({1, 2, 3, 4}, 2);
  const Tensor one_row = Matrix({5, 6}, 1);
  EXPECT_EQ(Reduce(ReduceOp::kMean, {two_rows, one_row}, 0), "[3, 4]");
  EXPECT_EQ(Reduce(ReduceOp::kMean, {two_rows, Matrix({5, 6, 7, 8}, 2)}, 1),
            "[3.5, 5.5]");
  EXPECT_EQ(
      Reduce(ReduceOp::kMean, {two_rows, Matrix({5, 6, 7, 8}, 2)}, {0, 1}),
      "4.5");
  EXPECT_EQ(Reduce(ReduceOp::kSum, {two_rows, Matrix({5, 6, 7, 8}, 2)}, -1),
            "[14, 22]");
}

TEST_F(StrategyReduceTest, IgnoresEmptyReplicas) {
  EXPECT_EQ(Reduce(ReduceOp::kMean, {Row({1, 2, 3}), Row({})}, 0), "2");
  EXPECT_EQ(Reduce(ReduceOp::kSum, {Row({1, 2, 3}), Row({})}, 0), "6");
  const Tensor nothing =
      strategy_->Reduce(ReduceOp::kMean, Tensors({Row({}), Row({})}), 0);
  EXPECT_TRUE(std::isnan(nothing.item<float>()));
}

TEST_F(StrategyReduceTest, MeanOfIntegersIsFloat64) {
  const auto ints = [](std::vector<int32_t> values) {
    return Tensor::FromVector(values);
  };
  EXPECT_EQ(Reduce(ReduceOp::kMean, {ints({1, 2}), ints({4})}, 0),
            "2.3333333333333335");
  EXPECT_EQ(Reduce(ReduceOp::kMean, {ints({1}), ints({2})}, std::nullopt),
            "[1.5]");
  EXPECT_EQ(strategy_->Reduce(ReduceOp::kSum, Tensors({ints({1}), ints({2})}))
                .dtype(),
            DType::kInt32);
}

TEST_F(StrategyReduceTest, ReducesStructuresLeafByLeaf) {
  const PerReplica<Structure> values(
      {Structure::Dict({{"a", Row({1})}, {"b", Row({3})}}),
       Structure::Dict({{"a", Row({2})}, {"b", Row({5})}})});
  EXPECT_EQ(ToString(strategy_->Reduce(ReduceOp::kSum, values)),
            "{'a': [3], 'b': [8]}");
}

TEST_F(StrategyReduceTest, PlainValues) {
  EXPECT_EQ(ToString(strategy_->Reduce(ReduceOp::kMean, Row({1, 2}))),
            "[1, 2]");
  EXPECT_EQ(ToString(strategy_->Reduce(ReduceOp::kMean, Row({1, 2}), 0)),
            "1.5");
  EXPECT_EQ(CodeOf([&] {
              strategy_->Reduce(ReduceOp::kSum, Row({1, 2}));
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(ToString(MakeStrategy(1)->Reduce(ReduceOp::kSum, Row({1, 2}))),
            "[1, 2]");
}

TEST_F(StrategyReduceTest, RefusesInvalidValues) {
  const auto code = [&](std::vector<Tensor> values, const ReduceAxes& axes) {
    return CodeOf([&] {
      strategy_->Reduce(ReduceOp::kSum, Tensors(std::move(values)), axes);
    });
  };
  EXPECT_EQ(code({Row({1, 2}), Row({3})}, std::nullopt),
            Code::kInvalidArgument);
  EXPECT_EQ(code({Row({1, 2}), Row({3})}, 1), Code::kInvalidArgument);
  EXPECT_EQ(code({Row({1, 2}), Row({3})}, -2), Code::kInvalidArgument);
  EXPECT_EQ(code({Matrix({1, 2}, 1), Matrix({3}, 1)}, 0),
            Code::kInvalidArgument);
  EXPECT_EQ(code({Row({1})}, std::nullopt), Code::kInvalidArgument);
  EXPECT_EQ(code({Tensor::Scalar(true), Tensor::Scalar(true)}, std::nullopt),
            Code::kInvalidArgument);
}

TEST_F(StrategyReduceTest, RefusesCallsByReplicas) {
  EXPECT_EQ(
      CodeOf([&] {
        strategy_->Run([&] { strategy_->Reduce(ReduceOp::kMean, Row({1})); });
      }),
      Code::kFailedPrecondition);
  EXPECT_EQ(
      CodeOf([&] { strategy_->Run([&] { strategy_->Gather(Row({1}), 0); }); }),
      Code::kFailedPrecondition);
}

TEST_F(StrategyReduceTest, GatherJoinsInReplicaOrder) {
  const auto gather = [&](std::vector<Tensor> values, int axis) {
    return ToString(strategy_->Gather(Tensors(std::move(values)), axis));
  };
  EXPECT_EQ(gather({Matrix({1, 2}, 1), Matrix({3, 4, 5, 6}, 2)}, 0),
            "[[1, 2], [3, 4], [5, 6]]");
  for (int axis : {1, -1}) {
    EXPECT_EQ(gather({Matrix({1, 2, 3, 4}, 2), Matrix({5, 6}, 2)}, axis),
              "[[1, 2, 5], [3, 4, 6]]");
  }
  EXPECT_EQ(gather({Row({1, 2, 3}), Row({})}, 0), "[1, 2, 3]");
  EXPECT_EQ(ToString(strategy_->Gather(Row({7}), 0)), "[7]");
}

TEST_F(StrategyReduceTest, GatherRefusesInvalidShapes) {
  const auto code = [&](std::vector<Tensor> values, int axis) {
    return CodeOf([&] { strategy_->Gather(Tensors(std::move(values)), axis); });
  };
  EXPECT_EQ(code({Matrix({1, 2}, 1), Matrix({1, 2, 3}, 1)}, 0),
            Code::kInvalidArgument);
  EXPECT_EQ(code({Row({1}), Matrix({1}, 1)}, 0), Code::kInvalidArgument);
  EXPECT_EQ(code({Tensor::Scalar(1.0f), Tensor::Scalar(1.0f)}, 0),
            Code::kInvalidArgument);
  EXPECT_EQ(code({Row({1}), Row({2})}, 1), Code::kInvalidArgument);
}

TEST(StrategyReduceAnyTest, ReplicaIdsAddUp) {
  for (int replicas : {1, 2, 3, 4, 5, 8}) {
    const auto strategy = MakeStrategy(replicas);
    const PerReplica<Tensor> ids = strategy->Run([] {
      const int id = GetReplicaContext().replica_id_in_sync_group().value();
      return Tensor::FromVector(std::vector<float>(id + 1, id));
    });
    // Replica i holds i + 1 copies of i.
    double sum = 0, count = 0;
    for (int i = 0; i < replicas; ++i) sum += i * (i + 1), count += i + 1;
    EXPECT_EQ(strategy->Reduce(ReduceOp::kSum, ids, 0).item<float>(), sum);
    EXPECT_EQ(strategy->Reduce(ReduceOp::kMean, ids, 0).item<float>(),
              static_cast<float>(sum / count));
  }
}

}  // namespace
}  // namespace lockstep
