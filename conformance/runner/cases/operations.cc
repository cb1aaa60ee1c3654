#include "conformance/runner/cases/operations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "conformance/runner/text/name_forms.h"
#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr std::array<std::pair<std::string_view, ArgumentType>, 18> kTypes{
    {{"name", ArgumentType::kName},
     {"value", ArgumentType::kValue},
     {"literal", ArgumentType::kLiteral},
     {"data", ArgumentType::kData},
     {"structure", ArgumentType::kStructure},
     {"names", ArgumentType::kNames},
     {"values", ArgumentType::kValues},
     {"bindings", ArgumentType::kBindings},
     {"integer", ArgumentType::kInteger},
     {"number", ArgumentType::kNumber},
     {"boolean", ArgumentType::kBoolean},
     {"text", ArgumentType::kText},
     {"choice", ArgumentType::kChoice},
     {"program", ArgumentType::kProgram},
     {"open program", ArgumentType::kOpenProgram},
     {"unseen program", ArgumentType::kUnseenProgram},
     {"binding", ArgumentType::kBinding},
     {"result", ArgumentType::kResult}}};

constexpr std::array<std::string_view, 25> kObjectKinds{
    "dataset",        "input",       "iterator",     "optional",
    "strategy",       "schedule",    "layer",        "metric",
    "variable",       "model",       "history",      "checkpoint",
    "status",         "manager",     "callback",     "graph",
    "future",         "loader",      "training",     "optimizer",
    "function",       "coordinator", "remote value", "dataset function",
    "dataset creator"};

// "a dataset.", "an optimizer, which others take.": an object that cannot be
// observed.
bool IsObject(std::string_view result) {
  for (const std::string_view article : {"an ", "a "}) {
    if (result.starts_with(article)) result.remove_prefix(article.size());
  }
  return std::ranges::find(kObjectKinds,
                           result.substr(0, result.find_first_of(".,"))) !=
         kObjectKinds.end();
}

template <typename Holds>
bool AllOf(const Json& items, const Holds& holds) {
  return std::ranges::all_of(items, holds);
}

bool IsLiteral(const Json& value) {
  return value.is_array() ? AllOf(value, IsLiteral)
                          : value.is_number() || value.is_boolean();
}

bool IsLiteralWithTexts(const Json& value) {
  return value.is_array() ? AllOf(value, IsLiteralWithTexts)
                          : value.is_string() || IsLiteral(value);
}

bool IsLiteralStructure(const Json& value) {
  if (value.is_object() && value.empty()) return false;
  return value.is_structured() ? AllOf(value, IsLiteralStructure)
                               : IsLiteralWithTexts(value);
}

bool IsValue(const Json& value) {
  return value.is_string() || IsLiteral(value);
}

bool IsText(const Json& value) { return value.is_string(); }

bool IsResult(const Json& value) {
  if (value.is_object()) return !value.empty() && AllOf(value, IsResult);
  return value.is_array() ? AllOf(value, IsResult) : value.is_string();
}

}  // namespace

bool Argument::Accepts(const Json& value) const {
  switch (type) {
    case ArgumentType::kName:
    case ArgumentType::kText:
    case ArgumentType::kBinding:
      return value.is_string();
    case ArgumentType::kValue:
      return IsValue(value);
    case ArgumentType::kLiteral:
    case ArgumentType::kData:
      return IsLiteralStructure(value);
    case ArgumentType::kStructure:
      return IsValue(value) || IsResult(value);
    case ArgumentType::kNames:
      return value.is_array() && AllOf(value, IsText);
    case ArgumentType::kValues:
      return value.is_array() && AllOf(value, IsValue);
    case ArgumentType::kBindings:
      return value.is_object() && AllOf(value, IsValue);
    case ArgumentType::kInteger:
      return value.is_number_integer() || value.is_string();
    case ArgumentType::kNumber:
      return value.is_number();
    case ArgumentType::kBoolean:
      return value.is_boolean();
    case ArgumentType::kChoice:
      return value.is_string() &&
             std::ranges::find(choices, value.get<std::string>()) !=
                 choices.end();
    case ArgumentType::kProgram:
    case ArgumentType::kOpenProgram:
    case ArgumentType::kUnseenProgram:
      return value.is_array() && !value.empty();
    case ArgumentType::kResult:
      return IsResult(value);
  }
  LOCKSTEP_CHECK(false);
}

std::string Argument::Describe() const {
  if (type == ArgumentType::kChoice) {
    return fmt::format("choice of {}", fmt::join(choices, ", "));
  }
  const auto found = std::ranges::find(
      kTypes, type, &std::pair<std::string_view, ArgumentType>::second);
  return std::string(found->first);
}

ArgumentType Operation::BlockType() const {
  const auto block = arguments.find("program");
  return block == arguments.end() ? ArgumentType::kProgram : block->second.type;
}

std::vector<std::string> NamesIn(const Json& value, ArgumentType type) {
  switch (type) {
    case ArgumentType::kLiteral:
    case ArgumentType::kData:
    case ArgumentType::kNumber:
    case ArgumentType::kBoolean:
    case ArgumentType::kText:
    case ArgumentType::kChoice:
    case ArgumentType::kProgram:
    case ArgumentType::kOpenProgram:
    case ArgumentType::kUnseenProgram:
    case ArgumentType::kBinding:
      return {};
    default:
      break;
  }
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<std::string> names;
  if (!value.is_structured()) return names;
  for (const Json& item : value) {
    const std::vector<std::string> inner = NamesIn(item, type);
    names.insert(names.end(), inner.begin(), inner.end());
  }
  return names;
}

