// Results of small cases for the runner's tests.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_TESTING_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_TESTING_H_

#include <string>
#include <utility>
#include <vector>

#include "conformance/runner/cases/case_testing.h"
#include "conformance/runner/deviations/case_record.h"
#include "conformance/runner/miniature_testee.h"
#include "conformance/runner/verdicts/run_case.h"

namespace lockstep {

// REQUIRES: the case outlives the result.
inline CaseResult ResultOf(const Case& conformance_case, Answer answer) {
  MiniatureTestee testee([&](const Request&) { return answer; });
  return RunCase(conformance_case, testee, {});
}

inline Observations Observe(Json x) { return {{{"x", std::move(x)}}}; }

// The records of cases of a level named by ids, each with the answer it got.
class Records {
 public:
  explicit Records(std::vector<std::pair<std::string, Answer>> answers,
                   Level level = Level::kRequired, bool of_intents = false) {
    cases_.reserve(answers.size());
    for (auto& [id, answer] : answers) {
      cases_.push_back(OneIsOne(id, level));
      cases_.back().of_intents = of_intents;
      records.emplace_back(ResultOf(cases_.back(), std::move(answer)));
    }
  }

  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (const Case& conformance_case : cases_) {
      ids.push_back(conformance_case.id);
    }
    return ids;
  }

  std::vector<CaseRecord> records;

 private:
  std::vector<Case> cases_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_TESTING_H_
