#include "conformance/runner/cases/program.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "conformance/runner/text/name_forms.h"

namespace lockstep {
namespace {

// The values of `field` in all steps, blocks included.
void Collect(const Json& program, const char* field,
             std::vector<std::string>& names) {
  for (const Json& step : program) {
    if (step.contains(field)) names.push_back(step[field]);
    if (step.contains("program")) Collect(step["program"], field, names);
  }
}

}  // namespace

std::vector<std::string> ObservationNamesOf(const Json& program) {
  std::vector<std::string> names;
  Collect(program, "observe", names);
  return names;
}

std::vector<std::string> StepNamesOf(const Json& program) {
  std::vector<std::string> names;
  Collect(program, "step", names);
  return names;
}

namespace {

void CheckName(const JsonCursor& cursor) {
  if (!IsName(cursor.String())) {
    cursor.Fail(
        fmt::format("'{}' is not a name in lower snake case", cursor.String()));
  }
}

class ProgramCheck {
 public:
  explicit ProgramCheck(const Operations& operations)
      : operations_(operations) {}

  ProgramNames Run(const JsonCursor& program, Names given) {
    CheckBlock(program, given);
    if (!unused_.empty()) {
      const auto& [name, place] = *unused_.begin();
      place.Fail(fmt::format("'{}' is never used", name));
    }
    return std::move(found_);
  }

 private:
  // Adds the names that the steps bind to `names`.
  void CheckBlock(const JsonCursor& block, Names& names) {
    for (const JsonCursor& step : block.NonEmptyItems()) CheckStep(step, names);
  }

  void CheckStep(const JsonCursor& step, Names& names) {
    const std::string name = step["step"].String();
    const Operation* operation = operations_.Find(name);
    if (!operation) {
      step["step"].Fail(
          fmt::format("unknown step '{}': no document describes it", name));
    }
    found_.steps.insert(name);
    CheckArguments(step, name, *operation);
    UseNames(step, name, *operation, /*inner=*/false, names);
    if (operation->BlockType() == ArgumentType::kOpenProgram) {
      CheckInside(step, name, *operation, names);
    } else {
      Names inner = names;
      CheckInside(step, name, *operation, inner);
    }
    TakeResults(step, name, *operation, names);
  }

  // Checks the block of a step, and the arguments that refer to names in it.
  void CheckInside(const JsonCursor& step, const std::string& name,
                   const Operation& operation, Names& inner) {
    Bind(step, operation, inner);
    if (const auto block = step.Find("program")) {
      const size_t before = found_.observations.size();
      CheckBlock(*block, inner);
      if (operation.BlockType() == ArgumentType::kUnseenProgram &&
          found_.observations.size() > before) {
        block->Fail(
            fmt::format("the block of {} must not observe anything", name));
      }
    }
    UseNames(step, name, operation, /*inner=*/true, inner);
  }

  static void CheckArguments(const JsonCursor& step, const std::string& name,
                             const Operation& operation) {
    // A string is the name of an integer, which the testee checks.
    const auto times = step.Find("times");
    if (name == "program.repeat" && times && !times->json().is_string()) {
      times->IntegerBetween(0, kMaxRounds);
    }
    for (const auto& [field, value] : step.Fields()) {
      if (field == "let" || field == "observe" || field == "step") continue;
      const auto argument = operation.arguments.find(field);
      if (argument == operation.arguments.end()) {
        value.Fail(fmt::format("{} has no argument '{}'", name, field));
      }
      if (!argument->second.Accepts(value.json())) {
        value.Fail(fmt::format("wanted {}, got {}", argument->second.Describe(),
                               value.json().dump()));
      }
    }
    for (const auto& [field, argument] : operation.arguments) {
      if (!argument.optional && !step.Find(field)) {
        step.Fail(fmt::format("{} needs the argument '{}'", name, field));
      }
    }
  }

  // Adds the names that the step binds for its block.
  static void Bind(const JsonCursor& step, const Operation& operation,
                   Names& inner) {
    for (const auto& [field, argument] : operation.arguments) {
      const auto value = step.Find(field);
      if (!value) continue;
      if (argument.type == ArgumentType::kBinding) {
        CheckName(*value);
        inner.insert(value->String());
      }
      if (argument.type != ArgumentType::kBindings ||
          !operation.arguments.contains("program")) {
        continue;
      }
      for (const auto& [name, unused] : value->Fields()) inner.insert(name);
    }
  }

  // Whether the argument refers to names of the block: its result, or a tape's
  // target.
  static bool IsInner(const std::string& step, const std::string& field,
                      ArgumentType type) {
    return type == ArgumentType::kResult ||
           (step == "gradient.tape" && field == "target");
  }

  void UseNames(const JsonCursor& step, const std::string& name,
                const Operation& operation, bool inner, const Names& names) {
    for (const auto& [field, argument] : operation.arguments) {
      const auto value = step.Find(field);
      if (!value || IsInner(name, field, argument.type) != inner) continue;
      for (const std::string& used : NamesIn(value->json(), argument.type)) {
        const std::string root = used.substr(0, used.find('.'));
        unused_.erase(root);
        if (!names.contains(root)) {
          value->Fail(fmt::format("unknown name '{}'", root));
        }
      }
    }
  }

  void TakeResults(const JsonCursor& step, const std::string& name,
                   const Operation& operation, Names& names) {
    const auto let = step.Find("let");
    const auto observe = step.Find("observe");
    for (const auto& result : {let, observe}) {
      if (!result) continue;
      CheckName(*result);
      if (!operation.gives_something) {
        result->Fail(fmt::format("{} gives nothing", name));
      }
    }
    if (observe && operation.gives_something && !operation.gives_a_value) {
      observe->Fail(fmt::format("what {} gives cannot be observed", name));
    }
    if (let) {
      names.insert(let->String());
      if (!observe) unused_.insert_or_assign(let->String(), *let);
    }
    if (observe && !found_.observations.insert(observe->String()).second) {
      observe->Fail(
          fmt::format("'{}' is observed by two steps", observe->String()));
    }
  }

  const Operations& operations_;
  std::map<std::string, JsonCursor> unused_;  // and where they are bound
  ProgramNames found_;
};

}  // namespace

ProgramNames CheckProgram(const JsonCursor& program,
                          const Operations& operations, const Names& given) {
  return ProgramCheck(operations).Run(program, given);
}

}  // namespace lockstep
