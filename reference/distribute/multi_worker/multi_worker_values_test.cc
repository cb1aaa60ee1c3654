// Values and variables of the replicas of several workers. Numbers MW-.. refer
// to the results of TensorFlow 2.21 with two real processes of one replica, and
// of two.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/multi_worker/multi_worker_testing.h"
#include "reference/distribute/variables/distributed_variable.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

// Replica r of all workers has make(r).
PerReplica<Tensor> Values(const Strategy& strategy,
                          const std::function<Tensor(int)>& make) {
  return strategy.DistributeValuesFromFunction(
      [&](const ValueContext& context) {
        return make(context.replica_id_in_sync_group.value());
      });
}

Tensor Filled(int count, float value) { return Row(Floats(count, value)); }

struct Sizes {
  std::string name;
  std::vector<int> replicas;
};
void PrintTo(const Sizes& sizes, std::ostream* out) { *out << sizes.name; }

class MultiWorkerTest : public testing::TestWithParam<Sizes> {
 protected:
  bool four() const { return replicas_ == 4; }

  const std::vector<int> workers_ = GetParam().replicas;
  const int replicas_ = std::reduce(workers_.begin(), workers_.end());
};

TEST_P(MultiWorkerTest, KnowsAllReplicasAndItsOwn) {  // MW-01
  RunWorkers(workers_, [&](Strategy& strategy) {
    EXPECT_EQ(strategy.num_replicas_in_sync(), replicas_);
    EXPECT_EQ(strategy.topology().is_chief(), WorkerOf(strategy) == 0);
    const PerReplica<int> ids = strategy.Run(ReplicaNumber);
    EXPECT_EQ(ids.size(), workers_[WorkerOf(strategy)]);
    for (LocalIndex r(0); r < ids.size(); ++r) {
      EXPECT_EQ(ids[r], strategy.topology().GlobalId(r).value());
    }
    EXPECT_EQ(strategy.LocalResults(ids), ids.values());
  });
}

TEST_P(MultiWorkerTest, ReduceIsOverAllReplicas) {  // MW-50
  const float sum = replicas_ * (replicas_ + 1) / 2;
  RunWorkers(workers_, [&](Strategy& strategy) {
    const auto floats =
        Values(strategy, [](int r) { return Tensor::Scalar(r + 1.0f); });
    EXPECT_EQ(strategy.Reduce(ReduceOp::kSum, floats).item<float>(), sum);
    EXPECT_EQ(strategy.Reduce(ReduceOp::kMean, floats).item<float>(),
              sum / replicas_);
    const auto ints =
        Values(strategy, [](int r) { return Tensor::Scalar<int32_t>(r + 1); });
    EXPECT_EQ(strategy.Reduce(ReduceOp::kMean, ints).item<double>(),
              sum / replicas_);
  });
}

