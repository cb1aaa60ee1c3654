// Finds the differences between expected and observed values.
//
//   DiffEquals(Json({{2, 2}, {1, 1}}), Json({{2, 2}, {2, 0}}));
//   // "at [1][0]: expected 1, observed 2"
//
// Values are JSON: numbers (1 equals 1.0), true and false, null, texts, lists,
// objects. Non-finite numbers are the texts "NaN", "Infinity", "-Infinity"; a
// "NaN" equals a "NaN". Every function returns nullopt if there is no
// difference.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_COMPARE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_COMPARE_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/json.h"

namespace lockstep {

using Difference = std::optional<std::string>;

Difference DiffEquals(const Json& expected, const Json& observed);

// As DiffEquals, but numbers may be off: |observed - expected| <= atol + rtol *
// |expected|.
Difference DiffClose(const Json& expected, const Json& observed, double rtol,
                     double atol);

// How much a number of `entry` may be off. The entry is its path without list
// indices: ".kernel" of {"kernel": [[1, 2]]}.
using AllowedDifference = std::function<double(const std::string& entry)>;

// Entry -> number.
using NumberByEntry = std::map<std::string, double>;

// The largest magnitude of each entry: {".kernel": 2} of the above.
NumberByEntry LargestByEntry(const Json& value);

// As DiffEquals, but numbers may be off by what `allowed` returns.
Difference DiffWithin(const Json& expected, const Json& observed,
                      const AllowedDifference& allowed);

// Both must have the same leaves (numbers, texts, ...), in any order and
// grouping.
Difference DiffSameMultiset(const Json& expected, const Json& observed);

// Every leaf must be an integer multiple of `divisor`, and there must be one.
Difference DiffMultipleOf(int64_t divisor, const Json& observed);

// The value must be a list of one entry per replica, all equal.
Difference DiffSameOnAllReplicas(const Json& observed, size_t replicas);
// The value must be a list of at least one round, each of them such a list.
Difference DiffSameOnAllReplicasInEachRound(const Json& observed,
                                            size_t replicas);

// The value must be a list of 2 to 1000 entries, no two of which are equal.
Difference DiffEntriesDiffer(const Json& observed);

// The numbers, texts, booleans and nulls of a value, in order.
std::vector<Json> Leaves(const Json& value);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_COMPARE_H_
