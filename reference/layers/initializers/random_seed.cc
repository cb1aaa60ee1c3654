#include "reference/layers/initializers/random_seed.h"

#include <mutex>

namespace lockstep {
namespace {

struct SeedState {
  std::mutex mutex;
  uint64_t seed = 0;
  uint64_t next_stream = 0;
};

SeedState& State() {
  static SeedState* state = new SeedState;  // outlives static destructors
  return *state;
}

}  // namespace

void SetRandomSeed(uint64_t seed) {
  SeedState& state = State();
  std::lock_guard lock(state.mutex);
  state.seed = seed;
  state.next_stream = 0;
}

Random NextRandomStream() {
  SeedState& state = State();
  std::lock_guard lock(state.mutex);
  return Random(state.seed, state.next_stream++);
}

}  // namespace lockstep
