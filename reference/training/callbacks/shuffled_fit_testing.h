// For tests: a fit of shuffled data that goes on from its backup, and what is
// left of it when it is killed at some moment.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SHUFFLED_FIT_TESTING_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SHUFFLED_FIT_TESTING_H_

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "reference/distribute/strategy.h"

namespace lockstep {

// With gradients of two batches each, a backup after each batch and a log of
// epochs in `folder`: the weights and the moving statistics.
std::vector<float> FitShuffled(Strategy& strategy, const std::string& folder);

// That fit's log of epochs: their losses, each once, and those of another.
void ExpectSameLosses(const std::string& folder, const std::string& other);

// `ends_before` runs the work, kills it after the time that it is given, and
// says whether the work came to its end before. It is called with random parts
// of `longest` until it says so; gives how many times it did not.
int KillsUntilTheEnd(
    std::chrono::microseconds longest,
    const std::function<bool(std::chrono::microseconds)>& ends_before);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SHUFFLED_FIT_TESTING_H_
