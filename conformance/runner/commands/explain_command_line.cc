#include "conformance/runner/commands/explain_command_line.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <map>
#include <system_error>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "conformance/runner/answers/judge_answers.h"
#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/commands/answer_files.h"
#include "conformance/runner/commands/choose_testee.h"
#include "conformance/runner/commands/user_paths.h"
#include "conformance/runner/deviations/case_record.h"
#include "conformance/runner/text/json_file.h"
#include "conformance/runner/text/similar_names.h"
#include "conformance/runner/verdicts/explain.h"
#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep {

int RunProgram(const std::vector<std::string>& command) {
  LOCKSTEP_CHECK(!command.empty());
  std::vector<char*> argv;
  for (const std::string& word : command) {
    argv.push_back(const_cast<char*>(word.c_str()));  // posix_spawnp's type
  }
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ);
  if (error != 0) {
    throw NotFound("[RunProgram] cannot start {}: {}", command[0],
                   std::generic_category().message(error));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) LOCKSTEP_CHECK(errno == EINTR);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

namespace {

namespace fs = std::filesystem;

std::vector<std::string> JsonFilesIn(const std::string& folder) {
  if (!fs::is_directory(folder)) {
    throw NotFound("[FindKnownResults] there is no folder {}", folder);
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path().string());
    }
  }
  return files;
}

// The answer of a run that deviates: what it observed, its error, or the
// unsupported step.
void ReadAnswer(const JsonCursor& run, KnownResult& known) {
  for (const char* answer : {"observations", "error"}) {
    const auto found = run.Find(answer);
    if (found) known.observed = {{answer, found->json()}};
  }
  if (const auto unsupported = run.Find("unsupported")) {
    known.unsupported = {{.step = (*unsupported)["step"].String(),
                          .reason = (*unsupported)["reason"].String()}};
  }
}

void ReadResult(const std::string& path, const std::string& case_id,
                KnownResult& known) {
  const Json json = ReadJsonFile(path);
  const JsonCursor root(json, path, "ReadResults");
  for (const JsonCursor& result : root["cases"].Items()) {
    if (result["id"].String() != case_id) continue;
    known.verdict = result["verdict"].String();
    known.version =
        fmt::format("{}, {}", root["testee"]["implementation"].String(),
                    root["started"].String().substr(0, 10));
    const auto runs = result.Find("runs");
    if (!runs) continue;
    for (const JsonCursor& run : runs->Items()) {
      if (run["verdict"].String() != *known.verdict) continue;
      if (*known.verdict != "passed") ReadAnswer(run, known);
      break;
    }
  }
}

std::string Line(std::string_view label, const std::string& text) {
  if (text.empty()) return "";
  return fmt::format("    {:<10}{}\n", label, text);
}

// Adds the steps of a program and its blocks that the list names as
// unsupported.
void CollectUnsupported(const Json& program, const Deviations& deviations,
                        std::vector<Unsupported>& steps) {
  for (const Json& step : program) {
    const std::string name = step["step"].get<std::string>();
    if (deviations.FindStep(name) &&
        std::ranges::find(steps, name, &Unsupported::step) == steps.end()) {
      steps.push_back({.step = name, .reason = ""});
    }
    if (step.contains("program")) {
      CollectUnsupported(step["program"], deviations, steps);
    }
  }
}

std::string DescribeUnsupported(const std::vector<Unsupported>& steps) {
  std::string text;
  for (const Unsupported& unsupported : steps) {
    const char* between =
        unsupported.step.empty() || unsupported.reason.empty() ? "" : ": ";
    text += Line("missing", unsupported.step + between + unsupported.reason);
  }
  return text;
}

}  // namespace

std::vector<KnownResult> FindKnownResults(const Case& conformance_case,
                                          const std::string& deviations_folder,
                                          const std::string& results_folder) {
  const std::string& case_id = conformance_case.id;
  std::map<std::string, KnownResult> known;
  for (const std::string& path : JsonFilesIn(deviations_folder)) {
    const Deviations deviations = LoadDeviations(path);
    KnownResult& result = known[deviations.implementation];
    const Deviation* entry = deviations.Find(case_id);
    if (entry) result.deviation = *entry;
    CollectUnsupported(conformance_case.program, deviations,
                       result.unsupported);
  }
  if (!results_folder.empty()) {
    for (const std::string& path : JsonFilesIn(results_folder)) {
      ReadResult(path, case_id, known[fs::path(path).stem().string()]);
    }
  }
  std::vector<KnownResult> results;
  for (auto& [name, result] : known) {
    result.implementation = name;
    results.push_back(std::move(result));
  }
  return results;
}

