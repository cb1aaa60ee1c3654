#include "conformance/runner/describe_case.h"

#include <fmt/format.h>

#include <vector>

#include "conformance/runner/compact_json.h"

namespace lockstep {
namespace {

// Names and texts stand bare: which of the two, the step's description says.
std::string Argument(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
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

// "batches, size: 4": what stands under "of" comes first and bare.
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
  }
  if (given.contains("logical_devices")) {
    text += fmt::format(" on a machine with {} devices",
                        Argument(given["logical_devices"]));
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
  if (!expectation.at_step.empty()) text += " in " + expectation.at_step;
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
      text += " when " + DescribeDialect(expectation.when);
    }
    if (expectation.level != conformance_case.level) {
      text += fmt::format(" ({})", LevelName(expectation.level));
    }
    if (!expectation.because.empty()) text += "; " + expectation.because;
    text += "\n";
  }
  return text;
}

}  // namespace lockstep
