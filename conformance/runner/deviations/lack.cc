#include "conformance/runner/deviations/lack.h"

#include <fmt/core.h>

#include <algorithm>

namespace lockstep {

Lack ReadLack(const JsonCursor& cursor) {
  cursor.AllowOnly({"step", "reason", "reference", "versions", "cases"});
  return {.step = cursor["step"].String(),
          .reason = cursor["reason"].String(),
          .reference = cursor["reference"].String(),
          .versions = cursor["versions"].String(),
          .cases = cursor["cases"].Integer(),
          .place = fmt::format("{} at {}", cursor.file(), cursor.path())};
}

Json ToJson(const Lack& lack) {
  return {{"step", lack.step},
          {"reason", lack.reason},
          {"reference", lack.reference},
          {"versions", lack.versions},
          {"cases", lack.cases}};
}

std::vector<Unsupported> LacksOf(const CaseResult& result) {
  std::vector<Unsupported> lacks;
  if (result.verdict != Verdict::kUnsupported) return lacks;
  for (const RunResult& run : result.runs) {
    const auto* answer = std::get_if<Unsupported>(&run.answer);
    if (!answer) continue;
    const auto is_same = [&](const Unsupported& other) {
      return other.step == answer->step && other.reason == answer->reason;
    };
    if (std::ranges::none_of(lacks, is_same)) lacks.push_back(*answer);
  }
  return lacks;
}

const Lack* FindLack(const std::vector<Lack>& lacks, const CaseResult& result) {
  const Lack* first = nullptr;
  for (const Unsupported& answer : LacksOf(result)) {
    const auto found = std::ranges::find_if(
        lacks, [&](const Lack& lack) { return lack.Explains(answer); });
    if (found == lacks.end()) return nullptr;
    if (!first) first = &*found;
  }
  return first;
}

}  // namespace lockstep
