#include "conformance/runner/deviations/deviation_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "conformance/runner/deviations/case_record.h"
#include "conformance/runner/verdicts/compare.h"
#include "reference/base/check.h"

namespace lockstep {
namespace {

class DeviationCheck {
 public:
  DeviationCheck(const std::vector<CaseRecord>& records,
                 const Deviations& deviations, const CaseIds& ids,
                 const std::vector<Level>& enforced)
      : records_(records),
        deviations_(deviations),
        ids_(ids),
        enforced_(enforced) {}

  std::vector<Unexpected> Run() {
    for (const Deviation& entry : deviations_.entries) CheckEntry(entry);
    for (const CaseRecord& record : records_) CheckRecord(record);
    return std::move(found_);
  }

 private:
  void Report(Problem problem, const std::string& subject, std::string text) {
    found_.push_back({problem, subject, std::move(text)});
  }

  void CheckEntry(const Deviation& entry) {
    const auto is_matched = [&](const std::string& id) {
      return entry.Matches(id);
    };
    if (ids_.only_a_part &&
        std::ranges::none_of(records_, is_matched, &CaseRecord::id)) {
      return;
    }
    const auto matched = std::ranges::count_if(ids_.all, is_matched);
    if (matched == 0) {
      Report(Problem::kMatchesNoCase, entry.id,
             fmt::format("there is no such case: {}", entry.place));
    }
    if (entry.IsPattern() && matched > kMostCasesOfAPattern) {
      Report(Problem::kWildcardTooWide, entry.id,
             fmt::format("stands for {} cases, at most {} may share an entry: "
                         "{}",
                         matched, kMostCasesOfAPattern, entry.place));
    }
    CheckText(entry, entry.reason, Problem::kNoReason, "reason");
    CheckText(entry, entry.reference, Problem::kNoReference, "reference");
  }

  void CheckText(const Deviation& entry, const std::string& text,
                 Problem problem, const char* field) {
    if (!text.empty()) return;
    Report(problem, entry.id,
           fmt::format("has no {0}: write it to {1}.{0}", field, entry.place));
  }

  void CheckRecord(const CaseRecord& record) {
    if (!record.flicker().empty()) {
      Report(Problem::kFlickers, record.id(), record.flicker());
    }
    std::vector<const Deviation*> matching;
    for (const Deviation& entry : deviations_.entries) {
      if (entry.Matches(record.id())) matching.push_back(&entry);
    }
    if (matching.size() > 1) {
      Report(Problem::kListedTwice, record.id(),
             fmt::format("is matched by '{}' ({}) and by '{}' ({})",
                         matching[0]->id, matching[0]->place, matching[1]->id,
                         matching[1]->place));
    }
    CheckResult(record.result(), matching.empty() ? nullptr : matching.front());
  }

  void CheckResult(const CaseResult& result, const Deviation* entry) {
    const std::string& id = result.conformance_case->id;
    const std::string_view verdict = VerdictName(result.verdict);
    if (!MayBeListed(result.verdict) && entry) {
      Report(Problem::kPassesThoughListed, id,
             fmt::format("{}, but {} lists it as {}", verdict, entry->place,
                         VerdictName(entry->verdict)));
    } else if (!IsDeviation(result.verdict) && !entry) {
      CheckEnforced(result);
    } else if (!entry) {
      Report(Problem::kNotListed, id,
             fmt::format("{}, which no entry for {} says", verdict,
                         deviations_.implementation));
    } else if (entry->verdict != result.verdict) {
      Report(Problem::kVerdictChanged, id,
             fmt::format("{}, but {} lists it as {}", verdict, entry->place,
                         VerdictName(entry->verdict)));
    } else if (const Difference difference =
                   DiffEquals(entry->observed, WhatCameInstead(result))) {
      Report(
          Problem::kObservationChanged, id,
          fmt::format("is not what {} lists: {}", entry->place, *difference));
    }
  }

  // Of a case that neither fails nor is listed.
  void CheckEnforced(const CaseResult& result) {
    for (const RunResult& run : result.runs) {
      for (const Finding& finding : run.findings) {
        const Level level = finding.expectation->level;
        const bool is_enforced =
            std::ranges::find(enforced_, level) != enforced_.end();
        if (finding.holds || !is_enforced) continue;
        Report(Problem::kEnforced, result.conformance_case->id,
               fmt::format("does not do what is {}, which is enforced: {}",
                           LevelName(level), finding.difference));
        return;
      }
    }
  }

  const std::vector<CaseRecord>& records_;
  const Deviations& deviations_;
  const CaseIds& ids_;
  const std::vector<Level>& enforced_;
  std::vector<Unexpected> found_;
};

}  // namespace

std::string_view ProblemName(Problem problem) {
  switch (problem) {
    case Problem::kNotListed:
      return "not_listed";
    case Problem::kEnforced:
      return "enforced";
    case Problem::kPassesThoughListed:
      return "passes_though_listed";
    case Problem::kVerdictChanged:
      return "verdict_changed";
    case Problem::kObservationChanged:
      return "observation_changed";
    case Problem::kMatchesNoCase:
      return "matches_no_case";
    case Problem::kWildcardTooWide:
      return "wildcard_too_wide";
    case Problem::kNoReason:
      return "no_reason";
    case Problem::kNoReference:
      return "no_reference";
    case Problem::kListedTwice:
      return "listed_twice";
    case Problem::kFlickers:
      return "flickers";
  }
  LOCKSTEP_CHECK(false);
}

std::vector<Unexpected> FindUnexpected(const std::vector<CaseRecord>& records,
                                       const Deviations& deviations,
                                       const CaseIds& ids,
                                       const std::vector<Level>& enforced) {
  return DeviationCheck(records, deviations, ids, enforced).Run();
}

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
    if (IsDeviation(record.result().verdict) && IsKnown(record.result()) &&
        !updated.Find(record.id())) {
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
