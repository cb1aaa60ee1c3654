#include "text_datasets/test_split.h"

#include "reference/base/error.h"
#include "reference/base/random/example_random.h"

namespace lockstep {

TestSplit::TestSplit(const SplitOptions& options) : options_(options) {
  if (!(options.test_share >= 0 && options.test_share <= 1)) {
    throw InvalidArgument("[TestSplit] test_share must be 0 to 1, got {}",
                          options.test_share);
  }
}

bool TestSplit::IsTest(int64_t number) const {
  Random random = ExampleRandom(options_.seed, 0, number);
  return random.UniformFloat() < options_.test_share;
}

}  // namespace lockstep
