#include "conformance/runner/commands/explain_command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "command_line/parse.h"
#include "command_line/run_program.h"
#include "conformance/runner/case_loader.h"
#include "conformance/runner/commands/frameworks_python.h"
#include "conformance/runner/commands/known_results.h"
#include "conformance/runner/commands/run_program.h"
#include "conformance/runner/commands/user_paths.h"
#include "conformance/runner/describe_case.h"

namespace lockstep {
namespace {

constexpr int kCouldNot = 2;
constexpr size_t kMostSuggestions = 10;

constexpr const char* kExamples = R"(
Examples:
  ./bazelw run //conformance:explain -- input/rebatch/last_global_batch_is_split
  ./bazelw run //conformance:explain -- last_global_batch     (the ids with these words)
  ./bazelw run //conformance:explain -- CASE --as=tensorflow  (shows TensorFlow's deviation)
)";

struct Options {
  std::string case_id;
  std::string as;
  std::string folder = "conformance";
  std::string results = "conformance/results";
};

void Describe(CLI::App& app, Options& options) {
  app.footer(kExamples);
  app.add_option("case", options.case_id, "its id, or words of it")->required();
  app.add_option("--as", options.as,
                 "implementation whose deviation is shown, by running its "
                 "script");
  app.add_option("--folder", options.folder,
                 "holds cases, sources.json, operations.md, conventions.json, "
                 "deviations")
      ->capture_default_str();
  app.add_option("--results", options.results,
                 "folder of kept results, <implementation>.json each")
      ->capture_default_str();
}

const Case& FindCase(const std::vector<Case>& cases, const std::string& words) {
  std::vector<const Case*> similar;
  for (const Case& conformance_case : cases) {
    if (conformance_case.id == words) return conformance_case;
    if (conformance_case.id.find(words) != std::string::npos) {
      similar.push_back(&conformance_case);
    }
  }
  if (similar.size() == 1) return *similar.front();
  std::string message = fmt::format("[Explain] there is no case '{}'", words);
  if (!similar.empty()) message += "; did you mean one of these?";
  for (size_t i = 0; i < std::min(similar.size(), kMostSuggestions); ++i) {
    message += "\n  " + similar[i]->id;
  }
  throw NotFound("{}", message);
}

// The script that shows how the implementation differs in the case.
std::string FindScript(const Options& options, const std::string& case_id,
                       const std::vector<KnownResult>& known) {
  const auto result =
      std::ranges::find(known, options.as, &KnownResult::implementation);
  if (result == known.end()) {
    throw NotFound("[Explain] nothing is known of an implementation '{}'",
                   options.as);
  }
  if (!result->deviation || result->deviation->repro.empty()) {
    throw NotFound("[Explain] {} has no {} for {}", options.as,
                   result->deviation ? "script" : "deviation", case_id);
  }
  const std::string script =
      options.folder + "/deviations/repro/" + result->deviation->repro;
  if (!std::filesystem::exists(script)) {
    throw NotFound("[Explain] {} names a script that is not there: {}",
                   result->deviation->place, script);
  }
  return script;
}

int RunScript(const std::string& script) {
  std::vector<std::string> command = {script};
  if (script.ends_with(".py")) command.insert(command.begin(), "{python}");
  command =
      ResolvePython(std::move(command), [] { return FrameworksPython(); });
  std::cout << "running " << fmt::format("{}", fmt::join(command, " "))
            << std::endl;
  return RunProgram(command);
}

int Explain(const Options& options) {
  const std::string& folder = options.folder;
  const CaseLoader loader = CaseLoader::OfFolder(folder);
  const Case& conformance_case = FindCase(loader.cases(), options.case_id);
  const std::vector<KnownResult> known = FindKnownResults(
      conformance_case.id, folder + "/deviations", options.results);
  if (!options.as.empty()) {
    return RunScript(FindScript(options, conformance_case.id, known));
  }
  std::cout << DescribeCase(conformance_case, loader.sources())
            << "known results\n";
  for (const KnownResult& result : known) {
    std::cout << DescribeKnownResult(result);
  }
  return 0;
}

}  // namespace

int ExplainCommandLine(int argc, char** argv) {
  Options options;
  CLI::App app("Explains a conformance case.", "explain");
  Describe(app, options);
  return RunProgram(
      [&] {
        if (const auto status = ParseCommandLine(app, argc, argv)) {
          return *status;
        }
        options.folder = InputPath(options.folder);
        options.results = InputPath(options.results);
        return Explain(options);
      },
      kCouldNot);
}

}  // namespace lockstep
