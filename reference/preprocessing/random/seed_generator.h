// The random numbers of a layer: a stream for each replica, which continues
// from call to call.
//
//   SeedGenerator generator(/*seed=*/1);
//   generator.Build("random_flip");     // in MakeWeights
//   Random random = generator.Split("RandomFlip");
//   for (...) NextUniform(random);
//
// The numbers are those of tf.random.Generator.from_seed, which layers of
// Keras 2 use (TensorFlow 2.21): Philox with the seed plus 256 times the number
// of draws as counter, and as key 0 or, in replica i of a strategy, the first
// number at counter i. So replicas draw different numbers, replica i draws the
// same ones under any number of replicas and workers, and a program that runs
// again draws the same ones.
//
// Its state is in checkpoints (seed_state.h).
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_SEED_GENERATOR_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_SEED_GENERATOR_H_

#include <cstdint>
#include <mutex>
#include <string_view>

#include "reference/base/random.h"
#include "reference/layers/transformer/seed_state.h"

namespace lockstep {

class SeedGenerator : public SeedState {
 public:
  using SeedState::SeedState;

  // The calling replica's stream for `count` numbers, as Generator.uniform.
  //
  // Errors: FailedPrecondition, led by `operation`, in one of several replicas
  // if the state was not made in their strategy's scope: they would share one
  // stream, in no fixed order.
  Random Draw(std::string_view operation, int64_t count);
  // Draws one seed, and returns the stream that TensorFlow's stateless
  // functions make of it: for any number of numbers.
  Random Split(std::string_view operation);

 private:
  // As Advance, also outside replicas.
  Draws Count(std::string_view operation, int64_t draws);

  std::mutex mutex_;  // for calls outside replicas
};

// Uniform in [0, 1): the lower 23 bits of the next number, as in TensorFlow.
inline float NextUniform(Random& random) {
  return static_cast<float>(random.Next32() & 0x7fffff) * 0x1p-23f;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_SEED_GENERATOR_H_
