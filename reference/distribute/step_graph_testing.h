// For tests of StepGraph: a small model on GPUs whose kernels are emulated.
//
//   StepGraphTest::Model model(*strategy);     // weights 1, 2, 3
//   model.Step(batch);                         // its loss; trains it
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_TESTING_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_TESTING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/reduce.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/device/fake_gpu_backend.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/step_graph.h"

namespace lockstep {

// The parameter is the number of replicas, a GPU each.
class StepGraphTest : public testing::TestWithParam<int> {
 protected:
  // Least squares by gradient descent, with the sum over all replicas.
  class Model {
   public:
    explicit Model(Strategy& strategy) {
      StrategyScope scope = strategy.Scope();
      weights = MakeVariable({.initial_value =
                                  [] {
                                    return Row({1, 2, 3});
                                  },
                              .name = "weights",
                              .aggregation = VariableAggregation::kSum});
    }

    Tensor Gradient(const Structure& batch, Tensor* loss) const {
      GradientTape tape;
      const Tensor error = ops::Subtract(
          ops::Multiply(batch[0].leaf(), weights->Read()), batch[1].leaf());
      *loss = ops::ReduceSum(ops::Multiply(error, error));
      return *tape.Gradient(*loss, {weights})[0];
    }
    Tensor Step(const Structure& batch) const {
      Tensor loss;
      const Tensor gradient = Gradient(batch, &loss);
      weights->AssignSub(ops::Scale(gradient, 0.01));
      return loss;
    }

    VariablePtr weights;
  };

  int replicas() const { return GetParam(); }

  std::unique_ptr<MirroredStrategy> MakeGpuStrategy() {
    return MakeMirrored("GPU:");
  }
  // On the first devices of this kind.
  std::unique_ptr<MirroredStrategy> MakeMirrored(const std::string& kind) {
    LogCapture quiet;
    std::vector<std::string> names;
    for (int r = 0; r < replicas(); ++r) {
      names.push_back(kind + std::to_string(r));
    }
    return std::make_unique<MirroredStrategy>(names);
  }

  // Batch `number`, `rows` rows on each replica's GPU.
  PerReplica<Structure> Batch(int number, int64_t rows = 2) {
    std::vector<Structure> parts;
    for (int r = 0; r < replicas(); ++r) {
      parts.push_back(Structure::Tuple({Numbers(number + 3 * r, rows, r),
                                        Numbers(2 * number + r, rows, r)}));
    }
    return PerReplica<Structure>(std::move(parts));
  }

  // Bytes in use on all GPUs.
  int64_t BytesInUse() {
    int64_t bytes = 0;
    for (int r = 0; r < replicas(); ++r) {
      bytes += fake_.gpu(r).pool().statistics().bytes_in_use;
    }
    return bytes;
  }

  Tensor Numbers(int seed, int64_t rows, int replica) {
    std::vector<float> values;
    for (int64_t i = 0; i < 3 * rows; ++i) {
      values.push_back(static_cast<float>((seed * 7 + i * 5) % 11) / 8 - 0.5f);
    }
    return Tensor::FromVector(values, Shape{rows, 3}, fake_.gpu(replica));
  }

  static void ExpectSameBits(const PerReplica<Tensor>& got,
                             const PerReplica<Tensor>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (int r = 0; r < got.size(); ++r) {
      EXPECT_TRUE(BitwiseEqual(got[r], wanted[r]))
          << "replica " << r << ": " << ToString(got[r]) << ", wanted "
          << ToString(wanted[r]);
    }
  }

  FakeGpuCollectives fake_{2, FakeGpu::HostAccess::kAllowed};
  FakeGpuBackend backend_{{&fake_.gpu(0), &fake_.gpu(1)}};
};

// A model that trains eagerly, and one that trains by its graphs.
class StepGraphAgainstEagerTest : public StepGraphTest {
 protected:
  // Trains both with the batch; they must have the same loss and weights.
  void Train(const PerReplica<Structure>& batch) {
    const PerReplica<Tensor> wanted = strategy_->Run(
        [&](const Structure& part) { return eager_.Step(part); }, batch);
    ExpectSameBits(graph_.Run(batch), wanted);
    const auto weights_of = [&](const Model& model) {
      return strategy_->Run([&] { return model.weights->Read(); });
    };
    ExpectSameBits(weights_of(graphed_), weights_of(eager_));
  }
  void ExpectCounts(int64_t eager_steps, int64_t captures, int64_t launches) {
    EXPECT_EQ(graph_.statistics().eager_steps, eager_steps);
    EXPECT_EQ(graph_.statistics().captures, captures);
    EXPECT_EQ(graph_.statistics().launches, launches);
  }

  std::unique_ptr<MirroredStrategy> strategy_ = MakeGpuStrategy();
  Model eager_{*strategy_};
  Model graphed_{*strategy_};
  StepGraph<Tensor> graph_{*strategy_, [this](const Structure& part) {
                             return graphed_.Step(part);
                           }};
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_TESTING_H_
