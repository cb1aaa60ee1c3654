#include "conformance/runner/answers/record_answers.h"

#include <algorithm>
#include <map>

namespace lockstep {
namespace {

// Every answer that judging needs. Empty if the case was not run, or not to its
// end.
AnswersByKey AnswersOf(const CaseResult& result) {
  AnswersByKey answers;
  for (const RunResult& run : result.runs) {
    if (run.verdict == Verdict::kTimedOut) return {};
    for (const ProgramRun& program : run.programs) {
      const auto other = result.other_answers.find(program.key);
      if (other != result.other_answers.end()) answers.insert(*other);
    }
  }
  for (const RunResult& run : result.runs) {
    if (!run.programs.empty()) {
      answers.insert_or_assign(run.programs.front().key, run.answer);
    }
  }
  return answers;
}

FirstDifferences FirstDifferencesOf(const CaseResult& result) {
  FirstDifferences differences;
  for (const RunResult& run : result.runs) {
    for (const Finding& finding : run.findings) {
      if (finding.first_difference.empty()) continue;
      differences[run.programs.front().key][finding.expectation->observation] =
          finding.first_difference;
    }
  }
  return differences;
}

// Recordings that differ only in their date share an entry, with the latest
// date.
size_t IndexOf(const Provenance& provenance, AnswerStore& store) {
  const auto found =
      std::ranges::find_if(store.recordings, [&](Provenance other) {
        other.date = provenance.date;
        return other == provenance;
      });
  const size_t index = found - store.recordings.begin();
  if (found == store.recordings.end()) {
    store.recordings.push_back(provenance);
  } else {
    found->date = provenance.date;
  }
  return index;
}

void DropUnusedRecordings(AnswerStore& store) {
  std::map<size_t, size_t> places;  // old index -> new index
  std::vector<Provenance> used;
  for (auto& [id, stored] : store.cases) {
    const auto [index, is_new] =
        places.emplace(stored.recording, places.size());
    if (is_new) used.push_back(store.recordings[stored.recording]);
    stored.recording = index->second;
  }
  store.recordings = std::move(used);
}

}  // namespace

void RecordAnswers(const std::vector<CaseRecord>& records,
                   const TesteeDeclaration& declaration,
                   const Provenance& provenance, AnswerStore& store) {
  store.declaration = declaration;
  const size_t recording = IndexOf(provenance, store);
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
