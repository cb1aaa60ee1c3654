// A program that trains, with more observed: behind its training steps, or behind
// some batches of one of them, what was learned and from which gradients.
//
//   const TracedProgram traced(Json::parse(R"([
//     {"let": "model", "step": "model.create", ...},
//     {"let": "loader", "step": "loader.create", "inputs": [...], "batch": 2},
//     {"let": "training", "step": "train.create", "of": "model", ...},
//     {"step": "train.epoch", "of": "training", "loader": "loader"},
//     {"observe": "losses", "step": "train.losses", "of": "training"}])"), 2);
//   traced.steps();               // one: the fourth, "train.epoch"
//   traced.Whole(true);           // with two steps more behind the fourth:
//     // {"observe": "traced_gradients_0", "step": "train.gradients",
//     //  "of": "training"}
//     // {"observe": "traced_parameters_0", "step": "model.parameters",
//     //  "of": "model"}
//   traced.Within(0, 3, true);    // the fourth with "stop_after": 3, and then
//                                 // these two, where the program ends
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_TRACED_PROGRAM_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_TRACED_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json.h"

namespace lockstep {

// A train.batches, train.epoch or train.join of a program.
struct TrainingStep {
  size_t place;      // in the program
  std::string name;  // "train.epoch"
  std::string
      training;  // what trains, and what learns, as they are called here
  std::string model;
  // Of how many global batches the step is, at most; each of them can be looked
  // at by itself. 0: of several that cannot.
  int64_t batches;
  // From how many batches each step of the optimizer learns, where these are all
  // of as many; else 0.
  int64_t window;
};

// Whether gradients are observed by the step of this name.
bool ObservesGradients(std::string_view step);

class TracedProgram {
 public:
  // `program` as a testee is given it, on so many replicas.
  TracedProgram(Json program, int64_t replicas);

  // In their order. Empty where the program cannot be traced: when none of its
  // steps trains, or one in a block does, whose rounds nobody tells apart here,
  // or when what learns has no name any more.
  const std::vector<TrainingStep>& steps() const { return steps_; }

  // What the program's own observations are never called.
  std::string GradientsOf(size_t step) const;
  std::string ParametersOf(size_t step) const;

  // The program, observed behind every training step; gradients only where asked.
  Json Whole(bool gradients) const;

  // The program up to this training step, which ends behind so many batches.
  // REQUIRES: 1 <= batches <= steps()[step].batches.
  Json Within(size_t step, int64_t batches, bool gradients) const;

 private:
  void AddObservations(size_t step, bool gradients, Json& program) const;

  Json program_;
  std::vector<TrainingStep> steps_;
  std::string prefix_;  // of no observation of the program
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_TRACED_PROGRAM_H_
