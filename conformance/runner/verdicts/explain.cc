#include "conformance/runner/verdicts/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "conformance/runner/cases/parameters.h"
#include "conformance/runner/text/json_file.h"
#include "conformance/runner/text/readable_text.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {
namespace {

// Names and texts are not quoted; the step's description distinguishes them.
std::string Argument(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (const auto parameter = ParameterIn(value)) return "<" + *parameter + ">";
  if (!value.is_structured()) return OneLineJson(value);
  std::vector<std::string> items;
  for (const auto& [key, item] : value.items()) {
    items.push_back(value.is_object()
                        ? fmt::format("{}: {}", key, Argument(item))
                        : Argument(item));
  }
  const std::string list = fmt::format("{}", fmt::join(items, ", "));
  return value.is_object() ? "{" + list + "}" : "[" + list + "]";
}

// "batches, size: 4": the argument "of" comes first, without its name.
std::string Arguments(const Json& step) {
  std::vector<std::string> arguments;
  if (step.contains("of")) arguments.push_back(Argument(step["of"]));
  for (const auto& [key, value] : step.items()) {
    if (key == "let" || key == "observe" || key == "step" || key == "of" ||
        key == "program" || key == "as" || key == "return") {
      continue;
    }
    arguments.push_back(fmt::format("{}: {}", key, Argument(value)));
  }
  return fmt::format("{}", fmt::join(arguments, ", "));
}

std::string DescribeProgram(const Json& program, const std::string& margin) {
  std::string text;
  for (const Json& step : program) {
    text += margin;
    if (step.contains("observe")) {
      text += "observe " + step["observe"].get<std::string>() + " = ";
    }
    if (step.contains("let")) text += step["let"].get<std::string>() + " = ";
    text +=
        fmt::format("{}({})", step["step"].get<std::string>(), Arguments(step));
    if (step.contains("as")) text += " as " + Argument(step["as"]);
    if (step.contains("program")) {
      text += ":\n" + DescribeProgram(step["program"], margin + "  ");
      if (!step.contains("return")) continue;
      text += margin + "  return " + Argument(step["return"]);
    }
    text += "\n";
  }
  return text;
}

std::string DescribeGiven(const Json& given) {
  std::string text = "no strategy";
  if (given["strategy"] == "mirrored") {
    text = fmt::format("a mirrored strategy with {} replicas",
                       Argument(given["replicas"]));
  } else if (given["strategy"] == "multi_worker_mirrored") {
    text = fmt::format("{} workers, each of which has {} replicas",
                       Argument(given["workers"]), Argument(given["replicas"]));
  } else if (given["strategy"] == "parameter_server") {
    text = fmt::format("{} workers and {} parameter servers",
                       Argument(given["workers"]), Argument(given["servers"]));
  }
  if (given.contains("partitioner")) {
    text += ", with the partitioner " + Argument(given["partitioner"]);
  }
  if (given.contains("logical_devices")) {
    text += fmt::format(" on a machine with {} devices",
                        Argument(given["logical_devices"]));
  }
  if (given.contains("parameters")) {
    text += ", with " + Argument(given["parameters"]);
  }
  return text;
}

std::string DescribeValue(const Expectation& expectation) {
  if (expectation.relation != Relation::kSameAs) {
    return OneLineJson(expectation.value);
  }
  std::string text = expectation.other_observation;
  if (!expectation.other_given.empty()) {
    text += " given " + Argument(expectation.other_given);
  }
  return text;
}

}  // namespace

std::string DescribeExpectation(const Expectation& expectation) {
  std::string text = expectation.observation;
  if (!text.empty()) text += ' ';
  text += fmt::format("{} {}", RelationName(expectation.relation),
                      DescribeValue(expectation));
  if (!expectation.at_steps.empty()) {
    text += fmt::format(" in {}", fmt::join(expectation.at_steps, " or "));
  }
  if (expectation.to_rounding) text += ", to rounding";
  if (expectation.rtol > 0) text += fmt::format(", rtol {}", expectation.rtol);
  if (expectation.atol > 0) text += fmt::format(", atol {}", expectation.atol);
  return text;
}

