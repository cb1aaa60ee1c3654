// Finds implementations whose recorded answers deviate in the same way as a
// result: their list of deviations then often has the reason.
//
//   const SameAnswers same("conformance", loader.conventions());
//   same.Describe(result, "mine");
//   // "  same as   keras: Each replica clips its own part of the gradient.\n"
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_SAME_ANSWERS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_SAME_ANSWERS_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/answers/answer_store.h"
#include "conformance/runner/cases/conventions.h"
#include "conformance/runner/deviations/deviations.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

class SameAnswers {
 public:
  // `folder` has deviations/NAME.json and answers/NAME/VERSION.json, which are
  // read when they are first needed. REQUIRES: the conventions outlive this.
  SameAnswers(std::string folder, const Conventions& conventions)
      : folder_(std::move(folder)), conventions_(conventions) {}

  // One line per reason, with the names of the implementations that have it,
  // except `name`. "" if there are none, or if the result deviates in anything
  // but its observations. Errors: those of LoadDeviations and LoadAnswers.
  std::string Describe(const CaseResult& result, const std::string& name) const;

 private:
  struct Implementation {
    Deviations deviations;
    AnswerStore answers;
  };

  const std::vector<Implementation>& Implementations() const;
  bool IsSame(const AnswerStore& answers, const CaseResult& result) const;

  std::string folder_;
  const Conventions& conventions_;
  mutable std::optional<std::vector<Implementation>> implementations_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_SAME_ANSWERS_H_
