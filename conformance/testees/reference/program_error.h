// Ways to end a program that are no error of a step.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PROGRAM_ERROR_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PROGRAM_ERROR_H_

#include <stdexcept>
#include <string>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::conformance {

// The program itself is wrong: an unknown name, an argument of another kind.
// Never an Error, so that no case that expects one passes by mistake.
class ProgramError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// There is no such step here.
class UnsupportedStep : public std::runtime_error {
 public:
  UnsupportedStep(std::string step, const std::string& reason)
      : std::runtime_error(reason), step_(std::move(step)) {}
  const std::string& step() const { return step_; }

 private:
  std::string step_;
};

// An Error of a step, with the step's name.
class StepError : public Error {
 public:
  StepError(const Error& error, std::string step)
      : Error(error.code(), error.what()), step_(std::move(step)) {}
  const std::string& step() const { return step_; }

 private:
  std::string step_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PROGRAM_ERROR_H_
