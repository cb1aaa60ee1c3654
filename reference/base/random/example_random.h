// Random numbers that belong to an example, for what training draws by example:
// negatives, masks, pairs.
//
//   Random random = ExampleRandom(/*seed=*/1, /*epoch=*/0, /*example=*/7);
//
// They depend on these three numbers only, so that they are the same on any
// number of replicas, in any order of reading, and after a restart.
#ifndef LOCKSTEP_REFERENCE_BASE_RANDOM_EXAMPLE_RANDOM_H_
#define LOCKSTEP_REFERENCE_BASE_RANDOM_EXAMPLE_RANDOM_H_

#include <cstdint>

#include "reference/base/random.h"

namespace lockstep {

// Streams of different examples and epochs do not overlap within 2^34 numbers.
// Errors: InvalidArgument unless 0 <= epoch < 2^32 and example >= 0.
Random ExampleRandom(uint64_t seed, int64_t epoch, int64_t example);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_RANDOM_EXAMPLE_RANDOM_H_
