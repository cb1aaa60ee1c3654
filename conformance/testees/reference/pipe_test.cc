// The reference gives byte for byte the same answers in a separate process as in
// the process of the runner, for all cases.
#include <gtest/gtest.h>

#include <future>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/pipe/pipe_testee.h"
#include "conformance/runner/verdicts/run_cases.h"
#include "conformance/testees/reference/reference_testee.h"
#include "conformance/testees/reference/workers/workers_testee.h"

namespace lockstep::conformance {
namespace {

const std::vector<std::string> kCommand = {
    "conformance/testees/reference/pipe"};

std::vector<CaseResult> RunAll(const CaseLoader& loader, Testee& testee) {
  std::vector<const Case*> cases;
  for (const Case& conformance_case : loader.cases()) {
    cases.push_back(&conformance_case);
  }
  std::vector<CaseResult> results;
  RunCases(cases, {{&testee}}, loader.conventions().Complete({}),
           [&](const CaseResult& result) { results.push_back(result); });
  return results;
}

// The answer's bytes, but for what differs in any two runs: the program's
// folder, which messages name, and numbers that are drawn without a seed.
std::string Comparable(const RunResult& run, const Case& conformance_case) {
  Json answer = AnswerToJson(run.answer);
  if (answer.contains("error")) answer["error"].erase("message");
  const std::string program = conformance_case.program.dump();
  const auto has = [&](const char* text) {
    return program.find(text) != program.npos;
  };
  const bool draws = has("variable.create_random") ||
                     (has("\"draws\":true") && !has("\"seed\""));
  return draws ? "" : answer.dump();
}

TEST(PipeTest, DeclaresTheSame) {
  ReferenceTestee alone;
  WorkersTestee in_process(alone);
  PipeTestee piped(kCommand);
  EXPECT_EQ(in_process.Start(), piped.Start());
}

TEST(PipeTest, AnswersEveryCaseTheSame) {
  const CaseLoader loader = CaseLoader::OfFolder("conformance");
  ReferenceTestee alone;
  WorkersTestee in_process(alone);
  PipeTestee piped(kCommand);
  auto other =
      std::async(std::launch::async, [&] { return RunAll(loader, piped); });
  const std::vector<CaseResult> expected = RunAll(loader, in_process);
  const std::vector<CaseResult> results = other.get();
  ASSERT_EQ(results.size(), expected.size());
  ASSERT_GT(results.size(), 200u);
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string& id = expected[i].conformance_case->id;
    EXPECT_EQ(results[i].verdict, expected[i].verdict) << id;
    ASSERT_EQ(results[i].runs.size(), expected[i].runs.size()) << id;
    for (size_t run = 0; run < results[i].runs.size(); ++run) {
      EXPECT_EQ(
          Comparable(results[i].runs[run], *results[i].conformance_case),
          Comparable(expected[i].runs[run], *expected[i].conformance_case))
          << id;
    }
  }
}

}  // namespace
}  // namespace lockstep::conformance

int main(int argc, char** argv) {
  if (const auto ended = lockstep::conformance::ServeIfWorker(argc, argv)) {
    return *ended;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
