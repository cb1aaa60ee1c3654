// The numbers are from the catalogue of behaviour: VARIABLE and CHECKPOINT.

#include "reference/distribute/variables/distributed_variable.h"

#include <gtest/gtest.h>

#include "reference/autodiff/gradient_tape.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/variables/distributed_variable_creation.h"

namespace lockstep {
namespace {

using Aggregation = VariableAggregation;
enum class How { kAssign, kAdd, kSub };

void Update(Variable& v, How how, float value) {
  const Tensor tensor = Tensor::Scalar(value);
  if (how == How::kAssign) v.Assign(tensor);
  if (how == How::kAdd) v.AssignAdd(tensor);
  if (how == How::kSub) v.AssignSub(tensor);
}

int Id() { return GetReplicaContext().replica_id_in_sync_group().value(); }

// Starts with `initial` and updates with `values[r]` on replica r. Returns the
// result, which must be equal in all copies.
float UpdateInReplicas(float initial, Aggregation aggregation, How how,
                       const std::vector<float>& values) {
  const auto strategy = MakeStrategy(static_cast<int>(values.size()));
  const VariablePtr v = MakeIn(*strategy, initial, aggregation);
  strategy->Run([&](float value) { Update(*v, how, value); },
                PerReplica<float>(values));
  CheckReplicasEqual(*v);
  return v->Read().item<float>();
}

TEST(MirroredVariableTest, AggregatesUpdatesOfReplicas) {
  const std::vector<float> values = {10, 20};
  const auto result = [&](Aggregation aggregation, How how) {
    return UpdateInReplicas(1, aggregation, how, values);
  };
  EXPECT_EQ(result(Aggregation::kSum, How::kAssign), 30);
  EXPECT_EQ(result(Aggregation::kSum, How::kAdd), 31);
  EXPECT_EQ(result(Aggregation::kSum, How::kSub), -29);
  EXPECT_EQ(result(Aggregation::kMean, How::kAssign), 15);
  EXPECT_EQ(result(Aggregation::kMean, How::kAdd), 16);
  EXPECT_EQ(result(Aggregation::kMean, How::kSub), -14);
  EXPECT_EQ(result(Aggregation::kOnlyFirstReplica, How::kAssign), 10);
  EXPECT_EQ(result(Aggregation::kOnlyFirstReplica, How::kAdd), 11);
  EXPECT_EQ(result(Aggregation::kOnlyFirstReplica, How::kSub), -9);
}

TEST(MirroredVariableTest, ThreeReplicas) {
  const std::vector<float> values = {1, 4, 9};
  EXPECT_EQ(UpdateInReplicas(1, Aggregation::kMean, How::kAdd, values),
            1.0f + 14.0f / 3.0f);
  EXPECT_EQ(UpdateInReplicas(1, Aggregation::kSum, How::kSub, values), -13);
  EXPECT_EQ(
      UpdateInReplicas(1, Aggregation::kOnlyFirstReplica, How::kAssign, values),
      1);
}

TEST(MirroredVariableTest, NoAggregationKeepsCopiesEqual) {
  for (How how : {How::kAssign, How::kAdd, How::kSub}) {
    const auto strategy = MakeStrategy(2);
    const VariablePtr v = MakeIn(*strategy, 1);
    EXPECT_EQ(CodeOf([&] {
                strategy->Run([&] { Update(*v, how, 10.0f * (Id() + 1)); });
              }),
              Code::kInvalidArgument);
    CheckReplicasEqual(*v);
    EXPECT_EQ(v->Read().item<float>(), 1);
    strategy->Run([&] { Update(*v, how, 10); });  // equal values are fine
    CheckReplicasEqual(*v);
    const float expected[] = {10, 11, -9};
    EXPECT_EQ(v->Read().item<float>(), expected[static_cast<int>(how)]);
  }
}

TEST(MirroredVariableTest, RefusesAssignOnOneReplica) {
  const auto strategy = MakeStrategy(2);
  const VariablePtr v = MakeIn(*strategy, 1, Aggregation::kSum);
  EXPECT_EQ(CodeOf([&] {
              strategy->Run([&] {
                if (Id() == 0) v->Assign(Tensor::Scalar(5.0f));
              });
            }),
            Code::kFailedPrecondition);
  EXPECT_EQ(v->Read().item<float>(), 1);
}

TEST(MirroredVariableTest, CrossReplicaUpdatesSetAllCopies) {
  const auto strategy = MakeStrategy(3);
  for (Aggregation aggregation :
       {Aggregation::kNone, Aggregation::kSum, Aggregation::kMean,
        Aggregation::kOnlyFirstReplica}) {
    const VariablePtr v = MakeIn(*strategy, 1, aggregation);
    StrategyScope scope = strategy->Scope();
    Update(*v, How::kAssign, 5);
    Update(*v, How::kAdd, 2);
    Update(*v, How::kSub, 4);
    CheckReplicasEqual(*v);
    EXPECT_EQ(v->Read().item<float>(), 3);
  }
}

TEST(MirroredVariableTest, CopiesAreNamedAndStartEqual) {
  const auto strategy = MakeStrategy(3);
  int calls = 0;
  StrategyScope scope = strategy->Scope();
  const VariablePtr v =
      MakeVariable({.initial_value =
                        [&] {
                          EXPECT_EQ(&Device::Current(), strategy->devices()[0]);
                          return Tensor::Scalar(1.5f * ++calls);
                        },
                    .name = "w"});
  const auto& mirrored = dynamic_cast<const MirroredVariable&>(*v);
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(mirrored.num_copies(), 3);
  EXPECT_EQ(v->name(), "w");
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(mirrored.copy(r).item<float>(), 1.5f);
    EXPECT_EQ(&mirrored.copy(r).device(), strategy->devices()[r]);
  }
  EXPECT_EQ(v->synchronization(), VariableSynchronization::kOnWrite);
}

TEST(MirroredVariableTest, ReadsTheReplicasCopyOnItsTape) {
  const auto strategy = MakeStrategy(2);
  const VariablePtr v = MakeIn(*strategy, 3);
  strategy->Run([&] {
    GradientTape tape;
    const Tensor value = v->Read();
    EXPECT_EQ(&value.device(), &Device::Current());
    EXPECT_EQ(tape.Gradient(value, {v})[0]->item<float>(), 1);
  });
}

TEST(MirroredVariableTest, OptimizersUpdateCopiesInPlace) {
  const auto strategy = MakeStrategy(2);
  const VariablePtr v = MakeIn(*strategy, 3);
  const Tensor before = v->Read();
  const auto subtract_one = [&] {
    v->Update("Subtract", {}, [](Tensor& value, std::span<const Tensor>) {
      value.mutable_data<float>()[0] -= 1;
    });
  };
  strategy->Run(subtract_one);
  CheckReplicasEqual(*v);
  EXPECT_EQ(v->Read().item<float>(), 2);
  EXPECT_EQ(before.item<float>(), 3);  // earlier values stay
  EXPECT_EQ(CodeOf(subtract_one), Code::kFailedPrecondition);
  const auto one = MakeStrategy(1);
  const VariablePtr single = MakeIn(*one, 1);
  single->Update("Set", {}, [](Tensor& value, std::span<const Tensor>) {
    value.mutable_data<float>()[0] = 7;
  });
  EXPECT_EQ(single->Read().item<float>(), 7);
}

TEST(MirroredVariableTest, BelongsToItsStrategysReplicas) {
  const auto three = MakeStrategy(3);
  const auto two = MakeStrategy(2);
  const VariablePtr v = MakeIn(*two, 1, Aggregation::kSum);
  EXPECT_EQ(CodeOf([&] { three->Run([&] { v->Read(); }); }),
            Code::kFailedPrecondition);
  EXPECT_EQ(
      CodeOf([&] { three->Run([&] { v->Assign(Tensor::Scalar(1.0f)); }); }),
      Code::kFailedPrecondition);
  EXPECT_EQ(v->Read().item<float>(), 1);  // and outside any scope
}

TEST(MirroredVariableTest, OutlivesItsStrategy) {
  auto strategy = MakeStrategy(2);
  const VariablePtr v = MakeIn(*strategy, 4);
  strategy.reset();
  EXPECT_EQ(v->Read().item<float>(), 4);
  v->Assign(Tensor::Scalar(5.0f));
  EXPECT_EQ(v->Read().item<float>(), 5);
}

TEST(MirroredVariableTest, MadeInsideRunOnceForAll) {
  for (int replicas : {1, 2, 3, 5}) {
    const auto strategy = MakeStrategy(replicas);
    int calls = 0;
    const PerReplica<VariablePtr> made = strategy->Run([&] {
      return MakeVariable({.initial_value =
                               [&] {
                                 ++calls;
                                 return Tensor::Scalar(2.0f);
                               },
                           .name = "inside",
                           .aggregation = Aggregation::kSum});
    });
    EXPECT_EQ(calls, 1);
    for (const VariablePtr& v : made) EXPECT_EQ(v, made[0]);
    strategy->Run([&] { made[Id()]->AssignAdd(Tensor::Scalar(1.0f)); });
    EXPECT_EQ(made[0]->Read().item<float>(), 2 + replicas);
  }
}

TEST(MirroredVariableTest, ReplicasMustAgreeOnTheName) {
  const auto strategy = MakeStrategy(2);
  EXPECT_EQ(
      CodeOf([&] {
        strategy->Run([] {
          MakeVariable({.initial_value = [] { return Tensor::Scalar(1.0f); },
                        .name = Id() == 0 ? "foo" : "bar"});
        });
      }),
      Code::kFailedPrecondition);
}

TEST(MirroredVariableTest, RefusesInvalidOptions) {
  const auto strategy = MakeStrategy(2);
  StrategyScope scope = strategy->Scope();
  const auto code = [](const VariableOptions& options) {
    return CodeOf([&] { MakeVariable(options); });
  };
  const auto one = [] { return Tensor::Scalar<int32_t>(1); };
  EXPECT_EQ(code({.initial_value = one,
                  .synchronization = VariableSynchronization::kNone}),
            Code::kInvalidArgument);
  for (auto synchronization :
       {VariableSynchronization::kOnWrite, VariableSynchronization::kOnRead}) {
    EXPECT_EQ(code({.initial_value = one,
                    .synchronization = synchronization,
                    .aggregation = Aggregation::kMean}),
              Code::kInvalidArgument);
  }
  EXPECT_EQ(code({}), Code::kInvalidArgument);
}

TEST(MirroredVariableTest, RefusesWrongShapes) {
  const auto strategy = MakeStrategy(2);
  const VariablePtr v = MakeIn(*strategy, 1, Aggregation::kSum);
  EXPECT_EQ(CodeOf([&] { v->Assign(Row({1, 2})); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { strategy->Run([&] {
                           v->Assign(Row({1, 2}));
                         }); }),
            Code::kInvalidArgument);
  EXPECT_EQ(v->Read().item<float>(), 1);
}

TEST(MirroredVariableTest, IsSavedOnceAndRestoredEverywhere) {
  const auto two = MakeStrategy(2);
  const VariablePtr saved = MakeIn(*two, 7);
  for (int replicas : {1, 2, 3}) {
    const auto strategy = MakeStrategy(replicas);
    const VariablePtr restored = MakeIn(*strategy, 0);
    restored->values()[0].restore(saved->values()[0].save());
    CheckReplicasEqual(*restored);
    EXPECT_EQ(restored->Read().item<float>(), 7);
  }
  EXPECT_EQ(saved->values()[0].attribute, "VARIABLE_VALUE");
}

TEST(MirroredVariableTest, PlainVariableIsUpdatedPerReplica) {
  // Made outside the scope: 1, then each of two replicas adds one.
  const VariablePtr v =
      MakeVariable({.initial_value = [] { return Tensor::Scalar(1.0f); }});
  const auto strategy = MakeStrategy(2);
  strategy->Run([&] { v->AssignAdd(Tensor::Scalar(1.0f)); });
  EXPECT_EQ(v->Read().item<float>(), 3);
}

TEST(CheckReplicasEqualTest, FindsTheDifference) {
  const auto strategy = MakeStrategy(3);
  StrategyScope scope = strategy->Scope();
  const VariablePtr v = MakeVariable({.initial_value =
                                          [] {
                                            return Row({1, 2, 0});
                                          },
                                      .name = "w"});
  CheckReplicasEqual({v});
  scope.Close();
  strategy->Run([&] {
    // -0 equals 0 as a number, not as bits.
    if (Id() != 2) return;
    v->Update("Negate", {}, [](Tensor& value, std::span<const Tensor>) {
      value.mutable_data<float>()[2] = -0.0f;
    });
  });
  try {
    CheckReplicasEqual({v});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInternal);
    EXPECT_STREQ(error.what(),
                 "[CheckReplicasEqual] variable 'w' differs between replica 0 "
                 "and replica 2, first in element 2");
  }
}

}  // namespace

