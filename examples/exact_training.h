// Trains a model with Adam on the batches of exact_fixture.h, under any
// strategy: what two implementations must do alike.
#ifndef LOCKSTEP_EXAMPLES_EXACT_TRAINING_H_
#define LOCKSTEP_EXAMPLES_EXACT_TRAINING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "reference/checkpoint/checkpoint.h"
#include "reference/distribute/strategy.h"
#include "reference/layers/sequential.h"
#include "reference/optimizers/adam.h"

namespace lockstep::examples {

class ExactTraining {
 public:
  static constexpr int64_t kGlobalBatchSize = 16;

  // Makes model and optimizer in the strategy's scope, and builds both.
  ExactTraining(Strategy& strategy,
                const std::function<std::unique_ptr<Sequential>()>& make_model);

  Sequential& model() { return *model_; }
  Adam& optimizer() { return *optimizer_; }
  // Of optimizer and model, as the custom-training document has it.
  Checkpoint& checkpoint() { return *checkpoint_; }

  // Takes steps from the optimizer's count on; each one's loss over the global
  // batch, as float32.
  std::vector<float> Train(int64_t steps);

 private:
  Tensor TrainStep(const Structure& batch);

  Strategy& strategy_;
  std::unique_ptr<Sequential> model_;
  std::unique_ptr<Adam> optimizer_;
  std::unique_ptr<Checkpoint> checkpoint_;
};

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_EXACT_TRAINING_H_
