// A finished run for the tests of what is written about it.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_SUITE_TESTING_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_SUITE_TESTING_H_

#include <cstdlib>
#include <fstream>
#include <string>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/deviations/case_testing.h"
#include "conformance/runner/output/suite_result.h"

namespace lockstep {

inline Sources ExampleSources() {
  const std::string path =
      std::string(std::getenv("TEST_TMPDIR")) + "/sources.json";
  std::ofstream(path)
      << R"({"sources": [{"id": "guide", "url": "https://example.org/"}]})";
  return Sources::Load(path);
}

// Of the testee mini: a case for each way a result can be, in two topics.
struct ExampleSuite {
  ExampleSuite() {
    suite.name = "mini";
    suite.settings.program = "./bazelw run //conformance:run --";
    suite.settings.testee = "mini";
    suite.settings.cases = "conformance/cases";
    suite.declaration.implementation = "Mini 1.2";
    suite.declaration.language = "c++";
    suite.declaration.devices = {"CPU"};
    suite.declaration.conventions = {{"remainder", "pad"}};
    suite.dialect = {{"remainder", "pad"}, {"sum_or_mean", "sum"}};
    for (const Records* records : {&all, &advice, &informational}) {
      suite.records.insert(suite.records.end(), records->records.begin(),
                           records->records.end());
    }
    suite.started = "2026-11-21T18:50:00Z";
    suite.seconds = 1.5;
    suite.deviations.implementation = "mini";
    suite.deviations.entries = {Listed("a/one/listed"),
                                Listed("a/one/listed_but_passes"),
                                Listed("x/y/no_case")};
    FindUnexpectedAgain();
  }

  // After a change of `suite.settings.enforced`.
  void FindUnexpectedAgain() {
    CaseIds ids;
    for (const CaseRecord& record : suite.records) {
      ids.all.push_back(record.id());
    }
    suite.unexpected = suite.Check(suite.records, ids);
  }

  static Deviation Listed(const std::string& id) {
    return {.kind = "defect",
            .reason = "It adds <one> too many.",
            .references = {"https://example.org/1"},
            .script = "conformance/defects/mini/adds.py",
            .cases = {id},
            .place = "mini.json at $.deviations"};
  }

  const Records all{{{"a/one/fails", Observe(3)},
                     {"a/one/listed", Observe(2)},
                     {"a/one/listed_but_passes", Observe(1)},
                     {"a/two/crashes", Crashed{"SIGBUS", "last words"}},
                     {"a/two/passes", Observe(1)}}};
  const Records advice{{{"b/advice/heeded", Observe(1)},
                        {"b/advice/heeded_too", Observe(1)},
                        {"b/advice/not_heeded", Observe(2)}},
                       Level::kRecommended};
  const Records informational{{{"b/informational/other", Observe(2)},
                               {"b/informational/same", Observe(1)}},
                              Level::kObserved};
  SuiteResult suite;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_SUITE_TESTING_H_
