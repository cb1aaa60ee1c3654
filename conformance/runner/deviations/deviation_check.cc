#include "conformance/runner/deviations/deviation_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "conformance/runner/deviations/case_record.h"
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
    for (const Lack& lack : deviations_.lacks) {
      CheckTexts(lack.Name(), lack.reason, lack.reference, lack.place);
    }
    for (const CaseRecord& record : records_) CheckRecord(record);
    if (!ids_.only_a_part) CheckCountsOfLacks();
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
    CheckTexts(entry.id, entry.reason, entry.reference, entry.place);
  }

  void CheckTexts(const std::string& subject, const std::string& reason,
                  const std::string& reference, const std::string& place) {
    const auto check = [&](const std::string& text, Problem problem,
                           const char* field) {
      if (!text.empty()) return;
      Report(problem, subject,
             fmt::format("has no {0}: write it to {1}.{0}", field, place));
    };
    check(reason, Problem::kNoReason, "reason");
    check(reference, Problem::kNoReference, "reference");
  }

  void CheckCountsOfLacks() {
    for (const Lack& lack : deviations_.lacks) {
      const auto cases =
          std::ranges::count_if(records_, [&](const CaseRecord& record) {
            return std::ranges::any_of(LacksOf(record.result()),
                                       [&](const Unsupported& answer) {
                                         return lack.Explains(answer);
                                       });
          });
      if (cases == lack.cases) continue;
      Report(Problem::kLackChanged, lack.Name(),
             fmt::format("{} cases are unsupported for it, but {} says {}",
                         cases, lack.place, lack.cases));
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
    } else if (!entry && FindLack(deviations_.lacks, result)) {
      return;
    } else if (!entry) {
      Report(Problem::kNotListed, id,
             fmt::format("{}, which no entry for {} says", verdict,
                         deviations_.implementation));
    } else if (entry->verdict != result.verdict) {
      Report(Problem::kVerdictChanged, id,
             fmt::format("{}, but {} lists it as {}", verdict, entry->place,
                         VerdictName(entry->verdict)));
    } else if (const Difference difference =
                   DiffListed(entry->observed, result)) {
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
    case Problem::kLackChanged:
      return "lack_changed";
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

}  // namespace lockstep
