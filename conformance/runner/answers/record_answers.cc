#include "conformance/runner/answers/record_answers.h"

#include <algorithm>
#include <map>
#include <variant>

namespace lockstep {
namespace {

bool IsTimedOut(const Answer& answer) {
  return std::holds_alternative<TimedOut>(answer);
}

// Nothing where the case was not asked, or not to the end.
AnswersByKey AnswersOf(const CaseResult& result) {
  AnswersByKey answers;
  for (const auto& [key, answer] : result.other_answers) {
    if (!IsTimedOut(answer)) answers.emplace(key, answer);
  }
  for (const RunResult& run : result.runs) {
    if (run.verdict == Verdict::kTimedOut) return {};
    if (!run.asked.empty()) {
      answers.insert_or_assign(run.asked.front().key, run.answer);
    }
  }
  return answers;
}

size_t PlaceOf(const Provenance& provenance, AnswerStore& store) {
  const auto found = std::ranges::find(store.recordings, provenance);
  const size_t place = found - store.recordings.begin();
  if (found == store.recordings.end()) store.recordings.push_back(provenance);
  return place;
}

void DropUnusedRecordings(AnswerStore& store) {
  std::map<size_t, size_t> places;  // from the old one to the new one
  std::vector<Provenance> used;
  for (auto& [id, stored] : store.cases) {
    const auto [place, is_new] =
        places.emplace(stored.recording, places.size());
    if (is_new) used.push_back(store.recordings[stored.recording]);
    stored.recording = place->second;
  }
  store.recordings = std::move(used);
}

}  // namespace

void RecordAnswers(const std::vector<CaseRecord>& records,
                   const TesteeDeclaration& declaration,
                   const Provenance& provenance, AnswerStore& store) {
  store.declaration = declaration;
  const size_t recording = PlaceOf(provenance, store);
  for (const CaseRecord& record : records) {
    AnswersByKey answers = AnswersOf(record.result());
    if (answers.empty()) {
      store.cases.erase(record.id());
    } else {
      store.cases.insert_or_assign(
          record.id(),
          StoredCase{.recording = recording, .answers = std::move(answers)});
    }
  }
  DropUnusedRecordings(store);
}

void KeepAnswersOf(const std::set<std::string>& case_ids, AnswerStore& store) {
  std::erase_if(store.cases, [&](const auto& stored) {
    return !case_ids.contains(stored.first);
  });
  DropUnusedRecordings(store);
}

}  // namespace lockstep
