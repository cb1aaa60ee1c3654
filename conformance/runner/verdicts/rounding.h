// Estimates how much rounding can change an observation: the inputs are
// perturbed by a rounding unit, and the change of the result, times a factor,
// bounds the effect of rounding during the computation.
//
//   Rounding rounding(Json({{"kernel", {0.5, 0.25}}}));
//   rounding.Add(Json({{"kernel", {0.5 + 1e-6, 0.25}}}));    // inputs moved
//   rounding.Diff(Json({{"kernel", {0.5, 0.25 + 4e-6}}}));   // nothing
//
// This is the method of TTrace (Zuo et al., 2025), which finds the steps in
// which a parallel run differs from that of one device.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_ROUNDING_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_ROUNDING_H_

#include <nlohmann/json.hpp>
#include <string>

#include "conformance/runner/verdicts/compare.h"
#include "reference/base/json.h"

namespace lockstep {

class Rounding {
 public:
  // The number of runs with perturbed inputs, each with other signs.
  static constexpr int kTrials = 3;

  // `other`: the observation to compare with.
  explicit Rounding(const Json& other);

  // Adds the same observation with perturbed inputs. False if it has another
  // form, or if a leaf that is not a number differs.
  bool Add(const Json& moved);

  // The first difference that rounding does not explain.
  Difference Diff(const Json& observed) const;

  // Entry -> allowed difference: {"": 2.4e-07}, or {".kernel": 9.5e-07} for an
  // object.
  Json ToJson() const;

 private:
  double AllowedOf(const std::string& entry) const;

  const Json other_;
  // Entry -> the largest change of a number, at least the rounding unit of the
  // largest number.
  NumberByEntry moved_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_ROUNDING_H_
