// What rounding alone can change of an observation, estimated instead of
// guessed: its inputs are moved by a rounding unit, and what that changes of the
// result bounds what rounding on the way may change.
//
//   Rounding rounding(Json({{"kernel", {0.5, 0.25}}}));
//   rounding.Add(Json({{"kernel", {0.5 + 1e-6, 0.25}}}));    // inputs moved
//   rounding.Diff(Json({{"kernel", {0.5, 0.25 + 4e-6}}}));   // nothing
//
// The method of TTrace (Zuo et al., 2025), which moves a training's inputs so to
// find the steps in which a parallel run leaves that of one device.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_ROUNDING_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_ROUNDING_H_

#include <nlohmann/json.hpp>
#include <string>

#include "conformance/runner/verdicts/compare.h"
#include "reference/base/json.h"

namespace lockstep {

class Rounding {
 public:
  // How often the inputs are moved, each time to other sides.
  static constexpr int kTrials = 3;

  // `other`: the observation of the run that is compared with.
  explicit Rounding(const Json& other);

  // The same with its inputs moved. False where it has another form, or where a
  // leaf that is no number differs.
  bool Add(const Json& moved);

  // Off by more than rounding explains.
  Difference Diff(const Json& observed) const;

  // {"": 2.4e-07}; of an object's entries each by itself, {".kernel": 9.5e-07}.
  Json ToJson() const;

 private:
  double AllowedOf(const std::string& entry) const;

  const Json other_;
  // Of each entry the most that a number moved, and at least the rounding unit
  // of its largest one.
  NumberByEntry moved_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_ROUNDING_H_