void AddRecordedAnswers(const Case& conformance_case,
                        const Conventions& conventions,
                        const std::string& answers_folder, KnownResult& known) {
  const std::string path = NewestAnswers(answers_folder, known.implementation);
  if (known.verdict || path.empty()) return;
  const AnswerStore store = LoadAnswers(path);
  const JudgedAnswers judged =
      JudgeAnswers({&conformance_case}, store,
                   conventions.Complete(store.declaration.conventions));
  if (judged.results.empty()) return;
  const CaseResult& result = judged.results.front();
  known.verdict = VerdictName(result.verdict);
  known.version = store.declaration.implementation;
  if (store.cases.contains(conformance_case.id)) {
    known.version += fmt::format(
        ", {}", store.ProvenanceOf(conformance_case.id).date.substr(0, 10));
  }
  known.unsupported = UnsupportedIn(result);
  if (MayBeListed(result.verdict) && known.unsupported.empty()) {
    known.observed = ActualOutcome(result);
  }
}

std::string DescribeKnownResult(const KnownResult& known) {
  std::string text = fmt::format("  {}: ", known.implementation);
  if (known.verdict) {
    text += fmt::format("{} ({})\n", *known.verdict, known.version);
  } else if (known.deviation) {
    text += "deviates\n";
  } else if (known.unsupported.empty()) {
    return text + "no deviation is known\n";
  } else {
    text += "these steps, or some of their arguments, are unsupported:\n";
  }
  if (!known.observed.is_null()) {
    text += Line("observed", OneLineJson(known.observed));
  }
  if (!known.deviation) return text + DescribeUnsupported(known.unsupported);
  const Deviation& entry = *known.deviation;
  text += Line("kind", entry.kind) + Line("reason", entry.reason);
  for (const std::string& reference : entry.references) {
    text += Line("reference", reference);
  }
  return text + Line("shown by", entry.script);
}

namespace {

constexpr int kCouldNot = 2;

constexpr const char* kExamples = R"(
Examples:
  ./bazelw run //conformance:explain -- input/rebatch/last_global_batch_is_split
  ./bazelw run //conformance:explain -- last_global_batch     (the ids that contain this)
  ./bazelw run //conformance:explain -- CASE --as=tensorflow  (shows TensorFlow's deviation)
  ./bazelw run //conformance:explain -- CASE --results=FOLDER (stored by //conformance:run --json)
)";

struct Options {
  std::string case_id;
  std::string as;
  std::string folder = "conformance";
  std::string results;
};

void Describe(CLI::App& app, Options& options) {
  app.footer(kExamples);
  app.add_option("case", options.case_id, "its id, or part of it")->required();
  app.add_option(
      "--as", options.as,
      "implementation whose deviation to show, by running its script");
  app.add_option("--folder", options.folder,
                 "folder with cases, sources.json, operations.md, intents.md, "
                 "conventions.json, deviations, answers")
      ->capture_default_str();
  app.add_option("--results", options.results,
                 "folder of stored results, <implementation>.json");
}

const Case& FindCase(const std::vector<Case>& cases, const std::string& words) {
  const Case* containing = nullptr;  // the last one whose id contains them
  int count = 0;
  std::vector<std::string> ids;
  for (const Case& conformance_case : cases) {
    if (conformance_case.id == words) return conformance_case;
    ids.push_back(conformance_case.id);
    if (conformance_case.id.find(words) == std::string::npos) continue;
    containing = &conformance_case;
    ++count;
  }
  if (count == 1) return *containing;
  std::string message = fmt::format("[Explain] there is no case '{}'", words);
  const std::vector<std::string> similar = SimilarNames(words, ids);
  if (!similar.empty()) message += "; did you mean one of these?";
  for (const std::string& id : similar) message += "\n  " + id;
  throw NotFound("{}", message);
}

// The script that shows the deviation of the implementation in the case.
std::string FindScript(const Options& options, const std::string& case_id,
                       const std::vector<KnownResult>& known) {
  const auto result =
      std::ranges::find(known, options.as, &KnownResult::implementation);
  if (result == known.end()) {
    throw NotFound("[Explain] unknown implementation '{}'", options.as);
  }
  if (!result->deviation || result->deviation->script.empty()) {
    throw NotFound("[Explain] {} has no {} for {}", options.as,
                   result->deviation ? "script" : "deviation", case_id);
  }
  const std::string script = InputPath(result->deviation->script);
  if (!std::filesystem::exists(script)) {
    throw NotFound("[Explain] {} names a script that does not exist: {}",
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
  std::vector<KnownResult> known = FindKnownResults(
      conformance_case, folder + "/deviations", options.results);
  if (!options.as.empty()) {
    return RunScript(FindScript(options, conformance_case.id, known));
  }
  std::cout << DescribeCase(conformance_case, loader.sources())
            << "known results\n";
  for (KnownResult& result : known) {
    AddRecordedAnswers(conformance_case, loader.conventions(),
                       folder + "/answers", result);
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
        if (!options.results.empty()) {
          options.results = InputPath(options.results);
        }
        return Explain(options);
      },
      kCouldNot);
}

}  // namespace lockstep
