// A whole run: its settings, testee and results.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_SUITE_RESULT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_SUITE_RESULT_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/cases/case_selection.h"
#include "conformance/runner/deviations/case_record.h"
#include "conformance/runner/deviations/deviation_check.h"
#include "conformance/runner/deviations/deviations.h"
#include "conformance/runner/testee.h"

namespace lockstep {

struct SuiteSettings {
  // The commands of the user, up to the options: this one, and the one that
  // explains a case; "" if there is none.
  std::string program;
  std::string explain = {};
  std::string update = "--update";  // the options that write the list
  std::string testee;               // the value of --testee
  std::string cases;                // file or folder
  CaseSelection selection = {};
  std::vector<Level> enforced = {};  // in addition to `required`
  int repeat = 1;
  double deadline_s = 60;
};

// The shell command that runs one case against the same testee.
std::string RerunCommand(const SuiteSettings& settings,
                         const std::string& case_id);

// The shell command that shows all that is known of a built-in case; "" for the
// cases of the user.
std::string ExplainCommand(const SuiteSettings& settings,
                           const std::string& case_id);

struct SuiteResult {
  SuiteSettings settings;
  std::string name;  // of the testee and its list of deviations
  TesteeDeclaration declaration;
  Dialect dialect;  // that it is judged by
  std::vector<CaseRecord> records;
  // If stored answers are judged: cases without an answer, and cases whose
  // answers are outdated, with reasons.
  std::map<std::string, std::string> not_answered = {};
  std::map<std::string, std::string> outdated = {};
  // The expected results: known deviations, and the recorded results of the
  // same version.
  Deviations deviations;
  RecordedResults recorded = {};
  std::vector<Unexpected> unexpected;
  bool complete = true;  // not interrupted
  std::string started;   // "2026-11-21T18:50:00Z"
  double seconds = 0;

  bool AsExpected() const { return complete && unexpected.empty(); }
  bool IsUnexpected(const std::string& case_id) const;
  // The problems of these records, by the list and the recorded results.
  std::vector<Unexpected> Check(std::span<const CaseRecord> of,
                                const CaseIds& ids) const {
    return FindUnexpected(of, deviations, ids, settings.enforced, recorded);
  }
};

// "input/rebatch" of "input/rebatch/last_global_batch_is_split".
std::string TopicOf(const std::string& case_id);

// The time of all runs of the case.
double SecondsOf(const CaseResult& result);

using VerdictCounts = std::map<Verdict, int>;

// The cases of one level.
struct LevelCounts {
  int cases = 0;
  int matches = 0;
  VerdictCounts verdicts = {};  // every verdict is there
};

// Every level is there.
std::map<Level, LevelCounts> CountByLevel(
    const std::vector<CaseRecord>& records);

// Counts of the required cases of intents, which show the promise that N
// replicas train as one. A case that warned, failed, crashed and so on broke
// it.
struct PromiseCounts {
  int cases = 0;
  int kept = 0;
  int departed = 0;  // by a documented convention
  int broken = 0;
  int unsupported = 0;
};

PromiseCounts CountPromise(const std::vector<CaseRecord>& records);

// The promise first, if any of its cases ran; then required cases, then the
// other levels.
//   "promise: 140 of 165 kept, 9 by convention, 2 broken, 14 unsupported
//    required: 250 of 262 passed, 1 warned, 10 unsupported, 1 failed
//    also: recommended 8 of 9 passed, 1 warned; observed 239 informational, 230 match
//    stated"
std::string Summary(const std::vector<CaseRecord>& records);

// The missing and outdated stored answers: one line per reason with the number
// of cases and the first of them, and the command that runs them again; "" if
// there are none.
//   "warning: 12 cases answered before a change: the testee changed: a/b/c, ...
//    run again: ./bazelw run //conformance:run -- --testee=jax --record --stale"
std::string DescribeStale(const SuiteResult& suite);

// The results of a run for programs: schemas/results.schema.json. Of a value
// that is longer than this, only the beginning is included, as text.
inline constexpr size_t kMaxReportedBytes = 1 << 16;
Json ToJson(const SuiteResult& suite, const Sources& sources);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_SUITE_RESULT_H_
