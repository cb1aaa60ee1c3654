#include "conformance/runner/deviations/update_deviations.h"

#include <algorithm>

#include "conformance/runner/deviations/case_record.h"

namespace lockstep {
namespace {

constexpr const char* kConventions = "conformance/conventions.json";

bool Holds(const Deviation& entry, const CaseResult& result) {
  return result.verdict == entry.verdict && !DiffListed(entry.observed, result);
}

// A protocol error says nothing of the implementation.
bool IsKnown(const CaseResult& result) {
  return result.verdict != Verdict::kProtocolError;
}

// Needs an entry of its own.
bool IsEntry(const CaseResult& result) {
  return IsDeviation(result.verdict) && IsKnown(result) &&
         LacksOf(result).empty();
}

Deviation NewEntry(const CaseResult& result, const std::string& versions) {
  Deviation entry{.id = result.conformance_case->id,
                  .verdict = result.verdict,
                  .kind = "defect",
                  .observed = WhatCameInstead(result),
                  .versions = versions};
  return entry;
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
    const bool goes = record ? IsKnown(record->result()) &&
                                   (!Holds(entry, record->result()) ||
                                    !LacksOf(record->result()).empty())
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

// A reference that was given for this lack, or for an entry of the case that
// shows it, or for the same reason; empty when none was.
std::string ReferenceFor(const Lack& lack, const std::string& id,
                         const Deviations& deviations) {
  // No step lacks it: the conventions that the testee declared do.
  if (lack.step.empty()) return kConventions;
  for (const Lack& known : deviations.lacks) {
    if (known.reason == lack.reason) return known.reference;
  }
  const Deviation* entry = deviations.Find(id);
  return entry && entry->verdict == Verdict::kUnsupported ? entry->reference
                                                          : "";
}

std::string VersionsFor(const Lack& lack, const Deviations& deviations,
                        const std::string& versions) {
  const auto known =
      std::ranges::find(deviations.lacks, lack.Name(), &Lack::Name);
  return known == deviations.lacks.end() ? versions : known->versions;
}

// Of a part of the cases: those that were, and new ones.
std::vector<Lack> UpdateLacks(const Deviations& deviations,
                              const std::vector<CaseRecord>& records,
                              const CaseIds& ids, const std::string& versions) {
  std::vector<Lack> lacks;
  if (ids.only_a_part) lacks = deviations.lacks;
  const size_t kept = lacks.size();
  for (const CaseRecord& record : records) {
    for (const Unsupported& answer : LacksOf(record.result())) {
      Lack lack{.step = answer.step, .reason = answer.reason};
      auto found = std::ranges::find(lacks, lack.Name(), &Lack::Name);
      if (found == lacks.end()) {
        lack.reference = ReferenceFor(lack, record.id(), deviations);
        lack.versions = VersionsFor(lack, deviations, versions);
        lacks.push_back(lack);
        found = lacks.end() - 1;
      }
      const bool is_new = static_cast<size_t>(found - lacks.begin()) >= kept;
      if (is_new) ++found->cases;
      if (found->reference.empty()) {
        found->reference = ReferenceFor(*found, record.id(), deviations);
      }
    }
  }
  std::ranges::sort(lacks, {}, &Lack::Name);
  return lacks;
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
    if (IsEntry(record.result()) && !updated.Find(record.id())) {
      updated.entries.push_back(NewEntry(record.result(), versions));
    }
  }
  updated.lacks = UpdateLacks(deviations, records, ids, versions);
  std::ranges::sort(updated.entries, {}, &Deviation::id);
  return updated;
}

}  // namespace lockstep
