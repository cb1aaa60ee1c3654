// The numbers are those of the behaviour catalogue: VARIABLE and CHECKPOINT.
#include "reference/distribute/sync_on_read_variable.h"

#include <gtest/gtest.h>

#include "reference/distribute/check_replicas_equal.h"
#include "reference/distribute/distribute_testing.h"

namespace lockstep {
namespace {

using Aggregation = VariableAggregation;
constexpr Aggregation kAll[] = {Aggregation::kNone, Aggregation::kSum,
                                Aggregation::kMean,
                                Aggregation::kOnlyFirstReplica};

int Id() { return GetReplicaContext().replica_id_in_sync_group(); }

VariablePtr MakeOnRead(Strategy& strategy, float value,
                       Aggregation aggregation) {
  return MakeIn(strategy, value, aggregation, VariableSynchronization::kOnRead);
}

std::vector<float> Copies(const VariablePtr& v) {
  const auto& distributed = dynamic_cast<const DistributedVariable&>(*v);
  std::vector<float> copies;
  for (int r = 0; r < distributed.num_copies(); ++r) {
    copies.push_back(distributed.copy(r).item<float>());
  }
  return copies;
}

// Copies 10, 20, ... written by the replicas.
VariablePtr Written(Strategy& strategy, Aggregation aggregation) {
  const VariablePtr v = MakeOnRead(strategy, 0, aggregation);
  strategy.Run([&] { v->Assign(Tensor::Scalar(10.0f * (Id() + 1))); });
  return v;
}

TEST(SyncOnReadVariableTest, WritesStayLocal) {
  const auto strategy = MakeStrategy(2);
  for (Aggregation aggregation : kAll) {
    const VariablePtr v = Written(*strategy, aggregation);
    EXPECT_EQ(Copies(v), (std::vector<float>{10, 20}));
    strategy->Run([&] {
      EXPECT_EQ(v->Read().item<float>(), 10 * (Id() + 1));
      v->AssignAdd(Tensor::Scalar(1.0f * Id()));
      v->AssignSub(Tensor::Scalar(5.0f));
    });
    EXPECT_EQ(Copies(v), (std::vector<float>{5, 16}));
    CheckReplicasEqual(*v);  // which lets on-read variables differ
  }
}

TEST(SyncOnReadVariableTest, CrossReplicaReadAggregates) {
  const auto strategy = MakeStrategy(2);
  const auto read = [&](Aggregation aggregation) {
    return Written(*strategy, aggregation)->Read().item<float>();
  };
  EXPECT_EQ(read(Aggregation::kSum), 30);
  EXPECT_EQ(read(Aggregation::kMean), 15);
  EXPECT_EQ(read(Aggregation::kOnlyFirstReplica), 10);
  EXPECT_EQ(CodeOf([&] { read(Aggregation::kNone); }), Code::kInvalidArgument);
}

TEST(SyncOnReadVariableTest, CrossReplicaAssign) {
  const auto strategy = MakeStrategy(2);
  const auto assign = [&](Aggregation aggregation) {
    const VariablePtr v = Written(*strategy, aggregation);
    v->Assign(Tensor::Scalar(6.0f));
    return Copies(v);
  };
  EXPECT_EQ(assign(Aggregation::kSum), (std::vector<float>{3, 3}));
  EXPECT_EQ(assign(Aggregation::kMean), (std::vector<float>{6, 6}));
  EXPECT_EQ(assign(Aggregation::kOnlyFirstReplica), (std::vector<float>{6, 6}));
  EXPECT_EQ(CodeOf([&] { assign(Aggregation::kNone); }),
            Code::kInvalidArgument);
}

TEST(SyncOnReadVariableTest, CrossReplicaAddAndSub) {
  const auto strategy = MakeStrategy(2);
  const auto change = [&](Aggregation aggregation) {
    const VariablePtr v = Written(*strategy, aggregation);
    v->AssignAdd(Tensor::Scalar(6.0f));
    v->AssignSub(Tensor::Scalar(1.0f));
    return Copies(v);
  };
  EXPECT_EQ(change(Aggregation::kMean), (std::vector<float>{15, 25}));
  EXPECT_EQ(change(Aggregation::kOnlyFirstReplica),
            (std::vector<float>{15, 25}));
  EXPECT_EQ(CodeOf([&] { change(Aggregation::kSum); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { change(Aggregation::kNone); }),
            Code::kInvalidArgument);
}

TEST(SyncOnReadVariableTest, OnlyFirstReplicaAddsDiffer) {
  // Add 5 (r + 1) to 2 on two replicas.
  const auto strategy = MakeStrategy(2);
  const VariablePtr v =
      MakeOnRead(*strategy, 2, Aggregation::kOnlyFirstReplica);
  strategy->Run([&] { v->AssignAdd(Tensor::Scalar(5.0f * (Id() + 1))); });
  EXPECT_EQ(Copies(v), (std::vector<float>{7, 12}));
  EXPECT_EQ(v->Read().item<float>(), 7);
}

TEST(SyncOnReadVariableTest, AllReduceTakesTheLocalValue) {
  const auto strategy = MakeStrategy(2);
  const VariablePtr v = MakeOnRead(*strategy, 0, Aggregation::kSum);
  const PerReplica<Tensor> sums = strategy->Run([&] {
    v->Assign(Tensor::Scalar(3.0f * Id()));
    return GetReplicaContext().AllReduce(ReduceOp::kSum, v->Read());
  });
  EXPECT_EQ(sums[0].item<float>(), 3);
}

TEST(SyncOnReadVariableTest, IsNotTrainable) {
  const auto strategy = MakeStrategy(2);
  const VariablePtr v = MakeOnRead(*strategy, 0, Aggregation::kSum);
  EXPECT_FALSE(v->trainable());
  EXPECT_EQ(v->synchronization(), VariableSynchronization::kOnRead);
}

// What `aggregation` saves from copies 2, 4, ... and restores into `replicas`.
std::pair<float, std::vector<float>> SaveAndRestore(Aggregation aggregation,
                                                    int from, int into) {
  const auto strategy = MakeStrategy(from);
  const VariablePtr saved = MakeOnRead(*strategy, 0, aggregation);
  strategy->Run([&] { saved->Assign(Tensor::Scalar(2.0f * (Id() + 1))); });
  const Tensor value = saved->values()[0].save();
  const auto other = MakeStrategy(into);
  const VariablePtr restored = MakeOnRead(*other, 0, aggregation);
  restored->values()[0].restore(value);
  return {value.item<float>(), Copies(restored)};
}

TEST(SyncOnReadVariableTest, CheckpointsKeepTheMeaning) {
  using Result = std::pair<float, std::vector<float>>;
  EXPECT_EQ(SaveAndRestore(Aggregation::kSum, 2, 3), (Result{6, {2, 2, 2}}));
  EXPECT_EQ(SaveAndRestore(Aggregation::kMean, 3, 2), (Result{4, {4, 4}}));
  EXPECT_EQ(SaveAndRestore(Aggregation::kOnlyFirstReplica, 2, 2),
            (Result{2, {2, 2}}));
  EXPECT_EQ(CodeOf([] { SaveAndRestore(Aggregation::kNone, 2, 2); }),
            Code::kInvalidArgument);
}

TEST(SyncOnReadVariableTest, ARestoreThatOneReplicaSetsOffReachesAllCopies) {
  // A part that is tracked inside Run gets its value there, from one thread.
  const auto strategy = MakeStrategy(2);
  const auto restore = [&](Aggregation aggregation) {
    const VariablePtr v = Written(*strategy, aggregation);
    strategy->Run([&] {
      if (Id() == 1) v->values()[0].restore(Tensor::Scalar(6.0f));
    });
    return Copies(v);
  };
  EXPECT_EQ(restore(Aggregation::kSum), (std::vector<float>{3, 3}));
  EXPECT_EQ(restore(Aggregation::kMean), (std::vector<float>{6, 6}));
  EXPECT_EQ(restore(Aggregation::kOnlyFirstReplica),
            (std::vector<float>{6, 6}));
}

TEST(SyncOnReadVariableTest, AnIntegerSumKeepsItsRemainder) {
  const auto strategy = MakeStrategy(3);
  StrategyScope scope = strategy->Scope();
  const VariablePtr v =
      MakeVariable({.initial_value = [] { return Tensor::Scalar<int64_t>(0); },
                    .synchronization = VariableSynchronization::kOnRead,
                    .aggregation = Aggregation::kSum});
  for (int64_t sum : {7, -7, 2, 0}) {
    v->Assign(Tensor::Scalar<int64_t>(sum));
    EXPECT_EQ(v->Read().item<int64_t>(), sum);
  }
}

}  // namespace
}  // namespace lockstep
