// A program of another project: trains on two replicas and prints the loss.
#include <cstdio>
#include <memory>

#include "reference/lockstep.h"

using namespace lockstep;

int main() {
  MirroredStrategy strategy({"CPU:0", "CPU:1"});
  const StrategyScope scope = strategy.Scope();
  Sequential model({Dense(
      1, {.use_bias = false, .kernel_initializer = initializers::Zeros()})});
  model.Compile({.optimizer = std::make_shared<Sgd>(),
                 .loss = losses::MeanSquaredError()});
  const Dataset batches =
      Dataset::FromTensorSlices(
          {Tensor::FromVector<float>({1, 2, 3, 4}, Shape{4, 1}),
           Tensor::FromVector<float>({2, 4, 6, 8}, Shape{4, 1})})
          .Batch(4);
  std::printf("loss %g\n", model.Fit(batches, {.epochs = 1})["loss"].at(0));
}
