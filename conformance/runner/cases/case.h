// A conformance case as its file has it (the format: conformance/README.md).
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

// The folder of the built-in cases, in the workspace.
inline constexpr std::string_view kBuiltInCases = "conformance/cases";

// How binding a statement is.
enum class Level {
  kRequired,     // the documents state it
  kRecommended,  // they advise it, or show it in an example
  kDecision,     // the documents are silent, docs/design.md decides
  kObserved,     // implementations show it
};

inline constexpr std::array kLevels = {Level::kRequired, Level::kRecommended,
                                       Level::kDecision, Level::kObserved};

// "required", "recommended", "decision", "observed".
std::string_view LevelName(Level level);

// Whether expectations of this level can fail a case. What only the reference
// decided, or what implementations happen to do, is informational.
constexpr bool IsJudged(Level level) {
  return level == Level::kRequired || level == Level::kRecommended;
}

// Where a behaviour is documented: a source of sources.json and a stable anchor
// in it.
struct Citation {
  std::string source;
  std::string anchor;
};

// The relation that an observation must have to the expected value (for kError,
// the whole run).
enum class Relation {
  kEquals,             // the same value, numbers exactly
  kClose,              // |observed - value| <= atol + rtol * |value|
  kError,              // the program ends with an error of this class
  kSameOnAllReplicas,  // a list of equal entries, one per replica
  kMultipleOf,         // every number in it is a multiple of the value
  kSameMultiset,       // the same leaves, in any order and grouping
  kSameAs,             // equal to another observation or another run
  kDiffersFrom,        // not equal to another observation
  kEntriesDiffer,      // a list of which no two entries are equal
};

// "equals", "close", ...: the key of the relation in a case file.
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
  std::vector<std::string> at_steps;  // kError: one of them fails
  // kSameAs, kDiffersFrom: the observation to compare with, in a run whose
  // `given` has these fields replaced (an empty object: the same run).
  std::string other_observation;
  Json other_given = Json::object();
  // kSameAs: differences that rounding can explain are allowed (rounding.h).
  bool to_rounding = false;
  When when = {};  // judged only under these conventions; empty: always
  // The documented result under these conventions, which is not the promised
  // one. It replaces the other expectations of the observation (a kError: of
  // the run).
  bool departs = false;
  Level level = Level::kRequired;
  std::string because;
  // kSameOnAllReplicas: the number of replicas; nullopt: as given.
  std::optional<int64_t> replicas = {};
  // Not in the case file but added to every program (model_copies.h); judged if
  // the program runs to its end.
  bool is_implied = false;
};

struct Case {
  std::string id;  // "<area>/<topic>/<claim>"
  std::string topic;
  Level level = Level::kRequired;
  std::string states;
  std::vector<Citation> cites;
  Json given;
  bool of_intents = false;  // else of calls, by the steps of its program
  Json program;             // with placeholders, and with implied observations
  InputFields inputs = {};  // if an expectation estimates rounding
  std::vector<Expectation> expect;
  Json expect_json = nullptr;  // as in the file, then implied ones
};

// Whether `given` has a list of replica counts. The case runs once with each.
bool HasSeveralReplicaCounts(const Json& given);

// The documents, issue lists and implementations that cases cite.
class Sources {
 public:
  // Reads sources.json. Errors: NotFound, InvalidArgument with file and path.
  static Sources Load(const std::string& path);

  bool Contains(std::string_view id) const { return sources_.contains(id); }
  // "distributed_input 0Qb6nDgxiN_n (https://...)". REQUIRES:
  // Contains(citation.source).
  std::string Describe(const Citation& citation) const;
  // The URL of the issue or file that the anchor names, else that of the
  // source; for a file of the workspace "docs/design.md#streams". REQUIRES:
  // Contains(citation.source).
  std::string Link(const Citation& citation) const;

 private:
  const std::string& UrlOf(const Citation& citation) const;

  std::map<std::string, std::string, std::less<>> sources_;  // id -> URL
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_H_
