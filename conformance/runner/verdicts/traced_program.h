// Adds observations to a program that trains: the parameters and gradients
// after each training step, or after some batches of one training step.
//
//   const TracedProgram traced(Json::parse(R"([
//     {"let": "model", "step": "model.create", ...},
//     {"let": "loader", "step": "loader.create", "inputs": [...], "batch": 2},
//     {"let": "training", "step": "train.create", "of": "model", ...},
//     {"step": "train.epoch", "of": "training", "loader": "loader"},
//     {"observe": "losses", "step": "train.losses", "of": "training"}])"), 2);
//   traced.steps();               // one: the fourth, "train.epoch"
//   traced.Whole(true);           // with two more steps after the fourth:
//     // {"observe": "traced_gradients_0", "step": "train.gradients",
//     //  "of": "training"}
//     // {"observe": "traced_parameters_0", "step": "model.parameters",
//     //  "of": "model"}
//   traced.Within(0, 3, true);    // the fourth with "stop_after": 3, and then
//                                 // these two, at the end
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
  size_t place;          // its index in the program
  std::string name;      // "train.epoch"
  std::string training;  // the names of the training and its model
  std::string model;
  // The largest number of global batches of the step, after each of which it
  // can be stopped; 0 if it cannot be stopped.
  int64_t batches;
  // The number of batches per optimizer step, if it is the same for all; else
  // 0.
  int64_t window;
};

// Whether the step of this name observes gradients.
bool ObservesGradients(std::string_view step);

class TracedProgram {
 public:
  // `program`: as a testee receives it.
  TracedProgram(Json program, int64_t replicas);

  // The training steps, in order. Empty if the program cannot be traced: if no
  // step trains, if a step of a block trains, or if the name of the model is
  // bound again.
  const std::vector<TrainingStep>& steps() const { return steps_; }

  // Names that the program's own observations do not have.
  std::string GradientsOf(size_t step) const;
  std::string ParametersOf(size_t step) const;

  // The program with observations after every training step.
  Json Whole(bool gradients) const;

  // The program up to this training step, which stops after `batches` batches.
  // REQUIRES: 1 <= batches <= steps()[step].batches.
  Json Within(size_t step, int64_t batches, bool gradients) const;

 private:
  void AddObservations(size_t step, bool gradients, Json& program) const;

  Json program_;
  std::vector<TrainingStep> steps_;
  std::string prefix_;  // that no observation of the program has
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_TRACED_PROGRAM_H_
