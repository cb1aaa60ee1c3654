#include "conformance/runner/verdicts/case_tests.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/verdicts/explain.h"
#include "conformance/runner/verdicts/run_case.h"

namespace lockstep {
namespace {

struct Options {
  std::string cases{kBuiltInCases};
  std::string sources = "conformance/sources.json";
  std::vector<std::string> operations = DocumentsIn("conformance");
  std::string conventions = "conformance/conventions.json";
  std::string target = "//conformance/...";
  std::vector<std::string> differs;
};

// What all tests of the program share.
struct Context {
  const Options& options;
  const CaseLoader& loader;
  Testee& testee;
  Dialect dialect;

  bool Differs(const std::string& id) const {
    return std::ranges::find(options.differs, id) != options.differs.end();
  }
};

class CaseTest : public testing::Test {
 public:
  CaseTest(const Case& conformance_case, const Context& context)
      : case_(conformance_case), context_(context) {}

  void TestBody() override {
    const bool differs = context_.Differs(case_.id);
    const CaseResult result = RunCase(case_, context_.testee, context_.dialect);
    const std::string rerun =
        fmt::format("./bazelw test {} --test_filter='*{}'",
                    context_.options.target, case_.id);
    if (IsDeviation(result.verdict) || (!differs && !result.matches)) {
      ADD_FAILURE() << ExplainResult(result, context_.loader.sources(), rerun);
    }
    if (differs && result.matches) {
      ADD_FAILURE() << case_.id
                    << " is named in --differs, but all its expectations hold.";
    }
  }

 private:
  const Case& case_;
  const Context& context_;
};

Options ReadOptions(int argc, char** argv) {
  Options options;
  CLI::App app("Runs conformance cases as tests.");
  app.add_option("--cases", options.cases);
  app.add_option("--sources", options.sources);
  app.add_option("--operations", options.operations);
  app.add_option("--conventions", options.conventions);
  app.add_option("--target", options.target);
  app.add_option("--differs", options.differs);
  app.parse(argc, argv);
  return options;
}

void CheckDiffers(const Options& options, const CaseLoader& loader) {
  for (const std::string& id : options.differs) {
    if (std::ranges::find(loader.cases(), id, &Case::id) ==
        loader.cases().end()) {
      throw InvalidArgument("[RunCaseTests] --differs names no case: {}", id);
    }
  }
}

int RunAll(int argc, char** argv, Testee& testee) {
  const Options options = ReadOptions(argc, argv);
  CaseLoader loader(Sources::Load(options.sources),
                    Operations::Load(options.operations),
                    Conventions::Load(options.conventions));
  loader.Load(options.cases);
  CheckDiffers(options, loader);
  const Context context{
      options, loader, testee,
      loader.conventions().Complete(testee.Start().conventions)};
  for (const Case& conformance_case : loader.cases()) {
    testing::RegisterTest(testee.Start().name.c_str(),
                          conformance_case.id.c_str(), nullptr, nullptr,
                          __FILE__, __LINE__,
                          [&conformance_case, &context]() -> testing::Test* {
                            return new CaseTest(conformance_case, context);
                          });
  }
  return RUN_ALL_TESTS();
}

}  // namespace

int RunCaseTests(int argc, char** argv, Testee& testee) {
  testing::InitGoogleTest(&argc, argv);
  try {
    return RunAll(argc, argv, testee);
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}

}  // namespace lockstep