std::string DescribeCase(const Case& conformance_case, const Sources& sources) {
  std::string text =
      fmt::format("{} ({})\n  {}\n", conformance_case.id,
                  LevelName(conformance_case.level), conformance_case.states);
  text += "documented\n";
  for (const Citation& citation : conformance_case.cites) {
    text += fmt::format("  {} {}: {}\n", citation.source, citation.anchor,
                        sources.Link(citation));
  }
  text += "given\n  " + DescribeGiven(conformance_case.given) + "\n";
  text += "program\n" + DescribeProgram(conformance_case.program, "  ");
  text += "expected\n";
  for (const Expectation& expectation : conformance_case.expect) {
    text += "  " + DescribeExpectation(expectation);
    if (!expectation.when.empty()) {
      text += (expectation.departs ? ", instead of the promised result, by "
                                   : " when ") +
              DescribeWhen(expectation.when);
    }
    if (expectation.level != conformance_case.level) {
      text += fmt::format(" ({})", LevelName(expectation.level));
    }
    if (!expectation.because.empty()) text += "; " + expectation.because;
    text += "\n";
  }
  return text;
}

namespace {

// A line with a text that may come from a testee.
std::string Line(std::string_view label, const std::string& text) {
  return fmt::format("  {:<10}{}\n", label, ReadableLine(text));
}

// Whether a program has this step, also in a block.
bool HasStep(const Json& program, std::string_view name) {
  return std::ranges::any_of(program, [&](const Json& step) {
    return step["step"] == name ||
           (step.contains("program") && HasStep(step["program"], name));
  });
}

// The step that makes an observation, also in a block.
const Json* FindObservingStep(const Json& program, const std::string& name) {
  for (const Json& step : program) {
    if (step.value("observe", "") == name) return &step;
    if (!step.contains("program")) continue;
    const Json* found = FindObservingStep(step["program"], name);
    if (found) return found;
  }
  return nullptr;
}

std::string ExplainFinding(const Case& conformance_case,
                           const Finding& finding) {
  const Expectation& expectation = *finding.expectation;
  std::string text;
  const Json* step =
      FindObservingStep(conformance_case.program, expectation.observation);
  if (step) text += Line("step", step->dump());
  text +=
      Line("expected", fmt::format("{} ({})", DescribeExpectation(expectation),
                                   LevelName(expectation.level)));
  if (!finding.observed.is_null()) {
    text += Line("observed", finding.observed.dump());
  }
  text += Line("differs", finding.difference);
  if (!finding.first_difference.empty()) {
    text += Line("first", finding.first_difference);
  }
  return text;
}

// The stderr of the testee, indented.
std::string StderrLines(const Answer& answer) {
  std::istringstream lines(StderrTailOf(answer));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += Line(text.empty() ? "stderr" : "", line);
  }
  return text;
}

// The most frequent mistake of a testee's first version.
constexpr std::string_view kResumeHint =
    "trained on from epoch 0? `epochs` and `stop_after` of train.epoch are "
    "totals, with what was trained before train.resume";

std::string ExplainRun(const Case& conformance_case, const RunResult& run) {
  std::string text = Line("given", run.given.dump());
  if (const auto* failure = std::get_if<Failure>(&run.answer)) {
    text += Line("error", fmt::format("{} in {}: {}", failure->error_class,
                                      failure->at_step, failure->message));
  }
  if (const auto* unsupported = std::get_if<Unsupported>(&run.answer)) {
    return text + Line("missing", fmt::format("{}: {}", unsupported->step,
                                              unsupported->reason));
  }
  if (VerdictWithoutJudging(run.answer)) {
    return text + Line("answer", DescribeAnswer(run.answer)) +
           StderrLines(run.answer);
  }
  bool differs = false;
  for (const Finding& finding : run.findings) {
    if (finding.holds) continue;
    text += ExplainFinding(conformance_case, finding);
    differs = differs || !finding.observed.is_null();
  }
  if (differs && HasStep(conformance_case.program, "train.resume")) {
    text += Line("hint", std::string(kResumeHint));
  }
  return text;
}

}  // namespace

std::string DescribeVerdict(const CaseResult& result) {
  const std::string_view name = VerdictName(result.verdict);
  if (IsDeviation(result.verdict)) return std::string(name);
  return fmt::format("{}, {}", name, result.matches ? "matches" : "differs");
}

std::string ExplainResult(const CaseResult& result, const Sources& sources,
                          const std::string& rerun,
                          const std::string& explain) {
  const Case& conformance_case = *result.conformance_case;
  std::string text =
      fmt::format("{}: {} ({})\n", conformance_case.id, DescribeVerdict(result),
                  LevelName(conformance_case.level));
  text += Line("states", conformance_case.states);
  for (const Citation& citation : conformance_case.cites) {
    text += Line("cites", sources.Describe(citation));
  }
  for (const RunResult& run : result.runs) {
    if (IsDeviation(run.verdict) || !AllHold(run)) {
      text += ExplainRun(conformance_case, run);
    }
  }
  text += Line("rerun", rerun);
  return explain.empty() ? text : text + Line("explain", explain);
}

}  // namespace lockstep
