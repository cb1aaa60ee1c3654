// The number of rounds of randomized tests.
//
//   for (int i = 0; i < 40 * TestRounds(); ++i) ExpectRefused(Damaged(bytes, random));
//
//   ./bazelw test --test_env=LOCKSTEP_TEST_ROUNDS=25 TARGET   // 1000 of them
#ifndef LOCKSTEP_REFERENCE_BASE_FUZZING_ROUNDS_H_
#define LOCKSTEP_REFERENCE_BASE_FUZZING_ROUNDS_H_

#include <algorithm>
#include <cstdlib>

namespace lockstep {

// The environment's LOCKSTEP_TEST_ROUNDS; 1 without.
inline int TestRounds() {
  const char* rounds = std::getenv("LOCKSTEP_TEST_ROUNDS");
  return rounds == nullptr ? 1 : std::max(std::atoi(rounds), 1);
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FUZZING_ROUNDS_H_