namespace {

constexpr Aggregation kAll[] = {Aggregation::kNone, Aggregation::kSum,
                                Aggregation::kMean,
                                Aggregation::kOnlyFirstReplica};

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
    CheckReplicasEqual(*v);  // which allows on-read variables to differ
  }
}

TEST(SyncOnReadVariableTest, NamesCopiesByReplica) {
  const auto strategy = MakeStrategy(3);
  const VariablePtr v = MakeOnRead(*strategy, 0, Aggregation::kSum);
  try {
    strategy->Run([&] {
      if (Id() == 2) v->Assign(Row({1, 2}));
    });
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'" + v->name() + "/replica_2'"),
              std::string::npos)
        << error.what();
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

TEST(SyncOnReadVariableTest, CheckpointsKeepTheAggregate) {
  using Result = std::pair<float, std::vector<float>>;
  EXPECT_EQ(SaveAndRestore(Aggregation::kSum, 2, 3), (Result{6, {2, 2, 2}}));
  EXPECT_EQ(SaveAndRestore(Aggregation::kMean, 3, 2), (Result{4, {4, 4}}));
  EXPECT_EQ(SaveAndRestore(Aggregation::kOnlyFirstReplica, 2, 2),
            (Result{2, {2, 2}}));
  EXPECT_EQ(CodeOf([] { SaveAndRestore(Aggregation::kNone, 2, 2); }),
            Code::kInvalidArgument);
}

// 2 and 4, which a sum alone would restore as 3 and 3.
TEST(SyncOnReadVariableTest, RestoresCopiesOnSameNumberOfReplicas) {
  const auto two = MakeStrategy(2), three = MakeStrategy(3);
  for (const Aggregation aggregation :
       {Aggregation::kSum, Aggregation::kMean}) {
    const VariablePtr v = MakeOnRead(*two, 0, aggregation);
    two->Run([&] { v->Assign(Tensor::Scalar(2.0f * (Id() + 1))); });
    const Trackable::Value own = v->values().at(1);
    EXPECT_TRUE(own.of_each_replica);
    const Tensor stored = own.save();
    EXPECT_EQ(stored.ToVector<float>(), (std::vector<float>{2, 4}));
    v->Assign(Tensor::Scalar(0.0f));
    own.restore(stored);
    EXPECT_EQ(Copies(v), (std::vector<float>{2, 4}));
    const VariablePtr other = MakeOnRead(*three, 0, aggregation);
    other->values().at(1).restore(stored);
    EXPECT_EQ(Copies(other), (std::vector<float>{0, 0, 0}));
  }
  const VariablePtr first = MakeOnRead(*two, 0, Aggregation::kOnlyFirstReplica);
  EXPECT_EQ(first->values().size(), 1u);
}

TEST(SyncOnReadVariableTest, RestoreByOneReplicaSetsAllCopies) {
  // An object tracked inside Run gets its value there, from one thread.
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

TEST(SyncOnReadVariableTest, IntegerSumKeepsItsRemainder) {
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
