// A conformance case as its file states it (the format: conformance/README.md).
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_H_

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/cases/conventions.h"
#include "conformance/runner/cases/moved_inputs.h"
#include "reference/base/json.h"

namespace lockstep {

// Where the suite's own cases are, in the workspace.
inline constexpr std::string_view kBuiltInCases = "conformance/cases";

// How binding a statement is.
enum class Level {
  kRequired,     // the documents state it
  kRecommended,  // they advise it, or show it as an example not to rely on
  kDecision,     // the documents are silent, docs/design.md decides
  kObserved,     // implementations show it
};

inline constexpr std::array kLevels = {Level::kRequired, Level::kRecommended,
                                       Level::kDecision, Level::kObserved};

// "required", "recommended", "decision", "observed".
std::string_view LevelName(Level level);

// Whether an implementation can be right or wrong by it. What only the
// reference decided, or what others happen to do, is told and no more.
constexpr bool IsJudged(Level level) {
  return level == Level::kRequired || level == Level::kRecommended;
}

// Where a behaviour is written down: a source of sources.json and a place in
// it that does not move.
struct Citation {
  std::string source;
  std::string anchor;
};

// What an expectation says of an observation (of the whole run for kError).
enum class Relation {
  kEquals,             // the same value, numbers exactly
  kClose,              // |observed - value| <= atol + rtol * |value|
  kError,              // the program ends with an error of this class
  kSameOnAllReplicas,  // a list with equal entries, one a replica
  kMultipleOf,         // every number in it is a multiple of the value
  kSameMultiset,       // the same leaves, in any order and grouping
  kSameAs,             // as another observation, or as another run
  kDiffersFrom,        // is not what another observation is
  kEntriesDiffer,      // a list of which no two entries are equal
};

// "equals", "close", ... : the key that states the relation in a file.
std::string_view RelationName(Relation relation);

struct Expectation {
  Relation relation = Relation::kEquals;
  std::string observation;  // empty for kError
  // kEquals, kClose, kSameMultiset: the value; kMultipleOf: the number;
  // kError: the class; kSameOnAllReplicas: true or "in_each_round";
  // kEntriesDiffer: true;
  // kDiffersFrom: the name of the other observation.
  Json value;
  double rtol = 0;  // kClose and kSameAs
  double atol = 0;
  std::vector<std::string> at_steps;  // kError: those of which one fails
  // kSameAs, kDiffersFrom: the observation to compare with, in a run whose
  // `given` has these fields replaced (an empty object: the same run).
  std::string other_observation;
  Json other_given = Json::object();
  // kSameAs: as much may differ as rounding can explain, which is estimated.
  bool to_rounding = false;
  When when = {};  // judged for these conventions only; empty: for all
  // What follows from these conventions, in place of what is promised: judged
  // instead of what is else expected of the observation (a kError: of the run).
  bool departs = false;
  Level level = Level::kRequired;
  std::string because;
  // kSameOnAllReplicas: how many there are; nothing: as many as are given.
  std::optional<int64_t> replicas = {};
  // Said by no case but of every program (model_copies.h); judged where it comes
  // to its end.
  bool is_implied = false;
};

struct Case {
  std::string id;  // "<area>/<topic>/<claim>"
  std::string topic;
  Level level = Level::kRequired;
  std::string states;
  std::vector<Citation> cites;
  Json given;
  bool of_intents = false;  // or of calls: by what its program does
  Json program;  // with its parameters open, and what is implied observed
  InputFields inputs = {};  // where an expectation wants them moved
  std::vector<Expectation> expect;
  Json expect_json = nullptr;  // as the file has it, then what is implied
};

// Whether a case's `given` has a list of replica counts, each of which is a run.
bool HasSeveralReplicaCounts(const Json& given);

// The documents, issue lists and implementations that cases cite.
class Sources {
 public:
  // Reads sources.json. Errors: NotFound, InvalidArgument with file and path.
  static Sources Load(const std::string& path);

  bool Contains(std::string_view id) const { return sources_.contains(id); }
  // "distributed_input 0Qb6nDgxiN_n (https://...)".
  // REQUIRES: the source is one of these.
  std::string Describe(const Citation& citation) const;
  // The address of the issue or file where there is one, else of the source; of
  // a file of the workspace the file and the place, "docs/design.md#streams".
  // REQUIRES: the source is one of these.
  std::string Link(const Citation& citation) const;

 private:
  const std::string& UrlOf(const Citation& citation) const;

  std::map<std::string, std::string, std::less<>> sources_;  // id -> URL
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_H_
