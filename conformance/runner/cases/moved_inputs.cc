#include "conformance/runner/cases/moved_inputs.h"

#include <nlohmann/json.hpp>
#include <random>

namespace lockstep {
namespace {

class Mover {
 public:
  Mover(const InputFields& fields, int trial)
      : fields_(fields), bits_(static_cast<uint32_t>(trial)) {}

  void MoveProgram(Json& program) {
    for (Json& step : program) {
      if (HasFloats(step)) MoveArguments(step);
      if (step.contains("program")) MoveProgram(step["program"]);
    }
  }

 private:
  static bool HasFloats(const Json& step) {
    return step.value("dtype", "float32").find("float") != std::string::npos;
  }

  void MoveArguments(Json& step) {
    const std::string name = step["step"];
    for (auto& [field, value] : step.items()) {
      if (fields_.contains({name, field})) Move(value);
    }
  }

  void Move(Json& value) {
    if (value.is_structured()) {
      for (Json& item : value) Move(item);
    } else if (value.is_number()) {
      const double sign = bits_() % 2 == 0 ? 1 : -1;
      value = value.get<double>() * (1 + sign * kRoundingUnit);
    }
  }

  const InputFields& fields_;
  std::mt19937 bits_;  // the same on all platforms, by the standard
};

}  // namespace

InputFields InputFieldsOf(const Json& program, const Operations& operations) {
  InputFields fields;
  for (const Json& step : program) {
    const std::string name = step["step"];
    for (const auto& [field, argument] : operations.Find(name)->arguments) {
      if (argument.type == ArgumentType::kData && step.contains(field)) {
        fields.emplace(name, field);
      }
    }
    if (step.contains("program")) {
      fields.merge(InputFieldsOf(step["program"], operations));
    }
  }
  return fields;
}

Json MoveInputs(Json program, const InputFields& fields, int trial) {
  if (trial > 0) Mover(fields, trial).MoveProgram(program);
  return program;
}

}  // namespace lockstep
