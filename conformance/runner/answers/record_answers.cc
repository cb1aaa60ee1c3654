#include "conformance/runner/answers/record_answers.h"

#include <algorithm>
#include <map>

namespace lockstep {
namespace {

// All that judging needs. Nothing where the case was not asked, or not to the
// end.
AnswersByKey AnswersOf(const CaseResult& result) {
  AnswersByKey answers;
  for (const RunResult& run : result.runs) {
    if (run.verdict == Verdict::kTimedOut) return {};
    for (const AskedProgram& asked : run.asked) {
      const auto other = result.other_answers.find(asked.key);
      if (other != result.other_answers.end()) answers.insert(*other);
    }
  }
  for (const RunResult& run : result.runs) {
    if (!run.asked.empty()) {
      answers.insert_or_assign(run.asked.front().key, run.answer);
    }
  }
  return answers;
}

FirstDifferences FirstDifferencesOf(const CaseResult& result) {
  FirstDifferences differences;
  for (const RunResult& run : result.runs) {
    for (const Finding& finding : run.findings) {
      if (finding.first_difference.empty()) continue;
      differences[run.asked.front().key][finding.expectation->observation] =
          finding.first_difference;
    }
  }
  return differences;
}

// Of answers that only the date tells apart there is one, with the last date.
size_t PlaceOf(const Provenance& provenance, AnswerStore& store) {
  const auto found =
      std::ranges::find_if(store.recordings, [&](Provenance other) {
        other.date = provenance.date;
        return other == provenance;
      });
  const size_t place = found - store.recordings.begin();
  if (found == store.recordings.end()) {
    store.recordings.push_back(provenance);
  } else {
    found->date = provenance.date;
  }
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
          StoredCase{.recording = recording,
                     .answers = std::move(answers),
                     .first_differences = FirstDifferencesOf(record.result())});
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
