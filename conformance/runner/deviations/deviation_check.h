// Compares the results of a run with the list of known deviations, and with the
// recorded results of the same version.
//
// A run is as expected if every case either passed or is listed under its
// cause, and has the same result as its recorded answers. A stale list is as
// wrong as a new failure. Recommended and informational expectations need no
// entry; they must hold only if their level is enforced.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATION_CHECK_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATION_CHECK_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "conformance/runner/deviations/case_record.h"
#include "conformance/runner/deviations/deviations.h"

namespace lockstep {

// A pattern with * may match at most this many cases.
inline constexpr int kMaxCasesPerPattern = 20;

enum class Problem {
  kNotListed,           // a case did not pass and has no entry
  kEnforced,            // it broke an expectation of a level that is enforced
  kPassesThoughListed,  // its entry is stale
  kVerdictChanged,      // it differs from the recorded one
  kObservationChanged,  // the outcome differs from the recorded one
  kMatchesNoCase,       // the listed case, or unsupported step, does not exist
  kWildcardTooWide,     // it matches more than kMaxCasesPerPattern cases
  kNoReason,
  kNoReference,
  kListedTwice,  // two entries match a case
  kFlickers,     // repetitions of the case differ; keep this one last
};

// "not_listed", "passes_though_listed", ...
std::string_view ProblemName(Problem problem);

struct Unexpected {
  Problem problem;
  std::string subject;  // the case's id, or the pattern, or the entry's place
  std::string text;     // one line for people, without the subject
};

// The known cases, and whether all of them ran.
struct CaseIds {
  std::vector<std::string> all;
  // A part of the cases was run, or other cases: entries that match none of
  // `records` are ignored.
  bool is_partial = false;
};

// Case id -> the result of the recorded answers of this version. Other cases
// are only compared with the list.
using RecordedResults = std::map<std::string, CaseResult>;

// In the order of entries, then of records. `enforced`: levels whose
// expectations must hold in addition to the required ones.
std::vector<Unexpected> FindUnexpected(std::span<const CaseRecord> records,
                                       const Deviations& deviations,
                                       const CaseIds& ids,
                                       const std::vector<Level>& enforced = {},
                                       const RecordedResults& recorded = {});

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATION_CHECK_H_
