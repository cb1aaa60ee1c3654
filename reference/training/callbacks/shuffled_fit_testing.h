// For tests: a fit of shuffled data that resumes from its backup, and helpers to kill
// it at random times.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SHUFFLED_FIT_TESTING_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SHUFFLED_FIT_TESTING_H_

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "reference/distribute/strategy.h"

namespace lockstep {

// Fits with gradients of two batches each, a backup after each batch and a log of
// epochs in `folder`. Returns the weights and the moving averages.
std::vector<float> FitShuffled(Strategy& strategy, const std::string& folder);

// Expects that two fits' logs have the same losses, and each epoch once.
void ExpectSameLosses(const std::string& folder, const std::string& other);

// `ends_before` runs the work, kills it after the given time, and returns whether the
// work ended before. Calls it with random times up to `longest` until it returns true.
// Returns how many times it returned false.
int KillsUntilTheEnd(
    std::chrono::microseconds longest,
    const std::function<bool(std::chrono::microseconds)>& ends_before);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SHUFFLED_FIT_TESTING_H_
