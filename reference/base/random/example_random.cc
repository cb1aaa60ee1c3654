#include "reference/base/random/example_random.h"

#include "reference/base/error.h"
#include "reference/base/random/stateless_random.h"

namespace lockstep {

Random ExampleRandom(uint64_t seed, int64_t epoch, int64_t example) {
  if (example < 0 || epoch < 0 || epoch >= int64_t{1} << 32) {
    throw InvalidArgument(
        "[ExampleRandom] wanted 0 <= epoch < 2^32 and example >= 0, got epoch "
        "{} and example {}",
        epoch, example);
  }
  // A block is four numbers.
  return RandomAtBlock(seed, static_cast<uint64_t>(example),
                       static_cast<uint64_t>(epoch) << 32);
}

}  // namespace lockstep
