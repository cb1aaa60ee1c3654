// A captured step sums its gradients in buckets, beside the backward pass, as
// an eager one does.
#include <optional>

#include "reference/distribute/gradient_buckets.h"
#include "reference/distribute/step_graph.h"
#include "reference/distribute/step_graph_testing.h"
#include "reference/kernels/add_in_place.h"

namespace lockstep {
namespace {

enum class Sums { kAtOnce, kInBuckets };

// A straight line through the points of all replicas, by gradient descent.
class Line {
 public:
  Line(Strategy& strategy, Sums sums) : sums_(sums) {
    StrategyScope scope = strategy.Scope();
    for (const char* name : {"slope", "offset"}) {
      weights_.push_back(MakeVariable({.initial_value =
                                           [] {
                                             return Row({1, 2, 3});
                                           },
                                       .name = name}));
    }
  }

  Tensor Step(const Structure& batch) const {
    GradientTape tape;
    const Tensor error = ops::Subtract(
        ops::Add(ops::Multiply(batch[0].leaf(), weights_[0]->Read()),
                 weights_[1]->Read()),
        batch[1].leaf());
    const Tensor loss = ops::ReduceSum(ops::Multiply(error, error));
    const std::vector<Tensor> sums = Summed(tape, loss);
    for (size_t i = 0; i < weights_.size(); ++i) {
      kernels::SubtractInPlace(weights_[i]->MutableLocalValue(),
                               ops::Scale(sums[i], 0.01));
    }
    return loss;
  }

  const std::vector<VariablePtr>& weights() const { return weights_; }

 private:
  std::vector<Tensor> Summed(GradientTape& tape, const Tensor& loss) const {
    ReplicaContext& replica = GetReplicaContext();
    if (sums_ == Sums::kAtOnce) {
      return replica.AllReduce(ReduceOp::kSum,
                               Values(tape.Gradient(loss, weights_)));
    }
    GradientBuckets buckets(replica, weights_.size(),
                            {.first = 1, .others = 1});
    tape.Gradient(loss, weights_, buckets.on_ready());
    return Values(buckets.Finish());
  }

  static std::vector<Tensor> Values(const Gradients& gradients) {
    std::vector<Tensor> values;
    for (const auto& gradient : gradients) values.push_back(gradient.value());
    return values;
  }

  const Sums sums_;
  std::vector<VariablePtr> weights_;
};

class BucketedStepGraphTest : public StepGraphTest {
 protected:
  void ExpectSameWeights(const Line& got, const Line& wanted) {
    for (size_t i = 0; i < got.weights().size(); ++i) {
      ExpectSameBits(
          strategy_->Run([&] { return got.weights()[i]->Read(); }),
          strategy_->Run([&] { return wanted.weights()[i]->Read(); }));
    }
  }

  std::unique_ptr<MirroredStrategy> strategy_ = MakeGpuStrategy();
  Line eager_{*strategy_, Sums::kAtOnce};
  Line graphed_{*strategy_, Sums::kInBuckets};
  StepGraph<Tensor> graph_{*strategy_, [this](const Structure& part) {
                             return graphed_.Step(part);
                           }};
};

TEST_P(BucketedStepGraphTest, GivesTheBitsOfOneEagerAllReduce) {
  for (int i = 0; i < 6; ++i) {
    const PerReplica<Structure> batch = Batch(i);
    const PerReplica<Tensor> wanted = strategy_->Run(
        [&](const Structure& part) { return eager_.Step(part); }, batch);
    ExpectSameBits(graph_.Run(batch), wanted);
    ExpectSameWeights(graphed_, eager_);
  }
  EXPECT_EQ(graph_.statistics().captures, 1);
  EXPECT_EQ(graph_.statistics().launches, 5);
}

INSTANTIATE_TEST_SUITE_P(Replicas, BucketedStepGraphTest,
                         testing::Values(1, 2));

}  // namespace
}  // namespace lockstep
