// The second program of README.md: the training of first_program.cc by Fit.
#include <cstdio>
#include <memory>

#include "reference/lockstep.h"

using namespace lockstep;

int main() {
  MirroredStrategy strategy({"CPU:0", "CPU:1"});
  const StrategyScope scope = strategy.Scope();
  Sequential model({Dense(
      1, {.use_bias = false, .kernel_initializer = initializers::Zeros()})});
  model.Compile(
      {.optimizer = std::make_shared<Sgd>(SgdOptions{.learning_rate = 0.0625}),
       .loss = losses::MeanSquaredError()});

  const Tensor inputs = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{4, 1});
  const Tensor labels = Tensor::FromVector<float>({2, 4, 6, 8}, Shape{4, 1});
  const Dataset batches = Dataset::FromTensorSlices({inputs, labels}).Batch(4);
  const History history = model.Fit(batches, {.epochs = 3});
  for (const double loss : history["loss"]) {
    std::printf("loss %.15g\n", loss);
  }
  model.Save("model.keras");  // Keras 3 loads, evaluates and trains it
}
