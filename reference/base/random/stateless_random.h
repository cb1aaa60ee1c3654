// Generators of TensorFlow's stateless operations: the same numbers for the same
// seed, wherever and however often they are drawn.
//
//   StatelessRandom(1, 2).Next32();   // of tf.random.stateless_*(seed=[1, 2])
#ifndef LOCKSTEP_REFERENCE_BASE_RANDOM_STATELESS_RANDOM_H_
#define LOCKSTEP_REFERENCE_BASE_RANDOM_STATELESS_RANDOM_H_

#include <cstdint>

#include "reference/base/random.h"

namespace lockstep {

// The numbers of Random(key, stream) from the given block of four on.
Random RandomAtBlock(uint64_t key, uint64_t stream, uint64_t block);

// The generator of a stateless operation with this seed of two numbers.
Random StatelessRandom(uint64_t seed0, uint64_t seed1);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_RANDOM_STATELESS_RANDOM_H_
