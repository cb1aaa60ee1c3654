#include "conformance/runner/commands/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "conformance/runner/answers/record_answers.h"
#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/cases/case_selection.h"
#include "conformance/runner/commands/answer_files.h"
#include "conformance/runner/commands/conclude.h"
#include "conformance/runner/commands/run_options.h"
#include "conformance/runner/commands/run_suite.h"
#include "conformance/runner/commands/user_paths.h"
#include "conformance/runner/output/report_files.h"
#include "conformance/runner/pipe/process_usage.h"
#include "conformance/runner/probe/probe.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/text/json_file.h"
#include "conformance/runner/text/name_forms.h"
#include "conformance/runner/text/shell_word.h"
#include "reference/base/error.h"
#include "reference/base/terminal.h"
#include "reference/base/threads.h"

namespace lockstep {
namespace {

CaseLoader LoadCases(const RunOptions& options) {
  CaseLoader loader(Sources::Load(InputPath(options.sources)),
                    Operations::Load(InputPaths(options.operations)),
                    Conventions::Load(InputPath(options.conventions)));
  loader.Load(InputPath(options.cases));
  return loader;
}

// `deviations`: the list of a named testee, or empty. The name that a testee
// declares may be malformed.
std::string NameOf(const std::string& deviations,
                   const TesteeDeclaration& declaration) {
  if (!deviations.empty()) return deviations;
  return IsName(declaration.name) ? declaration.name : "testee";
}

std::string DeviationsPath(const RunOptions& options, const std::string& name) {
  return options.deviations.empty()
             ? SourcePath("conformance/deviations/" + name + ".json")
             : OutputPath(options.deviations);
}

// An implementation without a list is expected to pass every case. A list that
// the user names may have any name.
Deviations LoadOrNone(const RunOptions& options, const std::string& name) {
  const std::string path = DeviationsPath(options, name);
  if (!std::filesystem::exists(path)) return {.implementation = name};
  return LoadDeviations(path, /*any_name=*/!options.deviations.empty());
}

// The options that write the list. A testee without a name has none of its own.
std::string UpdateOptions(const RunOptions& options, bool has_list) {
  if (!options.deviations.empty()) {
    return ShellWord("--deviations=" + options.deviations) + " --update";
  }
  return has_list ? "--update" : "--deviations=NAME.json --update";
}

// Otherwise --update would write among the files of this program.
void CheckUpdate(const RunOptions& options, bool has_list) {
  if (!options.update || has_list || !options.deviations.empty()) return;
  throw InvalidArgument(
      "[Run] --update needs --deviations=NAME.json: only a testee of "
      "testees.json has a list of its own, got --testee={}",
      ShellWord(options.testee));
}

// `deviations`: the path of the list; `answers`: that of the answers, or empty.
ReportPaths PathsOf(const RunOptions& options, const std::string& deviations,
                    const std::string& answers) {
  const auto place = [](const std::string& path) {
    return path.empty() ? path : OutputPath(path);
  };
  return {.json = place(options.json),
          .junit = place(options.junit),
          .markdown = place(options.markdown),
          .deviations = options.update ? deviations : "",
          .answers = answers};
}

// Otherwise every case would have the same verdict for the same reason.
void CheckStarted(const std::string& testee, const Testee& started) {
  const std::optional<Answer> problem = started.StartProblem();
  if (!problem) return;
  throw Unavailable("[Run] testee '{}' does not start: {}\n{}", testee,
                    DescribeAnswer(*problem), StderrTailOf(*problem));
}

std::vector<Level> LevelsOf(const std::vector<std::string>& names) {
  std::vector<Level> levels;
  for (const std::string& name : names) {
    levels.push_back(*std::ranges::find(kLevels, name, LevelName));
  }
  return levels;
}

// Fills in what is known before the first case.
SuiteResult SuiteOf(const RunOptions& options, const Conventions& conventions,
                    const std::string& deviations,
                    const TesteeDeclaration& declaration) {
  SuiteResult suite;
  suite.settings = {.program = options.program,
                    .explain = options.explain,
                    .update = UpdateOptions(options, !deviations.empty()),
                    .testee = options.testee,
                    .cases = options.cases,
                    .selection = options.selection,
                    .enforced = LevelsOf(options.enforced),
                    .repeat = options.repeat,
                    .deadline_s = options.deadline_s};
  suite.declaration = declaration;
  suite.dialect = conventions.Complete(declaration.conventions);
  suite.name = NameOf(deviations, declaration);
  suite.deviations = LoadOrNone(options, suite.name);
  return suite;
}

SuiteResult Prepare(const RunOptions& options, const Conventions& conventions,
                    const ChosenTestee& chosen, Testee& testee) {
  const TesteeDeclaration& declaration = testee.Start();
  CheckStarted(options.testee, testee);
  return SuiteOf(options, conventions, chosen.deviations, declaration);
}

// Starts all testees in parallel, because a framework takes seconds to start.
// Errors of the others are ignored: RunCases starts them again and reports
// them.
SuiteResult PrepareAll(const RunOptions& options,
                       const Conventions& conventions,
                       const ChosenTestee& chosen,
                       const std::vector<std::unique_ptr<Testee>>& testees) {
  const ThreadGroup others(
      "Run", static_cast<int>(testees.size()) - 1,
      [&](int index) {
        try {
          testees[index + 1]->Start();
        } catch (...) {
          // RunCases starts it again.
        }
      },
      [] {});
  return Prepare(options, conventions, chosen, *testees.front());
}

// `at_once`: the number of testees that run in parallel.
TesteeLimits LimitsOf(const RunOptions& options, int at_once,
                      std::function<bool()> interrupted) {
  constexpr double kGiB = int64_t{1} << 30;
  const int64_t memory = options.memory_gib
                             ? static_cast<int64_t>(*options.memory_gib * kGiB)
                             : HalfOfAllMemory() / at_once;
  return {
      .start_deadline_s = options.start_deadline_s,
      .deadline_s = options.deadline_s,
      .process = {.memory = memory,
                  .processes = options.processes,
                  .output = static_cast<int64_t>(options.output_gib * kGiB)},
      .interrupted = std::move(interrupted)};
}

CaseIds IdsOf(const CaseLoader& loader, const RunOptions& options) {
  CaseIds ids{.all = {}, .is_partial = options.IsPartial()};
  for (const Case& conformance_case : loader.cases()) {
    ids.all.push_back(conformance_case.id);
  }
  return ids;
}

int List(const std::vector<const Case*>& cases) {
  for (const Case* conformance_case : cases) {
    std::cout << conformance_case->id << " "
              << LevelName(conformance_case->level) << "\n";
  }
  return kAsExpected;
}

// Whether cases with several workers run on a separate testee, so that other
// cases do not wait for them.
bool NeedsMultiWorkerTestee(const RunOptions& options,
                            const std::vector<const Case*>& cases) {
  return options.jobs > 1 && std::ranges::any_of(cases, [](const Case* one) {
           return IsMultiWorker(*one);
         });
}

TesteePool AtOnce(const std::vector<std::unique_ptr<Testee>>& owned, int jobs) {
  TesteePool testees;
  for (const auto& one : owned) testees.general.push_back(one.get());
  if (testees.general.size() > static_cast<size_t>(jobs)) {
    testees.multi_worker = testees.general.back();
    testees.general.pop_back();
  }
  return testees;
}

constexpr const char* kConformance = "conformance";
constexpr const char* kAnswers = "conformance/answers";

// The file of answers to read: the given one, or the testee's newest.
std::string AnswersPath(const RunOptions& options) {
  if (!options.judge.empty() && options.judge != kNewestAnswers) {
    return InputPath(options.judge);
  }
  const std::string newest =
      NewestAnswers(SourcePath(kAnswers), options.testee);
  return newest.empty() ? NewestAnswers(kAnswers, options.testee) : newest;
}

// The file to record answers to; empty if they are not recorded.
std::string RecordPath(const RunOptions& options, const SuiteResult& suite) {
  if (options.record.empty()) return "";
  if (options.record != kNewestAnswers) return OutputPath(options.record);
  // Testees that share a list have separate answers.
  const std::string folder = SourcePath(fmt::format(
      "{}/{}", kAnswers, IsName(options.testee) ? options.testee : suite.name));
  std::filesystem::create_directories(folder);
  return fmt::format("{}/{}.json", folder,
                     VersionIn(suite.declaration.implementation));
}

Provenance ProvenanceOf(const RunOptions& options, const TesteeTable& table) {
  return ProvenanceNow(table.Find(options.testee) ? options.testee : "");
}

// Compares the results with the expected ones, writes the reports, and prints
// the conclusion. `deviations`: the path of the list.
int Finish(const RunOptions& options, const CaseIds& ids,
           const std::string& deviations, const Sources& sources,
           SuiteResult& suite, ReportFiles& files) {
  suite.unexpected = suite.Check(suite.records, ids);
  files.Write(suite, sources);
  return options.update ? ConcludeUpdate(suite, ids, deviations, files)
                        : Conclude(suite);
}

int Judge(const RunOptions& options, const CaseLoader& loader,
          const std::vector<const Case*>& cases, const TesteeTable& table) {
  const std::string path = AnswersPath(options);
  if (path.empty()) {
    throw NotFound(
        "[Run] there are no answers of testee '{}' in {}: record them with "
        "--record, or name a file with --judge=FILE",
        options.testee, kAnswers);
  }
  const AnswerStore store = LoadAnswers(path);
  const NamedTestee* named =
      table.Find(options.judge == kNewestAnswers ? options.testee
                                                 : store.declaration.name);
  CheckUpdate(options, named);
  SuiteResult suite =
      SuiteOf(options, loader.conventions(), named ? named->deviations : "",
              store.declaration);
  const std::string deviations = DeviationsPath(options, suite.name);
  ReportFiles files(PathsOf(options, deviations, ""));
  const SameAnswers same_answers(kConformance, loader.conventions());
  JudgeSuite(cases, store, ProvenanceOf(options, table),
             {.sources = loader.sources(),
              .same_answers = same_answers,
              .verbose = options.verbose},
             suite);
  CaseIds ids = IdsOf(loader, options);
  ids.is_partial |= !suite.not_answered.empty();
  return Finish(options, ids, deviations, loader.sources(), suite, files);
}

// Records the answers of the run. Those of other cases in the file stay.
void Record(const SuiteResult& suite, const CaseIds& ids, Provenance provenance,
            const std::string& path, ReportFiles& files) {
  AnswerStore store = LoadAnswersOrNone(path);
  provenance.date = suite.started;
  RecordAnswers(suite.records, suite.declaration, provenance, store);
  KeepAnswersOf({ids.all.begin(), ids.all.end()}, store);
  files.WriteAnswers(AnswersToText(store));
  std::cout << fmt::format("wrote the answers of {} cases to {}\n",
                           store.cases.size(), path);
}

// A signal ends this process, and with it the testee.
int Probe(const RunOptions& options, const CaseLoader& loader,
          const std::vector<const Case*>& cases) {
  const TesteeCommand command = FindCommand(
      options.testee, TesteeTable::Load(InputPath(options.testees)));
  const bool is_right =
      ProbeTestee({.command = command.words,
                   .files = command.files,
                   .start_deadline = Milliseconds(options.start_deadline_s),
                   .deadline = Milliseconds(options.deadline_s),
                   .limits = LimitsOf(options, 1, {}).process,
                   .verbose = options.verbose},
                  {.cases = cases,
                   .operations = loader.operations(),
                   .conventions = loader.conventions()},
                  std::cout);
  return is_right ? kAsExpected : kNotAsExpected;
}

int Run(const RunOptions& options, const TesteeFactories& in_process) {
  const CaseLoader loader = LoadCases(options);
  std::vector<const Case*> cases =
      SelectCases(loader.cases(), options.selection);
  if (options.list) return List(cases);
  if (options.probe) return Probe(options, loader, cases);
  const TesteeTable table = TesteeTable::Load(InputPath(options.testees));
  if (!options.judge.empty()) return Judge(options, loader, cases, table);
  // Until there are results, a signal ends this process.
  std::optional<InterruptScope> interrupt;
  const auto interrupted = [&] { return interrupt && interrupt->requested(); };
  const bool apart = NeedsMultiWorkerTestee(options, cases);
  const int at_once = options.jobs + (apart ? 1 : 0);
  const ChosenTestee chosen =
      ChooseTestee(options.testee, LimitsOf(options, at_once, interrupted),
                   in_process, table);
  CheckUpdate(options, !chosen.deviations.empty());
  std::vector<std::unique_ptr<Testee>> owned;
  for (int n = 0; n < options.jobs; ++n) owned.push_back(chosen.make());
  SuiteResult suite = PrepareAll(options, loader.conventions(), chosen, owned);
  if (apart && suite.declaration.workers > 0) owned.push_back(chosen.make());
  Provenance provenance;
  if (!options.record.empty() || options.stale) {
    provenance = ProvenanceOf(options, table);
  }
  if (options.stale) {
    cases = StaleCases(cases, LoadAnswersOrNone(AnswersPath(options)),
                       suite.dialect, provenance);
    if (cases.empty()) {
      std::cout << "no case is stale: nothing was run\n";
      return kAsExpected;
    }
  }
  // Answers that are recorded again are not compared with the earlier ones.
  if (options.record.empty()) {
    suite.recorded = RecordedIn(AnswersPath(options), cases, suite.declaration,
                                suite.dialect);
  }
  const std::string deviations = DeviationsPath(options, suite.name);
  const std::string answers = RecordPath(options, suite);
  ReportFiles files(PathsOf(options, deviations, answers));
  const SameAnswers same_answers(kConformance, loader.conventions());
  interrupt.emplace();
  RunSuite(cases, AtOnce(owned, options.jobs),
           {.sources = loader.sources(),
            .same_answers = same_answers,
            .verbose = options.verbose,
            .interrupted = interrupted},
           suite);
  CaseIds ids = IdsOf(loader, options);
  ids.is_partial |= !suite.complete;
  if (!answers.empty()) Record(suite, ids, provenance, answers, files);
  return Finish(options, ids, deviations, loader.sources(), suite, files);
}

}  // namespace

int RunCommandLine(int argc, char** argv, const TesteeFactories& in_process) {
  RunOptions options;
  CLI::App app("Runs conformance cases against an implementation.", "run");
  DescribeRunOptions(app, options);
  return RunProgram(
      [&] {
        const auto status = ParseCommandLine(app, argc, argv);
        options.program = CommandForUser("//conformance:run", argv[0]);
        options.explain = ExplainCommandForUser(argv[0]);
        return status ? *status : Run(options, in_process);
      },
      kCouldNotRun);
}

}  // namespace lockstep
