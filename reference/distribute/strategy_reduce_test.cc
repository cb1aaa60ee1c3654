// The numbers are those of the behaviour catalogue: REDUCE and GATHER.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/distribute/distribute_testing.h"

namespace lockstep {
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

TEST_F(StrategyReduceTest, EmptyReplicasCountNothing) {
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

TEST_F(StrategyReduceTest, StructuresAreReducedLeafByLeaf) {
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

TEST_F(StrategyReduceTest, RefusesWhatCannotBeReduced) {
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

TEST_F(StrategyReduceTest, AReplicaMayNotCallIt) {
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

TEST_F(StrategyReduceTest, GatherRefusesWhatDoesNotFit) {
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
      const int id = GetReplicaContext().replica_id_in_sync_group();
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
