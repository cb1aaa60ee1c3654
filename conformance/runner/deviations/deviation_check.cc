#include "conformance/runner/deviations/deviation_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "conformance/runner/deviations/case_record.h"
#include "conformance/runner/text/name_forms.h"
#include "reference/base/check.h"

namespace lockstep {
namespace {

bool IsPattern(const std::string& text) {
  return text.find('*') != std::string::npos;
}

class DeviationCheck {
 public:
  DeviationCheck(std::span<const CaseRecord> records,
                 const Deviations& deviations, const CaseIds& ids,
                 const std::vector<Level>& enforced,
                 const RecordedResults& recorded)
      : records_(records),
        deviations_(deviations),
        ids_(ids),
        enforced_(enforced),
        recorded_(recorded) {}

  std::vector<Unexpected> Run() {
    for (const Deviation& entry : deviations_.entries) CheckEntry(entry);
    for (const UnsupportedSteps& steps : deviations_.unsupported) {
      CheckSteps(steps);
    }
    for (const CaseRecord& record : records_) CheckRecord(record);
    return std::move(found_);
  }

 private:
  void Report(Problem problem, const std::string& subject, std::string text) {
    found_.push_back({problem, subject, std::move(text)});
  }

  void CheckEntry(const Deviation& entry) {
    const bool is_of_the_run =
        !ids_.is_partial ||
        std::ranges::any_of(records_, [&](const CaseRecord& record) {
          return entry.Matches(record.id());
        });
    if (!is_of_the_run) return;
    for (const std::string& pattern : entry.cases) {
      CheckPattern(pattern, entry.place);
    }
    if (entry.reason.empty()) {
      Report(Problem::kNoReason, entry.place,
             "has no reason: add it in the field reason");
    }
    if (entry.references.empty() && entry.script.empty()) {
      Report(Problem::kNoReference, entry.place,
             "has no reference: add one in the field references, or name a "
             "script that shows it");
    }
  }

  void CheckPattern(const std::string& pattern, const std::string& place) {
    const auto matched = std::ranges::count_if(
        ids_.all,
        [&](const std::string& id) { return PatternMatches(pattern, id); });
    if (matched == 0) {
      Report(Problem::kMatchesNoCase, pattern,
             fmt::format("there is no such case: {}", place));
    }
    if (IsPattern(pattern) && matched > kMaxCasesPerPattern) {
      Report(Problem::kWildcardTooWide, pattern,
             fmt::format("matches {} cases, at most {} may share a pattern: {}",
                         matched, kMaxCasesPerPattern, place));
    }
  }

  void CheckSteps(const UnsupportedSteps& unsupported) {
    if (unsupported.reference.empty()) {
      Report(Problem::kNoReference, unsupported.place,
             "has no reference: add it in the field reference");
    }
    if (ids_.is_partial) return;
    for (const std::string& pattern : unsupported.steps) {
      const bool is_needed =
          std::ranges::any_of(records_, [&](const CaseRecord& record) {
            return std::ranges::any_of(UnsupportedIn(record.result()),
                                       [&](const Unsupported& unsupported) {
                                         return PatternMatches(
                                             pattern, unsupported.step);
                                       });
          });
      if (is_needed) continue;
      Report(
          Problem::kMatchesNoCase, pattern,
          fmt::format("no case is unsupported for it: {}", unsupported.place));
    }
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
             fmt::format("is listed by {} and by {}", matching[0]->place,
                         matching[1]->place));
    }
    CheckResult(record.result(), matching.empty() ? nullptr : matching.front());
  }

  void CheckResult(const CaseResult& result, const Deviation* entry) {
    const std::string& id = result.conformance_case->id;
    if (!MayBeListed(result.verdict) && entry) {
      Report(
          Problem::kPassesThoughListed, id,
          fmt::format("{}, but {} lists it: remove it there, or use --update",
                      VerdictName(result.verdict), entry->place));
    } else if (IsDeviation(result.verdict) && !IsListed(result)) {
      Report(Problem::kNotListed, id, DescribeUnlisted(result));
    } else if (!CheckRecorded(result) && !IsDeviation(result.verdict) &&
               !entry) {
      CheckEnforced(result);
    }
  }

  // A protocol error is a mistake of the testee, not of the implementation.
  bool IsListed(const CaseResult& result) const {
    return result.verdict != Verdict::kProtocolError &&
           deviations_.FindFor(result);
  }

  std::string DescribeUnlisted(const CaseResult& result) const {
    std::string text =
        fmt::format("{}, which no entry for {} lists",
                    VerdictName(result.verdict), deviations_.implementation);
    if (result.verdict == Verdict::kProtocolError) {
      text += ", nor can list: fix the testee";
    }
    for (const Unsupported& unsupported : UnsupportedIn(result)) {
      if (unsupported.step.empty() || deviations_.FindStep(unsupported.step))
        continue;
      text += fmt::format(": {}: {}", unsupported.step, unsupported.reason);
    }
    return text;
  }

  // Reports a difference from the recorded result. Returns whether there is
  // one.
  bool CheckRecorded(const CaseResult& result) {
    constexpr const char* kAccept =
        "if that is correct, --record the answers again";
    const std::string& id = result.conformance_case->id;
    const auto found = recorded_.find(id);
    if (found == recorded_.end()) return false;
    const CaseResult& recorded = found->second;
    if (recorded.verdict != result.verdict) {
      Report(Problem::kVerdictChanged, id,
             fmt::format("{}, but it was {} when its answers were recorded: {}",
                         VerdictName(result.verdict),
                         VerdictName(recorded.verdict), kAccept));
      return true;
    }
    if (!MayBeListed(result.verdict)) return false;
    const Difference difference = DiffRecorded(ActualOutcome(recorded), result);
    if (!difference) return false;
    Report(Problem::kObservationChanged, id,
           fmt::format("differs from its recorded answers: {}; {}", *difference,
                       kAccept));
    return true;
  }

  // REQUIRES: the case neither fails nor is listed.
  void CheckEnforced(const CaseResult& result) {
    for (const RunResult& run : result.runs) {
      for (const Finding& finding : run.findings) {
        const Level level = finding.expectation->level;
        const bool is_enforced =
            std::ranges::find(enforced_, level) != enforced_.end();
        if (finding.holds || !is_enforced) continue;
        Report(Problem::kEnforced, result.conformance_case->id,
               fmt::format("breaks an expectation of the enforced level {}: {}",
                           LevelName(level), finding.difference));
        return;
      }
    }
  }

  const std::span<const CaseRecord> records_;
  const Deviations& deviations_;
  const CaseIds& ids_;
  const std::vector<Level>& enforced_;
  const RecordedResults& recorded_;
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

std::vector<Unexpected> FindUnexpected(std::span<const CaseRecord> records,
                                       const Deviations& deviations,
                                       const CaseIds& ids,
                                       const std::vector<Level>& enforced,
                                       const RecordedResults& recorded) {
  return DeviationCheck(records, deviations, ids, enforced, recorded).Run();
}

}  // namespace lockstep
