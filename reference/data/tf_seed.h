// The random numbers of TensorFlow's datasets, from their seeds.
//
// TensorFlow's generator has two seeds, one of the program (tf.random.set_seed)
// and one of the operation. If only the operation has one, that of the program
// is kProgramSeed. The first seed is the key of Random, the second its stream.
#ifndef LOCKSTEP_REFERENCE_DATA_TF_SEED_H_
#define LOCKSTEP_REFERENCE_DATA_TF_SEED_H_

#include <cstdint>

#include "reference/base/random.h"

namespace lockstep::data_internal {

// tf.random's DEFAULT_GRAPH_SEED.
inline constexpr uint64_t kProgramSeed = 87654321;

// TensorFlow takes seeds modulo 2^31 - 1; -1 is 2147483646.
inline uint64_t ReducedSeed(int64_t seed) {
  constexpr int64_t kSeeds = 2147483647;
  const int64_t rest = seed % kSeeds;
  return static_cast<uint64_t>(rest < 0 ? rest + kSeeds : rest);
}

// The generator of an operation with the seed `reduced`.
inline Random OperationRandom(uint64_t reduced) {
  return Random(kProgramSeed, reduced);
}

// The generator of its pass number `pass` where each pass has other numbers:
// two numbers of the operation's generator are the seeds of one pass.
inline Random PassRandom(uint64_t reduced, uint64_t pass) {
  Random seeds = OperationRandom(reduced);
  seeds.Skip(2 * pass);
  const uint64_t key = seeds.Next32();
  return Random(key, seeds.Next32());
}

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TF_SEED_H_
