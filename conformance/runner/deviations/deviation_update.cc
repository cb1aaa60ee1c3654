#include "conformance/runner/deviations/deviation_update.h"

#include <algorithm>

#include "conformance/runner/compare.h"
#include "conformance/runner/deviations/instead.h"

namespace lockstep {
namespace {

constexpr const char* kUnsupported = "unsupported";
constexpr const char* kConventions = "conformance/conventions.json";

bool Holds(const Deviation& entry, const CaseResult& result) {
  return result.verdict == entry.verdict &&
         !DiffEquals(entry.observed, WhatCameInstead(result));
}

// A protocol error says nothing of the implementation.
bool IsKnown(const CaseResult& result) {
  return result.verdict != Verdict::kProtocolError;
}

// The first run's that has one; nullptr for a verdict that says something else.
const Unsupported* FindLack(const CaseResult& result) {
  if (result.verdict != Verdict::kUnsupported) return nullptr;
  for (const RunResult& run : result.runs) {
    if (const auto* lack = std::get_if<Unsupported>(&run.answer)) return lack;
  }
  return nullptr;
}

Deviation NewEntry(const CaseResult& result, const std::string& versions) {
  Deviation entry{.id = result.conformance_case->id,
                  .verdict = result.verdict,
                  .kind = "defect",
                  .observed = WhatCameInstead(result),
                  .versions = versions};
  if (const Unsupported* lack = FindLack(result)) {
    entry.kind = kUnsupported;
    entry.reason = lack->reason;
    // No step lacks it: the conventions that the testee declared do.
    if (lack->step.empty()) entry.reference = kConventions;
  }
  return entry;
}

// What another entry refers to for the same reason; empty when none does.
std::string ReferenceFor(const std::string& reason,
                         const std::vector<Deviation>& entries) {
  for (const Deviation& entry : entries) {
    if (entry.kind == kUnsupported && entry.reason == reason) {
      return entry.reference;
    }
  }
  return "";
}

const CaseRecord* FindRecord(const std::vector<CaseRecord>& records,
                             const std::string& id) {
  const auto found = std::ranges::find(records, id, &CaseRecord::id);
  return found == records.end() ? nullptr : &*found;
}

// What stays of an entry.
std::vector<Deviation> Keep(const Deviation& entry,
                            const std::vector<CaseRecord>& records,
                            const CaseIds& ids) {
  const auto is_matched = [&](const CaseRecord& record) {
    return entry.Matches(record.id());
  };
  if (ids.only_a_part && std::ranges::none_of(records, is_matched)) {
    return {entry};
  }
  std::vector<Deviation> kept;
  int matched = 0;
  for (const std::string& id : ids.all) {
    if (!entry.Matches(id)) continue;
    ++matched;
    const CaseRecord* record = FindRecord(records, id);
    const bool goes =
        record ? IsKnown(record->result()) && !Holds(entry, record->result())
               : !ids.only_a_part;
    if (goes) continue;
    kept.push_back(entry);
    kept.back().id = id;
  }
  const int still_holds = static_cast<int>(kept.size());
  const bool is_whole =
      still_holds == matched && matched > 0 && matched <= kMostCasesOfAPattern;
  return is_whole ? std::vector{entry} : kept;
}

}  // namespace

Deviations UpdateDeviations(const Deviations& deviations,
                            const std::vector<CaseRecord>& records,
                            const CaseIds& ids, const std::string& versions) {
  Deviations updated{.implementation = deviations.implementation};
  for (const Deviation& entry : deviations.entries) {
    for (const Deviation& kept : Keep(entry, records, ids)) {
      const auto stands_already = [&](const CaseRecord& record) {
        return kept.Matches(record.id()) && updated.Find(record.id());
      };
      if (std::ranges::none_of(records, stands_already)) {
        updated.entries.push_back(kept);
      }
    }
  }
  for (const CaseRecord& record : records) {
    if (record.result().verdict != Verdict::kPassed &&
        IsKnown(record.result()) && !updated.Find(record.id())) {
      Deviation entry = NewEntry(record.result(), versions);
      if (entry.kind == kUnsupported && entry.reference.empty()) {
        entry.reference = ReferenceFor(entry.reason, updated.entries);
      }
      updated.entries.push_back(std::move(entry));
    }
  }
  std::ranges::sort(updated.entries, {}, &Deviation::id);
  return updated;
}

}  // namespace lockstep
