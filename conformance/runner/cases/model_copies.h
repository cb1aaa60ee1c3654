// Adds an observation to every program of intents: at the end of the program,
// and of each of its jobs, a model that was trained has the same weights on all
// replicas.
//
//   Json program = Json::parse(R"([
//     {"let": "model", "step": "model.create", ...},
//     {"let": "training", "step": "train.create", "of": "model", ...},
//     {"step": "train.epoch", "of": "training", "loader": "loader"}])");
//   ObserveCopies(program);    // {"copies"}; the program has a new last step:
//     // {"observe": "copies", "step": "model.copies", "of": "model"}
//
// The runner adds these observations to every case, and judges them if the
// program runs to its end.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_MODEL_COPIES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_MODEL_COPIES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/json.h"

namespace lockstep {

struct ObservedCopies {
  std::string observation;  // "copies", or "copies_2" if that is taken
  // The replicas of its job; nullopt: as given.
  std::optional<int64_t> replicas;
};

// Adds the steps to a program, which may have parameters, and returns their
// observations. REQUIRES: CheckProgram accepts the program.
std::vector<ObservedCopies> ObserveCopies(Json& program);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_MODEL_COPIES_H_
