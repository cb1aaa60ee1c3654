#include "conformance/runner/command_line.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "conformance/runner/case_loader.h"
#include "conformance/runner/explain.h"
#include "conformance/runner/report.h"
#include "conformance/runner/run_cases.h"
#include "reference/base/atomic_file.h"

namespace lockstep {
namespace {

constexpr int kPassed = 0;
constexpr int kNotPassed = 1;
constexpr int kCouldNotRun = 2;

struct Options {
  std::string testee = "reference";
  std::string cases = "conformance/cases";
  std::string sources = "conformance/sources.json";
  std::string operations = "conformance/operations.md";
  std::string filter = "*";
  std::string json;
  std::string markdown;
  bool verbose = false;
};

void Describe(CLI::App& app, Options& options) {
  app.option_defaults()->always_capture_default();
  app.add_option("--testee", options.testee, "implementation to test");
  app.add_option("--cases", options.cases, "file or folder of cases");
  app.add_option("--sources", options.sources, "what cases cite");
  app.add_option("--operations", options.operations, "the steps");
  app.add_option("--filter", options.filter, "ids to run, with * and ?");
  app.add_option("--json", options.json, "write the results here as JSON");
  app.add_option("--markdown", options.markdown,
                 "write the results here as Markdown");
  app.add_flag("--verbose", options.verbose, "a line for every case");
}

// `bazel run` starts in a folder of its own; people mean the one they are in.
std::string FromWhereTheUserIs(const std::string& path) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (!folder || std::filesystem::exists(path)) return path;
  return (std::filesystem::path(folder) / path).string();
}

std::vector<const Case*> Select(const CaseLoader& loader,
                                const std::string& filter) {
  std::vector<const Case*> selected;
  for (const Case& conformance_case : loader.cases()) {
    if (fnmatch(filter.c_str(), conformance_case.id.c_str(), 0) == 0) {
      selected.push_back(&conformance_case);
    }
  }
  if (selected.empty()) {
    throw NotFound("[Run] no case is called like '{}'", filter);
  }
  return selected;
}

void Tell(const CaseResult& result, const Options& options,
          const Sources& sources) {
  const bool plain =
      result.verdict == Verdict::kPassed && !result.observed_differently;
  const std::string& id = result.conformance_case->id;
  if (!plain) {
    std::cout << ExplainResult(result, sources,
                               RerunCommand(options.testee, id));
  } else if (options.verbose) {
    std::cout << id << ": passed\n";
  }
}

void WriteFile(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.Append(text);
  file.Commit();
}

void WriteReports(const std::vector<CaseResult>& results,
                  const Options& options, const Sources& sources) {
  if (!options.json.empty()) {
    WriteJsonFile(FromWhereTheUserIs(options.json),
                  ToJson(results, options.testee));
  }
  if (!options.markdown.empty()) {
    WriteFile(FromWhereTheUserIs(options.markdown),
              ToMarkdown(results, options.testee, sources));
  }
}

int Run(const Options& options, const TesteeMakers& makers) {
  const auto maker = makers.find(options.testee);
  if (maker == makers.end()) {
    throw NotFound("[Run] there is no testee '{}'", options.testee);
  }
  CaseLoader loader(Sources::Load(FromWhereTheUserIs(options.sources)),
                    LoadStepNames(FromWhereTheUserIs(options.operations)));
  loader.Load(FromWhereTheUserIs(options.cases));
  const std::unique_ptr<Testee> testee = maker->second();
  const std::vector<CaseResult> results =
      RunCases(Select(loader, options.filter), *testee, {},
               [&](const CaseResult& result) {
                 Tell(result, options, loader.sources());
               });
  WriteReports(results, options, loader.sources());
  std::cout << Summary(results) << "\n";
  const VerdictCounts counts = CountVerdicts(results);
  return counts.at(Verdict::kPassed) == static_cast<int>(results.size())
             ? kPassed
             : kNotPassed;
}

}  // namespace

int RunCommandLine(int argc, char** argv, const TesteeMakers& makers) {
  Options options;
  CLI::App app("Puts conformance cases to an implementation.");
  Describe(app, options);
  try {
    app.parse(argc, argv);
    return Run(options, makers);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kPassed : kCouldNotRun;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return kCouldNotRun;
  }
}

}  // namespace lockstep
