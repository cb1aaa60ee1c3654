#include "conformance/runner/answers/judge_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>

#include "conformance/runner/testee.h"
#include "conformance/runner/verdicts/run_case.h"

namespace lockstep {
namespace {

// Replays the stored answers of a case, so that stored and live answers are
// judged by the same code.
class StoredTestee : public Testee {
 public:
  // REQUIRES: `store` outlives it.
  StoredTestee(const AnswerStore& store, const std::string& case_id)
      : store_(store) {
    const auto found = store.cases.find(case_id);
    if (found != store.cases.end()) answers_ = &found->second.answers;
  }

  const TesteeDeclaration& Start() override { return store_.declaration; }

  // Unsupported, without a step, for a program that was not recorded.
  Answer Run(const Request& request) override {
    if (answers_) {
      const auto found =
          answers_->find(RequestKey(request.given, request.program));
      if (found != answers_->end()) return found->second;
    }
    return Unsupported{.step = "", .reason = "this program was not recorded"};
  }

 private:
  const AnswerStore& store_;
  const AnswersByKey* answers_ = nullptr;
};

// Includes the steps of blocks.
void CollectSteps(const Json& program, std::set<std::string>& steps) {
  for (const Json& step : program) {
    steps.insert(step["step"].get<std::string>());
    if (step.contains("program")) CollectSteps(step["program"], steps);
  }
}

std::string TextIn(const std::map<std::string, std::string>& texts,
                   const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? "" : found->second;
}

// Empty if the store has every answer that judging needs.
std::string WhyNotAnswered(const CaseResult& result, const AnswerStore& store) {
  const auto stored = store.cases.find(result.conformance_case->id);
  for (const RunResult& run : result.runs) {
    for (const ProgramRun& program : run.programs) {
      if (stored == store.cases.end()) return "it was not run";
      if (!stored->second.answers.contains(program.key)) {
        return "the case changed";
      }
    }
  }
  return "";
}

// Copies the first differences, which were found when the answers were
// recorded.
void AddFirstDifferences(const FirstDifferences& differences,
                         CaseResult& result) {
  for (RunResult& run : result.runs) {
    if (run.programs.empty()) continue;
    const auto of_run = differences.find(run.programs.front().key);
    if (of_run == differences.end()) continue;
    for (Finding& finding : run.findings) {
      if (finding.holds || finding.expectation->relation != Relation::kSameAs) {
        continue;
      }
      finding.first_difference =
          TextIn(of_run->second, finding.expectation->observation);
    }
  }
}

}  // namespace

std::string WhyOutdated(const Case& conformance_case, const AnswerStore& store,
                        const Provenance& now) {
  const Provenance& then = store.ProvenanceOf(conformance_case.id);
  for (const auto& [package, version] : now.packages) {
    const std::string before = TextIn(then.packages, package);
    if (before == version) continue;
    return fmt::format("{} is {} now, it was run with {}", package, version,
                       before.empty() ? "another version" : before);
  }
  if (!now.program.empty() && then.program != now.program) {
    return "the testee changed";
  }
  if (now.steps.empty()) return "";
  std::set<std::string> steps, changed;
  CollectSteps(conformance_case.program, steps);
  std::ranges::copy_if(steps, std::inserter(changed, changed.end()),
                       [&](const std::string& step) {
                         return TextIn(then.steps, step) !=
                                TextIn(now.steps, step);
                       });
  if (changed.empty()) return "";
  return fmt::format("the testee's step {} changed", fmt::join(changed, ", "));
}

JudgedAnswers JudgeAnswers(const std::vector<const Case*>& cases,
                           const AnswerStore& store, const Dialect& dialect,
                           const Provenance& now) {
  JudgedAnswers judged;
  for (const Case* conformance_case : cases) {
    const std::string& id = conformance_case->id;
    StoredTestee testee(store, id);
    CaseResult result = RunCase(*conformance_case, testee, dialect);
    std::string reason = WhyNotAnswered(result, store);
    if (!reason.empty()) {
      judged.not_answered.emplace(id, std::move(reason));
      continue;
    }
    const auto stored = store.cases.find(id);
    if (stored != store.cases.end()) {
      AddFirstDifferences(stored->second.first_differences, result);
    }
    judged.results.push_back(std::move(result));
    if (stored == store.cases.end()) continue;
    reason = WhyOutdated(*conformance_case, store, now);
    if (!reason.empty()) judged.outdated.emplace(id, std::move(reason));
  }
  return judged;
}

}  // namespace lockstep
