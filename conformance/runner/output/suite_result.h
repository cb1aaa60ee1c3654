// A whole run: what was asked, of whom, and what came out.
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
  std::string program;  // as a person starts it, up to its options
  std::string testee;   // as --testee says it
  std::string cases;    // file or folder
  CaseSelection selection = {};
  std::vector<Level> enforced = {};  // besides `required`
  int repeat = 1;
  double deadline_s = 60;
};

// What a person pastes into a shell to put one case to the testee.
std::string RerunCommand(const SuiteSettings& settings,
                         const std::string& case_id);

struct SuiteResult {
  SuiteSettings settings;
  std::string name;  // of the testee, also of its list of deviations
  TesteeDeclaration declaration;
  Dialect dialect;  // what it is held to
  std::vector<CaseRecord> records;
  // Of stored answers that are judged: cases that have none, and cases whose
  // answers are of another testee or other versions than today's, with reasons.
  std::map<std::string, std::string> not_answered = {};
  std::map<std::string, std::string> outdated = {};
  // What is expected: causes, and what the same version did before.
  Deviations deviations;
  RecordedResults recorded = {};
  std::vector<Unexpected> unexpected;
  bool complete = true;  // not interrupted
  std::string started;   // "2026-11-21T18:50:00Z"
  double seconds = 0;

  bool AsExpected() const { return complete && unexpected.empty(); }
  bool IsUnexpected(const std::string& case_id) const;
  // What of these records is not as expected, by the list and what was recorded.
  std::vector<Unexpected> Check(std::span<const CaseRecord> of,
                                const CaseIds& ids) const {
    return FindUnexpected(of, deviations, ids, settings.enforced, recorded);
  }
};

// "input/rebatch" of "input/rebatch/last_global_batch_is_split".
std::string TopicOf(const std::string& case_id);

// What all runs of the case took.
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

// What became of the promise, N replicas train as one: of the required cases of
// intents. What is warned of, failed, crashed and so on broke it.
struct PromiseCounts {
  int cases = 0;
  int kept = 0;
  int departed = 0;  // by a documented convention of its own
  int broken = 0;
  int unsupported = 0;
};

PromiseCounts CountPromise(const std::vector<CaseRecord>& records);

// The promise is the headline, where it was asked for; then what is required,
// then the other levels.
//   "promise: 140 of 165 kept, 9 by convention, 2 broken, 14 unsupported
//    required: 250 of 262 passed, 1 warned, 10 unsupported, 1 failed
//    also: recommended 8 of 9 passed, 1 warned; observed 239 informational, 230 match
//    stated"
std::string Summary(const std::vector<CaseRecord>& records);

// What stored answers lack, or have of before: a line for each reason with how
// many cases and the first of them, and how to ask again; "" when nothing.
//   "warning: 12 cases answered before a change: the testee changed: a/b/c, ...
//    ask again: ./bazelw run //conformance:run -- --testee=jax --record --stale"
std::string DescribeStale(const SuiteResult& suite);

// The results of a run for programs: schemas/results.schema.json. What a testee
// said in more bytes than these stands there by its beginning, as text.
inline constexpr size_t kLongestToldValue = 1 << 16;
Json ToJson(const SuiteResult& suite, const Sources& sources);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_SUITE_RESULT_H_
