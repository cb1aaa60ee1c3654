// Weights and batches that any language can reproduce bit by bit: the same as
// benchmarks/peers/exact_fixture.py makes for TensorFlow.
//
// Every number is a byte scaled by a power of two, so it is exact in float32.
#ifndef LOCKSTEP_EXAMPLES_EXACT_TRAINING_H_
#define LOCKSTEP_EXAMPLES_EXACT_TRAINING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "reference/checkpoint/checkpoint.h"
#include "reference/distribute/strategy.h"
#include "reference/layers/layer.h"
#include "reference/optimizers/update_rules.h"
#include "reference/tensor/nest.h"
#include "reference/training/model/model.h"

namespace lockstep::examples {

// Byte `index` of an endless stream: stream 0 begins 167, 152, 69, 49.
uint8_t ExactByte(uint32_t stream, uint32_t index);

// Gives every weight of the model its exact value: variable v takes stream v,
// kernels between -scale and scale with a scale that shrinks with their size,
// biases 0. REQUIRES: built, no other thread uses it; the four weights a
// convolution and a dense layer make, twice, in the order of the document.
void SetExactWeights(const Layer& model);

// Images [size, 28, 28, 1] in [0, 1) and labels [size] of a step. Four batches
// repeat.
Structure ExactBatch(int64_t step, int64_t size);

// Trains a model with Adam on these batches, under any strategy. Two
// implementations must agree.
class ExactTraining {
 public:
  static constexpr int64_t kGlobalBatchSize = 16;

  // Makes model and optimizer in the strategy's scope, and builds both.
  ExactTraining(Strategy& strategy,
                const std::function<Sequential()>& make_model);

  Sequential& model() { return model_; }
  Adam& optimizer() { return *optimizer_; }
  // Of optimizer and model, as in the custom-training document.
  Checkpoint& checkpoint() { return *checkpoint_; }

  // Takes steps from the optimizer's count on. Returns the loss of each over
  // the global batch, as float32.
  std::vector<float> Train(int64_t steps);

 private:
  Tensor TrainStep(const Structure& batch);

  Strategy& strategy_;
  Sequential model_;
  std::unique_ptr<Adam> optimizer_;
  std::unique_ptr<Checkpoint> checkpoint_;
};

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_EXACT_TRAINING_H_
