#include "conformance/runner/commands/run_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "command_line/parse.h"

namespace lockstep {
namespace {

constexpr int kMaxJobs = 256;

constexpr const char* kExamples = R"(
Examples:
  ./bazelw run //conformance:run                                  every case, the reference
  ./bazelw run //conformance:run -- --testee=tensorflow --json=tensorflow.json
  ./bazelw run //conformance:run -- --testee="python3 my_testee.py" --filter='input/*'
  ./bazelw run //conformance:run -- --cases=my_cases --junit=results.xml
  ./bazelw run //conformance:run -- --level=required --area=loss,metrics --list
  ./bazelw run //conformance:run -- --enforce=recommended         recommendations must hold too
  ./bazelw run //conformance:run -- --testee=tensorflow --update  bring its list of deviations up to date
  ./bazelw run //conformance:run -- --testee=jax --jobs=8         eight processes at a time
  ./bazelw run //conformance:run -- --testee=jax --record --stale   run again what has changed
  ./bazelw run //conformance:run -- --testee=jax --judge          judge what it answered before
  ./bazelw run //conformance:run -- --repeat=100                  do any results vary?
  ./bazelw run //conformance:run -- --probe --testee='python3 my_testee.py'   while you write it

Exit status: 0 everything is as expected, 1 something is not, 2 it could not run to the end.
conformance/deviations/<implementation>.json lists the known deviations of an implementation.
)";

std::vector<std::string> LevelNames() {
  std::vector<std::string> names;
  for (const Level level : kLevels) names.emplace_back(LevelName(level));
  return names;
}

// "2/4". Errors: CLI::ValidationError.
void ReadShard(const std::string& text, CaseSelection& selection) {
  const char* end = text.data() + text.size();
  const auto shard = std::from_chars(text.data(), end, selection.shard);
  const bool divided =
      shard.ec == std::errc{} && shard.ptr != end && *shard.ptr == '/';
  const auto shards =
      divided ? std::from_chars(shard.ptr + 1, end, selection.shards) : shard;
  if (!divided || shards.ec != std::errc{} || shards.ptr != end ||
      selection.shard < 1 || selection.shards > kMaxShards ||
      selection.shard > selection.shards) {
    throw CLI::ValidationError(
        "--shard", fmt::format("wanted I/N with I from 1 to N and N at most "
                               "{}, got '{}'",
                               kMaxShards, text));
  }
}

void DescribeSelection(CLI::App& app, CaseSelection& selection) {
  app.add_option("--filter", selection.filter, "ids to run, with * and ?")
      ->capture_default_str();
  app.add_option("--level", selection.levels,
                 "levels to run, separated by commas [all]")
      ->delimiter(',')
      ->check(CLI::IsMember(LevelNames()));
  app.add_option("--area", selection.areas,
                 "areas to run, as input or loss, separated by commas [all]")
      ->delimiter(',');
  app.add_option_function<std::string>(
         "--shard",
         [&selection](const std::string& text) { ReadShard(text, selection); },
         "run a part of them: 2/4 is the second of four parts")
      ->type_name("I/N");
}

void DescribeWhatToRun(CLI::App& app, RunOptions& options) {
  app.add_option("--testee", options.testee,
                 "implementation to test: a name of testees.json, or a command "
                 "that speaks the pipe protocol")
      ->capture_default_str();
  app.add_option("--cases", options.cases, "file or folder of cases")
      ->capture_default_str();
  app.add_flag("--judge{newest}", options.judge,
               "run nothing: judge the answers in this file "
               "[the newest in conformance/answers/<testee>/]")
      ->type_name("FILE");
  app.add_flag(
      "--stale", options.stale,
      "only cases without a stored answer of the testee, or whose answer "
      "is outdated because the testee or its packages changed");
  DescribeSelection(app, options.selection);
  app.add_option("--enforce", options.enforced,
                 "levels whose expectations must hold in addition to the "
                 "required ones, separated by commas [none]")
      ->delimiter(',')
      ->check(CLI::IsMember(LevelNames()));
  app.add_flag("--list", options.list,
               "print the cases that would run, with their levels, and exit");
  app.add_option("--start_deadline", options.start_deadline_s,
                 "seconds that a testee has to declare itself")
      ->check(RealNumber(0.001, 1e6))
      ->capture_default_str();
  app.add_option("--deadline", options.deadline_s,
                 "seconds that a testee has for each answer")
      ->check(RealNumber(0.001, 1e6))
      ->capture_default_str();
  app.add_option("--memory", options.memory_gib,
                 "GiB of memory for a testee and its child processes [half of "
                 "the machine's, divided by --jobs]")
      ->check(RealNumber(0.001, 1e6));
  app.add_option("--processes", options.processes,
                 "most processes of a testee, with its child processes")
      ->check(WholeNumber(1, 1000000))
      ->capture_default_str();
  app.add_option("--output", options.output_gib,
                 "GiB that a testee may write to stderr, and to files")
      ->check(RealNumber(1e-6, 1e6))
      ->capture_default_str();
  app.add_option("--repeat", options.repeat,
                 "how often to run every case; one with varying results fails")
      ->check(WholeNumber(1, 1000000))
      ->capture_default_str();
  app.add_option(
         "--jobs", options.jobs,
         "testee processes that run in parallel; from 2 on there is one "
         "more for programs with several workers")
      ->check(WholeNumber(1, kMaxJobs))
      ->capture_default_str();
}

void DescribeOutput(CLI::App& app, RunOptions& options) {
  app.add_option("--json", options.json, "write the results here as JSON");
  app.add_option("--junit", options.junit,
                 "write the results here as JUnit XML");
  app.add_option("--markdown", options.markdown,
                 "write the results here as Markdown");
  app.add_flag("--update", options.update,
               "update the list of deviations to match these results");
  app.add_flag("--record{newest}", options.record,
               "store the answers of the testee, for --judge, in this file "
               "[conformance/answers/<testee>/<version>.json]")
      ->type_name("FILE");
  app.add_flag("--verbose", options.verbose, "print a line for every case");
}

void DescribeFiles(CLI::App& app, RunOptions& options) {
  app.add_option("--deviations", options.deviations,
                 "list of known deviations "
                 "[conformance/deviations/<implementation>.json]");
  app.add_option("--sources", options.sources, "the sources that cases cite")
      ->capture_default_str();
  app.add_option("--operations", options.operations, "documents of the steps")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--conventions", options.conventions,
                 "conventions in which implementations may differ")
      ->capture_default_str();
  app.add_option("--testees", options.testees, "the named testees")
      ->capture_default_str();
}

// Called last, because it names other options.
void DescribeProbe(CLI::App& app, RunOptions& options) {
  CLI::Option* probe =
      app.add_flag("--probe", options.probe,
                   "check every message of a testee under development, and say "
                   "what to do next; with --verbose print them all")
          ->needs(app.get_option("--testee"));
  for (const char* other : {"--json", "--junit", "--markdown", "--update",
                            "--list", "--enforce", "--repeat", "--jobs"}) {
    probe->excludes(app.get_option(other));
  }
}

}  // namespace

void DescribeRunOptions(CLI::App& app, RunOptions& options) {
  app.footer(kExamples);
  DescribeWhatToRun(app, options);
  DescribeOutput(app, options);
  DescribeFiles(app, options);
  DescribeProbe(app, options);
}

}  // namespace lockstep
