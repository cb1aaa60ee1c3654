// A small model to train eagerly and by graphs, for tests.
//
//   StepGraphModel model(strategy);            // weights 1, 2, 3
//   model.Step(batch);                         // its loss; trains it
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_MODEL_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_MODEL_H_

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/distribute/distribute_testing.h"

namespace lockstep {

// Least squares by gradient descent, summed over all replicas.
class StepGraphModel {
 public:
  explicit StepGraphModel(Strategy& strategy) {
    StrategyScope scope = strategy.Scope();
    weights = MakeVariable({.initial_value =
                                [] {
                                  return Row({1, 2, 3});
                                },
                            .name = "weights",
                            .aggregation = VariableAggregation::kSum});
  }

  Tensor Step(const Structure& batch) const {
    Tensor loss;
    const Tensor gradient = Gradient(batch, &loss);
    weights->AssignSub(ops::Scale(gradient, 0.01));
    return loss;
  }

  // Batch `number`, `rows` rows on each device.
  static PerReplica<Structure> Batch(const std::vector<Device*>& devices,
                                     int number, int64_t rows) {
    std::vector<Structure> parts;
    for (int r = 0; r < static_cast<int>(devices.size()); ++r) {
      parts.push_back(
          Structure::Tuple({Numbers(number + 3 * r, rows, *devices[r]),
                            Numbers(2 * number + r, rows, *devices[r])}));
    }
    return PerReplica<Structure>(std::move(parts));
  }

  VariablePtr weights;

 private:
  Tensor Gradient(const Structure& batch, Tensor* loss) const {
    GradientTape tape;
    const Tensor error = ops::Subtract(
        ops::Multiply(batch[0].leaf(), weights->Read()), batch[1].leaf());
    *loss = ops::ReduceSum(ops::Multiply(error, error));
    return *tape.Gradient(*loss, {weights})[0];
  }

  static Tensor Numbers(int seed, int64_t rows, Device& device) {
    std::vector<float> values;
    for (int64_t i = 0; i < 3 * rows; ++i) {
      values.push_back(static_cast<float>((seed * 7 + i * 5) % 11) / 8 - 0.5f);
    }
    return Tensor::FromVector(values, Shape{rows, 3}, device);
  }
};

inline void ExpectSameBits(const PerReplica<Tensor>& got,
                           const PerReplica<Tensor>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (int r = 0; r < got.size(); ++r) {
    EXPECT_TRUE(BitwiseEqual(got[r], wanted[r]))
        << "replica " << r << ": " << ToString(got[r]) << ", wanted "
        << ToString(wanted[r]);
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_STEP_GRAPH_STEP_GRAPH_MODEL_H_
