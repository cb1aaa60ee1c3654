// Holds the results of a run against the list of known deviations, and against
// what was recorded of the same version.
//
// A run is as expected when every case either passed or is listed under its
// cause, and came out as it did when its answers were recorded. A list that has
// gone stale is as wrong as a new failure. What is only told, or only advised, has
// to hold where its level is enforced; else it needs no entry.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATION_CHECK_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATION_CHECK_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "conformance/runner/deviations/case_record.h"
#include "conformance/runner/deviations/deviations.h"

namespace lockstep {

// A pattern with * may stand for so many cases.
inline constexpr int kMostCasesOfAPattern = 20;

enum class Problem {
  kNotListed,           // a case did not pass, and no entry says so
  kEnforced,            // it broke an expectation of a level that is enforced
  kPassesThoughListed,  // it is to go from its entry
  kVerdictChanged,      // it is another than was recorded
  kObservationChanged,  // something else came instead than was recorded
  kMatchesNoCase,       // the listed case, or unsupported step, does not exist
  kWildcardTooWide,     // it stands for more than kMostCasesOfAPattern cases
  kNoReason,
  kNoReference,
  kListedTwice,  // two entries match a case
  kFlickers,     // repetitions of the case differ; the last one
};

// "not_listed", "passes_though_listed", ...
std::string_view ProblemName(Problem problem);

struct Unexpected {
  Problem problem;
  std::string subject;  // the case's id, or the pattern, or the entry's place
  std::string text;     // one line for people, without the subject
};

// Which cases there are, and whether the list is to be held against all.
struct CaseIds {
  std::vector<std::string> all;
  // A part of the cases was run, or cases from elsewhere: entries that match
  // none of `records` are left alone.
  bool only_a_part = false;
};

// What came out when the answers of this version were recorded, by the cases'
// ids. Of cases that are not there only the list says something.
using RecordedResults = std::map<std::string, CaseResult>;

// In the order of entries, then of records. `enforced`: levels besides
// `required` whose expectations have to hold too.
std::vector<Unexpected> FindUnexpected(std::span<const CaseRecord> records,
                                       const Deviations& deviations,
                                       const CaseIds& ids,
                                       const std::vector<Level>& enforced = {},
                                       const RecordedResults& recorded = {});

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATION_CHECK_H_
