#include "conformance/runner/commands/same_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <variant>

#include "conformance/runner/answers/judge_answers.h"
#include "conformance/runner/commands/answer_files.h"
#include "conformance/runner/deviations/case_record.h"
#include "conformance/runner/text/readable_text.h"

namespace lockstep {
namespace {

// Whether a wrong value is all that is wrong: the same error or crash says
// little about the cause.
bool DeviatesInObservations(const CaseResult& result) {
  return MayBeListed(result.verdict) &&
         std::ranges::all_of(result.runs, [](const RunResult& run) {
           return std::holds_alternative<Observations>(run.answer);
         });
}

}  // namespace

std::string SameAnswers::Describe(const CaseResult& result,
                                  const std::string& name) const {
  if (!DeviatesInObservations(result)) return "";
  std::map<std::string, std::vector<std::string>> names_by_reason;
  for (const Implementation& other : Implementations()) {
    const Deviation* entry = other.deviations.Find(result.conformance_case->id);
    const std::string& its_name = other.deviations.implementation;
    if (!entry || its_name == name || !IsSame(other.answers, result)) continue;
    names_by_reason[entry->reason].push_back(its_name);
  }
  std::string text;
  for (const auto& [reason, names] : names_by_reason) {
    text += fmt::format("  same as   {}: {}\n", fmt::join(names, ", "),
                        ReadableLine(reason));
  }
  return text;
}

const std::vector<SameAnswers::Implementation>& SameAnswers::Implementations()
    const {
  if (implementations_) return *implementations_;
  implementations_.emplace();
  namespace fs = std::filesystem;
  std::error_code missing;
  for (const auto& entry :
       fs::directory_iterator(folder_ + "/deviations", missing)) {
    if (entry.path().extension() != ".json") continue;
    const std::string answers =
        NewestAnswers(folder_ + "/answers", entry.path().stem().string());
    if (answers.empty()) continue;
    implementations_->push_back(
        {LoadDeviations(entry.path().string()), LoadAnswers(answers)});
  }
  std::ranges::sort(*implementations_, {}, [](const Implementation& one) {
    return one.deviations.implementation;
  });
  return *implementations_;
}

bool SameAnswers::IsSame(const AnswerStore& answers,
                         const CaseResult& result) const {
  const JudgedAnswers judged =
      JudgeAnswers({result.conformance_case}, answers,
                   conventions_.Complete(answers.declaration.conventions));
  if (judged.results.empty()) return false;
  const CaseResult& recorded = judged.results.front();
  return recorded.verdict == result.verdict &&
         DeviatesInObservations(recorded) &&
         !DiffRecorded(ActualOutcome(recorded), result);
}

}  // namespace lockstep