// Larger than values that are sent with the announcements of the workers.
TEST_P(MultiWorkerTest, ReducesLargeValues) {
  const float sum = replicas_ * (replicas_ + 1) / 2;
  RunWorkers(workers_, [&](Strategy& strategy) {
    const auto large =
        Values(strategy, [](int r) { return Filled(100'000, r + 1); });
    const Tensor mean = strategy.Reduce(ReduceOp::kMean, large);
    EXPECT_EQ(mean.ToVector<float>(), Floats(100'000, sum / replicas_));
    EXPECT_EQ(large[0].at<float>(0),
              strategy.topology().GlobalId(LocalIndex(0)).value() + 1);
  });
}

// Of [0], [10, 11], [20, 21, 22], [30, 31, 32, 33].
Tensor Ragged(int r) {
  Floats values;
  for (int i = 0; i <= r; ++i) values.push_back(10 * r + i);
  return Row(values);
}

TEST_P(MultiWorkerTest, MeanAlongAnAxisWeighsByCount) {  // MW-51
  RunWorkers(workers_, [&](Strategy& strategy) {
    const auto values = Values(strategy, Ragged);
    EXPECT_EQ(strategy.Reduce(ReduceOp::kSum, values, 0).item<float>(),
              four() ? 210 : 21);
    EXPECT_EQ(strategy.Reduce(ReduceOp::kMean, values, 0).item<float>(),
              four() ? 21 : 7);
  });
}

TEST_P(MultiWorkerTest, GatherJoinsAllInOrder) {  // MW-52 to MW-54
  Floats all;
  for (int r = 0; r < replicas_; ++r) {
    for (const float value : Ragged(r).ToVector<float>()) all.push_back(value);
  }
  RunWorkers(workers_, [&](Strategy& strategy) {
    EXPECT_EQ(strategy.Gather(Values(strategy, Ragged), 0).ToVector<float>(),
              all);
    const auto some =
        Values(strategy, [](int r) { return Filled(r, r); });  // none on 0
    EXPECT_EQ(strategy.Gather(some, 0).ToVector<float>(),
              four() ? (Floats{1, 2, 2, 3, 3, 3}) : Floats{1});
    const auto wide =
        Values(strategy, [](int r) { return Matrix(Floats(r + 1, r), 1); });
    const Tensor joined = strategy.Gather(wide, 1);
    EXPECT_EQ(joined.shape(), (Shape{1, replicas_ * (replicas_ + 1) / 2}));
    const auto none = Values(strategy, [](int) { return Row({}); });
    EXPECT_EQ(strategy.Gather(none, 0).num_elements(), 0);
  });
}

// MW-55 and MW-56, except that all workers continue.
TEST_P(MultiWorkerTest, InvalidGatherFailsOnAllWorkers) {
  RunWorkers(workers_, [&](Strategy& strategy) {
    const auto gather = [&](const std::function<Tensor(int)>& make) {
      return CodeOf([&] { strategy.Gather(Values(strategy, make), 0); });
    };
    EXPECT_EQ(gather([](int r) { return Tensor::Scalar(r + 1.0f); }),
              Code::kInvalidArgument);
    EXPECT_EQ(gather([](int r) { return Matrix(Floats(r + 1), 1); }),
              Code::kInvalidArgument);
    const auto unequal =
        Values(strategy, [](int r) { return Filled(r + 1, 1); });
    EXPECT_EQ(CodeOf([&] { strategy.Reduce(ReduceOp::kSum, unequal); }),
              Code::kInvalidArgument);
    // One is small enough to be sent with the announcement.
    const auto far =
        Values(strategy, [](int r) { return Filled(r < 1 ? 1 : 50'000, 1); });
    EXPECT_EQ(CodeOf([&] { strategy.Reduce(ReduceOp::kSum, far); }),
              Code::kInvalidArgument);
    const auto ones =
        Values(strategy, [](int) { return Tensor::Scalar(1.0f); });
    EXPECT_EQ(strategy.Reduce(ReduceOp::kSum, ones).item<float>(), replicas_);
  });
}

TEST_P(MultiWorkerTest, DetectsDifferentCalls) {
  if (workers_.size() == 1) return;  // no other worker
  RunWorkers(workers_, [&](Strategy& strategy) {
    const auto ones =
        Values(strategy, [](int) { return Tensor::Scalar(1.0f); });
    EXPECT_EQ(CodeOf([&] {
                if (WorkerOf(strategy) == 0) {
                  strategy.Gather(ones, 0);
                } else {
                  strategy.Reduce(ReduceOp::kSum, ones);
                }
              }),
              Code::kFailedPrecondition);
    EXPECT_EQ(CodeOf([&] {
                strategy.Reduce(
                    WorkerOf(strategy) == 0 ? ReduceOp::kSum : ReduceOp::kMean,
                    ones);
              }),
              Code::kFailedPrecondition);
    EXPECT_EQ(strategy.Reduce(ReduceOp::kSum, ones).item<float>(), replicas_);
  });
}

TEST_P(MultiWorkerTest, ReplicasReduceAndGatherOverWorkers) {  // MW-57, MW-58
  RunWorkers(workers_, [&](Strategy& strategy) {
    strategy.Run([&] {
      ReplicaContext& replica = GetReplicaContext();
      const float id = ReplicaNumber();
      EXPECT_EQ(
          replica.AllReduce(ReduceOp::kSum, Tensor::Scalar(id)).item<float>(),
          four() ? 6 : 1);
      EXPECT_EQ(
          replica.AllReduce(ReduceOp::kMean, Tensor::Scalar(id)).item<float>(),
          four() ? 1.5 : 0.5);
      EXPECT_EQ(
          replica.AllGather(Filled(id + 1, id), 0).ToVector<float>(),
          four() ? (Floats{0, 1, 1, 2, 2, 2, 3, 3, 3, 3}) : (Floats{0, 1, 1}));
    });
  });
}

// Every replica sums the squares of the joined value, so x gets the gradient 2
// x from every replica.
TEST_P(MultiWorkerTest, GradientThroughGather) {
  RunWorkers(workers_, [&](Strategy& strategy) {
    strategy.Run([&] {
      const Tensor x = Filled(ReplicaNumber() + 1, 3);
      GradientTape tape;
      tape.Watch(x);
      const Tensor all = GetReplicaContext().AllGather(x, 0);
      const Tensor sum = ops::ReduceSum(ops::Multiply(all, all));
      const Tensor gradient = *tape.Gradient(sum, {x})[0];
      EXPECT_EQ(gradient.ToVector<float>(),
                Floats(ReplicaNumber() + 1, 6.0f * replicas_));
    });
  });
}

TEST_P(MultiWorkerTest, MergeCallStaysWithTheWorker) {
  RunWorkers(workers_, [&](Strategy& strategy) {
    int runs = 0;
    strategy.Run([&] {
      const float mine = ReplicaNumber() + 1;
      const Tensor sum = GetReplicaContext().MergeCall(
          [&](Strategy& inside, const PerReplica<Tensor>& values) {
            ++runs;
            EXPECT_EQ(values.size(), workers_[WorkerOf(inside)]);
            return inside.Reduce(ReduceOp::kSum, values);
          },
          Tensor::Scalar(mine));
      EXPECT_EQ(sum.item<float>(), replicas_ * (replicas_ + 1) / 2);
    });
    EXPECT_EQ(runs, 1);
  });
}

TEST_P(MultiWorkerTest, VariablesStartAsTheChiefs) {  // MW-60
  RunWorkers(workers_, [&](Strategy& strategy) {
    const float mine = WorkerOf(strategy) + 1;
    const VariablePtr v = MakeIn(strategy, mine);
    for (const Tensor& copy : strategy.Run([&] { return v->Read(); })) {
      EXPECT_EQ(copy.item<float>(), 1);
    }
    // Inside Run too, with the first replica's value.
    const PerReplica<Tensor> copies = strategy.Run([&] {
      const float value = ReplicaNumber() + 5;
      return MakeVariable(
                 {.initial_value = [=] { return Tensor::Scalar(value); },
                  .name = "inside"})
          ->Read();
    });
    for (const Tensor& copy : copies) EXPECT_EQ(copy.item<float>(), 5);
  });
}

TEST_P(MultiWorkerTest, FailedVariableIsMadeOnNoWorker) {
  if (workers_.size() == 1) return;  // the chief alone
  RunWorkers(workers_, [&](Strategy& strategy) {
    const bool chief = WorkerOf(strategy) == 0;
    const auto make = [&](const std::string& name,
                          const std::function<Tensor()>& value) {
      return CodeOf([&] {
        const auto scope = strategy.Scope();
        MakeVariable({.initial_value = value, .name = name});
      });
    };
    EXPECT_EQ(make("v",
                   [&]() -> Tensor {
                     if (chief) return Row({1});
                     throw DataLoss("[Test] {}", "broken");
                   }),
              Code::kDataLoss);
    EXPECT_EQ(make(chief ? "v" : "w", [] { return Row({1}); }),
              Code::kFailedPrecondition);
    EXPECT_EQ(make("v", [&] { return Filled(chief ? 1 : 2, 1); }),
              Code::kInvalidArgument);
    EXPECT_EQ(make("v", [] { return Row({1}); }), std::nullopt);
  });
}

// MW-61 to MW-63: id + 1, assigned, then added. For ONLY_FIRST_REPLICA
// TensorFlow takes the first replica of each worker; its copies then differ.
TEST_P(MultiWorkerTest, AssignmentsAreAggregatedOverAll) {
  struct Expected {
    VariableAggregation aggregation;
    float assigned, added;
  };
  const float sum = replicas_ * (replicas_ + 1) / 2;
  for (const Expected& row :
       {Expected{VariableAggregation::kMean, sum / replicas_,
                 2 * sum / replicas_},
        Expected{VariableAggregation::kSum, sum, 2 * sum},
        Expected{VariableAggregation::kOnlyFirstReplica, 1, 2}}) {
    RunWorkers(workers_, [&](Strategy& strategy) {
      const VariablePtr v = MakeIn(strategy, 0, row.aggregation);
      strategy.Run([&] {
        const Tensor mine = Tensor::Scalar(ReplicaNumber() + 1.0f);
        v->Assign(mine);
        EXPECT_EQ(v->Read().item<float>(), row.assigned);
        v->AssignAdd(mine);
        EXPECT_EQ(v->Read().item<float>(), row.added);
      });
    });
  }
}

// MW-64, except that different values are an error: copies never silently
// differ.
TEST_P(MultiWorkerTest, NoAggregationRequiresEqualValues) {
  RunWorkers(workers_, [&](Strategy& strategy) {
    const VariablePtr v = MakeIn(strategy, 7);
    strategy.Run([&] {
      EXPECT_EQ(
          CodeOf([&] { v->Assign(Tensor::Scalar(ReplicaNumber() + 1.0f)); }),
          Code::kInvalidArgument);
      EXPECT_EQ(v->Read().item<float>(), 7);
      v->Assign(Tensor::Scalar(8.0f));
      EXPECT_EQ(v->Read().item<float>(), 8);
    });
  });
}

// MW-65 to MW-67.
TEST_P(MultiWorkerTest, OnReadVariablesAreReadOverAllWorkers) {
  const float sum = replicas_ * (replicas_ + 1) / 2;
  const auto make = [](Strategy& strategy, VariableAggregation aggregation) {
    return MakeIn(strategy, 0, aggregation, VariableSynchronization::kOnRead);
  };
  RunWorkers(workers_, [&](Strategy& strategy) {
    const VariablePtr total = make(strategy, VariableAggregation::kSum);
    const VariablePtr mean = make(strategy, VariableAggregation::kMean);
    const VariablePtr first =
        make(strategy, VariableAggregation::kOnlyFirstReplica);
    strategy.Run([&] {
      const Tensor mine = Tensor::Scalar(ReplicaNumber() + 1.0f);
      for (const VariablePtr& v : {total, mean, first}) v->Assign(mine);
      EXPECT_EQ(total->Read().item<float>(), ReplicaNumber() + 1);
    });
    EXPECT_EQ(total->Read().item<float>(), sum);
    EXPECT_EQ(mean->Read().item<float>(), sum / replicas_);
    EXPECT_EQ(first->Read().item<float>(), 1);
    total->Assign(Tensor::Scalar(8.0f));
    EXPECT_EQ(total->Read().item<float>(), 8);
    strategy.Run(
        [&] { EXPECT_EQ(total->Read().item<float>(), 8.0f / replicas_); });
  });
}

// Only the first replica's copy keeps the remainder of 9 = 4 + 5 or 3 + 3 * 2.
TEST_P(MultiWorkerTest, IntegerSumKeepsItsRemainder) {
  RunWorkers(workers_, [&](Strategy& strategy) {
    VariablePtr v;
    {
      const auto scope = strategy.Scope();
      v = MakeVariable(
          {.initial_value = [] { return Tensor::Scalar<int64_t>(0); },
           .synchronization = VariableSynchronization::kOnRead,
           .aggregation = VariableAggregation::kSum});
    }
    v->Assign(Tensor::Scalar<int64_t>(9));
    EXPECT_EQ(v->Read().item<int64_t>(), 9);
    strategy.Run([&] {
      EXPECT_EQ(v->Read().item<int64_t>(),
                9 / replicas_ + (ReplicaNumber() == 0 ? 1 : 0));
    });
  });
}

TEST_P(MultiWorkerTest, AssignOutsideRunSetsAllCopies) {  // MW-67
  RunWorkers(workers_, [&](Strategy& strategy) {
    const VariablePtr v = MakeIn(strategy, 0, VariableAggregation::kSum);
    v->Assign(Tensor::Scalar(5.0f));
    for (const Tensor& copy : strategy.Run([&] { return v->Read(); })) {
      EXPECT_EQ(copy.item<float>(), 5);
    }
  });
}

// MW-69: w = 0, rate 0.1, loss = sum of (w x - x)^2 / 7 over x = 1 .. 7.
TEST_P(MultiWorkerTest, TwoStepsOverOneBatchOfSeven) {
  if (workers_ == std::vector<int>{1, 3})
    return;  // input requires equal numbers
  const Dataset batches = Dataset::Range(1, 8).Batch(7);
  RunWorkers(workers_, [&](Strategy& strategy) {
    const VariablePtr w = MakeIn(strategy, 0, VariableAggregation::kSum);
    const auto step = [&](const Structure& part) {
      const Tensor x = part.leaf().Cast(DType::kFloat32);
      GradientTape tape;
      const Tensor error = ops::Subtract(ops::Multiply(x, w->Read()), x);
      const Tensor loss = ops::Divide(
          ops::ReduceSum(ops::Multiply(error, error)), Tensor::Scalar(7.0f));
      const Tensor gradient = *tape.Gradient(loss, {w})[0];
      w->AssignSub(ops::Multiply(gradient, Tensor::Scalar(0.1f)));
      return loss;
    };
    const DistributedDataset inputs = strategy.DistributeDataset(batches);
    Floats losses, weights;
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (const auto& batch : inputs) {
        losses.push_back(
            strategy.Reduce(ReduceOp::kSum, strategy.Run(step, batch))
                .item<float>());
        weights.push_back(w->Read().item<float>());
      }
    }
    EXPECT_NEAR(losses[0], 20, 1e-5);
    EXPECT_NEAR(weights[0], 4, 1e-6);
    EXPECT_NEAR(losses[1], 180, 1e-4);
    EXPECT_NEAR(weights[1], -8, 1e-5);
  });
}

INSTANTIATE_TEST_SUITE_P(Workers, MultiWorkerTest,
                         testing::Values(Sizes{"Two", {1, 1}},
                                         Sizes{"TwoOfTwo", {2, 2}},
                                         Sizes{"OneAndThree", {1, 3}},
                                         Sizes{"One", {2}}),
                         [](const auto& sizes) { return sizes.param.name; });

}  // namespace
}  // namespace lockstep
