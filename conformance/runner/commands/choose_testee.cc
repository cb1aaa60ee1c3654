#include "conformance/runner/commands/choose_testee.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <wordexp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "conformance/runner/commands/program_output.h"
#include "conformance/runner/commands/user_paths.h"
#include "conformance/runner/pipe/pipe_testee.h"
#include "conformance/runner/text/json_file.h"
#include "conformance/runner/text/similar_names.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

NamedTestee ReadTestee(const JsonCursor& cursor) {
  // `family` and `packages` are for conformance/oracles.
  cursor.AllowOnly(
      {"name", "means", "command", "family", "packages", "deviations"});
  NamedTestee testee{.name = cursor["name"].Text(),
                     .means = cursor["means"].Text(),
                     .command = {},
                     .deviations = cursor["name"].String()};
  for (const JsonCursor& word : cursor["command"].NonEmptyItems()) {
    testee.command.push_back(word.Text());
  }
  const auto deviations = cursor.Find("deviations");
  if (deviations) testee.deviations = deviations->Text();
  return testee;
}

}  // namespace

TesteeTable TesteeTable::Load(const std::string& path) {
  const Json json = ReadJsonFile(path);
  const JsonCursor root(json, path, "LoadTestees");
  root.AllowOnly({"testees"});
  TesteeTable table;
  for (const JsonCursor& cursor : root["testees"].NonEmptyItems()) {
    NamedTestee testee = ReadTestee(cursor);
    if (table.Find(testee.name)) {
      cursor["name"].Fail(fmt::format("duplicate testee '{}'", testee.name));
    }
    table.testees_.push_back(std::move(testee));
  }
  return table;
}

const NamedTestee* TesteeTable::Find(const std::string& name) const {
  const auto found = std::ranges::find(testees_, name, &NamedTestee::name);
  return found == testees_.end() ? nullptr : &*found;
}

namespace {

constexpr std::string_view kPlaceholder = "{python}";

}  // namespace

std::string FrameworksPython(const std::string& make_venv) {
  if (const char* own = std::getenv("LOCKSTEP_PYTHON")) return own;
  std::string python =
      OutputOf("python3 '" + make_venv + "'", "FrameworksPython");
  while (python.ends_with('\n')) python.pop_back();
  if (python.empty() || python.find('\n') != std::string::npos) {
    throw Unavailable("[FrameworksPython] wanted one path from {}, got '{}'",
                      make_venv, python);
  }
  return python;
}

std::vector<std::string> ResolvePython(
    std::vector<std::string> command,
    const std::function<std::string()>& python) {
  std::string path;
  for (std::string& word : command) {
    const size_t at = word.find(kPlaceholder);
    if (at == std::string::npos) continue;
    if (path.empty()) path = python();
    word.replace(at, kPlaceholder.size(), path);
  }
  return command;
}

namespace {

bool IsCommand(const std::string& name_or_command) {
  return name_or_command.find_first_of(" /") != std::string::npos;
}

// Splits as a shell does: quotes, $VARIABLES, *.
std::vector<std::string> SplitCommand(const std::string& command) {
  wordexp_t split{};
  std::vector<std::string> words;
  if (wordexp(command.c_str(), &split, 0) == 0) {
    words.assign(split.we_wordv, split.we_wordv + split.we_wordc);
  }
  wordfree(&split);
  if (words.empty()) {
    throw InvalidArgument(
        "[Run] wanted a program and its arguments in --testee, got '{}'; for "
        "other shell syntax use sh -c '...'",
        command);
  }
  return words;
}

std::vector<std::string> KnownNames(const TesteeFactories& in_process,
                                    const TesteeTable& table) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : in_process) names.push_back(name);
  for (const NamedTestee& testee : table.testees()) {
    names.push_back(testee.name);
  }
  return names;
}

}  // namespace

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

TesteeCommand FindCommand(const std::string& name_or_command,
                          const TesteeTable& table,
                          const TesteeFactories& in_process) {
  if (const NamedTestee* named = table.Find(name_or_command)) {
    return {.words = ResolvePython(named->command,
                                   [] { return FrameworksPython(); }),
            .files = ".",
            .deviations = named->deviations};
  }
  if (!IsCommand(name_or_command)) {
    const std::vector<std::string> names = KnownNames(in_process, table);
    throw NotFound(
        "[Run] there is no testee '{}', wanted one of {}, or a command (which "
        "contains a space or a slash){}",
        name_or_command, fmt::join(names, ", "),
        SuggestNames(name_or_command, names));
  }
  // Before the split, which does not accept braces.
  const std::string command =
      ResolvePython({name_or_command}, [] { return FrameworksPython(); })[0];
  return {.words = SplitCommand(command),
          .files = OutputPath("."),
          .deviations = ""};
}

ChosenTestee ChooseTestee(const std::string& name_or_command,
                          const TesteeLimits& limits,
                          const TesteeFactories& in_process,
                          const TesteeTable& table) {
  if (const auto maker = in_process.find(name_or_command);
      maker != in_process.end()) {
    return {.make = maker->second, .deviations = name_or_command};
  }
  const TesteeCommand command = FindCommand(name_or_command, table, in_process);
  PipeTesteeOptions options;
  options.start_deadline = Milliseconds(limits.start_deadline_s);
  options.case_deadline = Milliseconds(limits.deadline_s);
  options.limits = limits.process;
  options.files = command.files;
  options.interrupted = limits.interrupted;
  return {
      .make =
          [=] { return std::make_unique<PipeTestee>(command.words, options); },
      .deviations = command.deviations};
}

}  // namespace lockstep
