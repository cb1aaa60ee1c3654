// A testee that says again what was kept of a case: judging is then the same
// code as of a live run.
//
//   StoredTestee testee(store, "loss/average/sum_over_global_batch");
//   RunCase(conformance_case, testee, dialect);
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_STORED_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_STORED_TESTEE_H_

#include <string>

#include "conformance/runner/answers/answer_store.h"
#include "conformance/runner/testee.h"

namespace lockstep {

class StoredTestee : public Testee {
 public:
  // REQUIRES: `store` outlives it.
  StoredTestee(const AnswerStore& store, const std::string& case_id)
      : store_(store) {
    const auto found = store.cases.find(case_id);
    if (found != store.cases.end()) answers_ = &found->second.answers;
  }

  const TesteeDeclaration& Start() override { return store_.declaration; }

  // What was never asked is unsupported, of no step.
  Answer Run(const Request& request) override {
    if (answers_) {
      const auto found =
          answers_->find(RequestKey(request.given, request.program));
      if (found != answers_->end()) return found->second;
    }
    return Unsupported{.step = "", .reason = "it was not asked this"};
  }

 private:
  const AnswerStore& store_;
  const AnswersByKey* answers_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_STORED_TESTEE_H_