namespace {

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> Split(std::string_view text, std::string_view by) {
  std::vector<std::string> parts;
  for (size_t end; (end = text.find(by)) != text.npos;
       text.remove_prefix(end + by.size())) {
    parts.emplace_back(text.substr(0, end));
  }
  parts.emplace_back(text);
  return parts;
}

// Removes the ending, if it is there.
bool RemoveSuffix(std::string_view ending, std::string_view& text) {
  if (!text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  return true;
}

// Reads the document line by line.
class Parser {
 public:
  explicit Parser(const std::string& path) : path_(path) {}

  void AddLine(std::string_view line) {
    if (line.starts_with("# ")) are_intents_ = line.starts_with("# Intents");
    if (line.starts_with('#')) {
      Close();
      if (line.starts_with("###")) Open(line);
    } else if (step_.empty()) {
      return;
    } else if (line.starts_with('|')) {
      AddRow(line);
    } else if (line.starts_with(kGives)) {
      ++gives_;
      const std::string_view result = line.substr(kGives.size());
      Operation& operation = by_name_[step_];
      operation.gives_something = !result.starts_with("nothing");
      operation.gives_a_value = operation.gives_something && !IsObject(result);
    }
  }

  Operations::ByName Finish() {
    Close();
    if (by_name_.empty()) Fail("describes no step");
    return std::move(by_name_);
  }

 private:
  static constexpr std::string_view kGives = "Gives: ";

  [[noreturn]] void Fail(const std::string& problem) const {
    throw InvalidArgument("[LoadOperations] {} {}", path_, problem);
  }

  void Open(std::string_view heading) {
    constexpr std::string_view kLead = "### `";
    const bool quoted = heading.starts_with(kLead) && heading.ends_with('`') &&
                        heading.size() > kLead.size();
    const std::vector<std::string> parts = Split(
        quoted ? heading.substr(kLead.size(), heading.size() - kLead.size() - 1)
               : "",
        ".");
    if (parts.size() != 2 || !IsName(parts[0]) || !IsName(parts[1])) {
      Fail(fmt::format("has a heading that is not the name of a step: {}",
                       heading));
    }
    step_ = parts[0] + "." + parts[1];
    gives_ = 0;
    const auto [entry, is_new] = by_name_.emplace(step_, Operation{});
    if (!is_new) Fail(fmt::format("describes '{}' twice", step_));
    entry->second.is_intent = are_intents_;
  }

  void Close() {
    if (!step_.empty() && gives_ != 1) {
      Fail(fmt::format("needs one line for {} that begins with '{}', has {}",
                       step_, kGives, gives_));
    }
    step_.clear();
  }

  // "| size | integer, optional | how many |"
  void AddRow(std::string_view line) {
    if (line.starts_with("|---") || line.starts_with("| argument |")) return;
    const std::vector<std::string> cells = Split(line, "|");
    const std::string name(cells.size() == 5 ? Trimmed(cells[1]) : "");
    if (!IsName(name)) {
      Fail(fmt::format("has a malformed row of arguments for {}: {}", step_,
                       line));
    }
    by_name_[step_].arguments[name] = ReadArgument(Trimmed(cells[2]));
  }

  // "choice: up, down; optional"
  Argument ReadArgument(std::string_view text) const {
    Argument argument;
    argument.optional =
        RemoveSuffix(", optional", text) || RemoveSuffix("; optional", text);
    constexpr std::string_view kOf = ": ";
    const size_t colon = text.find(kOf);
    const auto type =
        std::ranges::find(kTypes, text.substr(0, colon),
                          &std::pair<std::string_view, ArgumentType>::first);
    const bool is_choice =
        type != kTypes.end() && type->second == ArgumentType::kChoice;
    if (type == kTypes.end() || is_choice != (colon != text.npos)) {
      Fail(fmt::format("has an argument of an unknown type for {}: {}", step_,
                       text));
    }
    argument.type = type->second;
    if (is_choice) {
      argument.choices = Split(text.substr(colon + kOf.size()), ", ");
    }
    return argument;
  }

  const std::string& path_;
  Operations::ByName by_name_;
  std::string step_;  // of the current section; empty: none
  int gives_ = 0;
  bool are_intents_ = false;
};

}  // namespace

std::vector<std::string> DocumentsIn(const std::string& folder) {
  return {folder + "/operations.md", folder + "/intents.md"};
}

Operations Operations::Load(const std::vector<std::string>& paths) {
  Operations all;
  for (const std::string& path : paths) {
    std::ifstream file(path);
    if (!file) throw NotFound("[LoadOperations] cannot read {}", path);
    std::stringstream text;
    text << file.rdbuf();
    Operations more = Parse(text.str(), path);
    all.by_name_.merge(more.by_name_);
    if (!more.by_name_.empty()) {
      throw InvalidArgument("[LoadOperations] {} describes '{}' again", path,
                            more.by_name_.begin()->first);
    }
  }
  return all;
}

Operations Operations::Parse(std::string_view text, const std::string& path) {
  Parser parser(path);
  for (const std::string& line : Split(text, "\n")) parser.AddLine(line);
  Operations operations;
  operations.by_name_ = parser.Finish();
  return operations;
}

const Operation* Operations::Find(std::string_view step) const {
  const auto found = by_name_.find(step);
  return found == by_name_.end() ? nullptr : &found->second;
}

}  // namespace lockstep
