// Where unseeded random numbers of a program come from.
//
//   SetRandomSeed(42);
//   auto model = ...;    // its initial weights are now always the same
//
// Each weight takes the next stream of the seed's generator, so the weights
// depend on the order in which they are made, and on nothing else.
#ifndef LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_RANDOM_SEED_H_
#define LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_RANDOM_SEED_H_

#include <cstdint>

#include "reference/base/random.h"

namespace lockstep {

// Starts again at the first stream of `seed`. Until it is called the seed is 0.
void SetRandomSeed(uint64_t seed);

// A generator that no one got before since SetRandomSeed. Thread-safe.
Random NextRandomStream();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_RANDOM_SEED_H_
