#include "conformance/testees/miniatures/passed_for_nothing.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/pipe/pipe_testee.h"
#include "conformance/runner/verdicts/run_case.h"
#include "conformance/testees/miniatures/one_replica.h"
#include "conformance/testees/reference/reference_testee.h"

namespace lockstep {
namespace {

const CaseLoader& Catalogue() {
  static const CaseLoader loader = CaseLoader::OfFolder("conformance");
  return loader;
}

// Runs each request of a case once on the other testee, and repeats its
// answers.
class CachingTestee : public Testee {
 public:
  explicit CachingTestee(Testee& testee) : testee_(testee) {}

  const TesteeDeclaration& Start() override { return testee_.Start(); }
  Answer Run(const Request& request) override {
    const std::string key = request.given.dump() + request.program.dump();
    const auto found = answers_.find(key);
    if (found != answers_.end()) return found->second;
    return answers_[key] = testee_.Run(request);
  }

 private:
  Testee& testee_;
  std::map<std::string, Answer> answers_;
};

// Convention -> all its values.
std::map<std::string, std::vector<std::string>> ValuesOfConventions() {
  std::map<std::string, std::vector<std::string>> values;
  const Json file = ReadJsonFile("conformance/conventions.json");
  for (const Json& convention : file["conventions"]) {
    for (const Json& value : convention["values"]) {
      values[convention["id"]].push_back(value["id"]);
    }
  }
  return values;
}

// All dialects for the conventions that the case uses.
std::vector<Dialect> DialectsOf(const Case& conformance_case) {
  static const auto values = ValuesOfConventions();
  std::set<std::string> used;
  for (const Expectation& expectation : conformance_case.expect) {
    for (const auto& [id, values] : expectation.when) used.insert(id);
  }
  std::vector<Dialect> dialects{{}};
  for (const std::string& id : used) {
    std::vector<Dialect> wider;
    for (const Dialect& dialect : dialects) {
      for (const std::string& value : values.at(id)) {
        wider.push_back(dialect);
        wider.back()[id] = value;
      }
    }
    dialects = std::move(wider);
  }
  return dialects;
}

bool Scores(const CaseResult& result) {
  return result.verdict == Verdict::kPassed ||
         (result.verdict == Verdict::kWarned &&
          result.conformance_case->level == Level::kRequired);
}

bool Passes(const Case& conformance_case, Testee& testee) {
  CachingTestee caching(testee);
  return std::ranges::any_of(
      DialectsOf(conformance_case), [&](const Dialect& declared) {
        return Scores(RunCase(conformance_case, caching,
                              Catalogue().conventions().Complete(declared)));
      });
}

bool NeedsSeveral(const Case& conformance_case) {
  if (!conformance_case.given.contains("replicas")) return false;
  const Json& replicas = conformance_case.given["replicas"];
  return replicas.is_array() || replicas != 1;
}

}  // namespace

std::set<std::string> PassedByNull(const std::string& name) {
  PipeTestee testee({"/usr/bin/python3", "-S",
                     "conformance/testees/miniatures/nulls.py", name});
  std::set<std::string> passed;
  for (const Case& conformance_case : Catalogue().cases()) {
    if (Passes(conformance_case, testee)) passed.insert(conformance_case.id);
  }
  return passed;
}

std::set<std::string> PassedByOneReplica() {
  conformance::ReferenceTestee reference;
  OneReplicaTestee testee(reference);
  std::set<std::string> passed;
  for (const Case& conformance_case : Catalogue().cases()) {
    if (NeedsSeveral(conformance_case) && Passes(conformance_case, testee)) {
      passed.insert(conformance_case.id);
    }
  }
  return passed;
}

}  // namespace lockstep
