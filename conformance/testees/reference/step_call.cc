#include "conformance/testees/reference/step_call.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "conformance/testees/reference/interpreter.h"

namespace lockstep::conformance {
namespace {

constexpr double kMaxPauseSeconds = 10;  // seconds

Structure ResultOf(const Json& result, const Environment& inner);

Structure NamedResult(const std::string& name, const Environment& inner) {
  const Value value = inner.Find(name);
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    return Tensor::Scalar(static_cast<float>(*integer));
  }
  return StepCall::Held<Structure>(value, name);
}

Structure ResultOf(const Json& result, const Environment& inner) {
  if (result.is_string()) return NamedResult(result, inner);
  if (result.is_array()) {
    std::vector<Structure> items;
    for (const Json& item : result) items.push_back(ResultOf(item, inner));
    return Structure::Tuple(std::move(items));
  }
  if (!result.is_object()) {
    throw ProgramError(
        fmt::format("{} is not a name to return", result.dump()));
  }
  std::vector<std::pair<std::string, Structure>> items;
  for (const auto& [key, item] : result.items()) {
    items.emplace_back(key, ResultOf(item, inner));
  }
  return Structure::Dict(std::move(items));
}

}  // namespace

const Json& StepCall::Argument(const char* argument) const {
  if (!Has(argument)) {
    throw ProgramError(fmt::format("{} needs the argument '{}'",
                                   step_["step"].get<std::string>(), argument));
  }
  return step_[argument];
}

Value StepCall::Resolve(const Json& argument, DType literal_dtype) const {
  if (argument.is_string()) {
    const Value value = environment_.Find(argument.get<std::string>());
    if (const auto* integer = std::get_if<int64_t>(&value)) {
      return Structure(ToTensor(*integer, literal_dtype));
    }
    return value;
  }
  return Structure(ToTensor(argument, literal_dtype));
}

Tensor StepCall::ResolveTensor(const Json& argument,
                               DType literal_dtype) const {
  const Value value = Resolve(argument, literal_dtype);
  if (std::holds_alternative<PerReplica<Structure>>(value)) {
    throw ProgramError(
        fmt::format("{} differs by replica: pass it in the args of a run",
                    argument.dump()));
  }
  const Structure structure = Held<Structure>(value, argument.dump());
  if (!structure.is_leaf()) {
    throw ProgramError(fmt::format("{} is a structure", argument.dump()));
  }
  return structure.leaf();
}

Tensor StepCall::GetTensor(const char* argument, DType literal_dtype) const {
  return ResolveTensor(Argument(argument), literal_dtype);
}

std::optional<Tensor> StepCall::FindTensor(const char* argument) const {
  if (!Has(argument)) return std::nullopt;
  return GetTensor(argument);
}

std::pair<Tensor, Tensor> StepCall::GetTensors(const char* a,
                                               const char* b) const {
  if (!Argument(a).is_string()) {
    const Tensor second = GetTensor(b);
    return {GetTensor(a, second.dtype()), second};
  }
  const Tensor first = GetTensor(a);
  return {first, GetTensor(b, first.dtype())};
}

int64_t StepCall::Integer(const char* argument) const {
  const Json& json = Argument(argument);
  if (json.is_string()) return Get<int64_t>(argument);
  const std::optional<int64_t> integer = IntegerIn(json);
  if (!integer)
    throw ProgramError(fmt::format("'{}' is not an integer", argument));
  return *integer;
}

double StepCall::Number(const char* argument, double otherwise) const {
  return Has(argument) ? Argument(argument).get<double>() : otherwise;
}

bool StepCall::Boolean(const char* argument, bool otherwise) const {
  return Has(argument) ? Argument(argument).get<bool>() : otherwise;
}

std::string StepCall::Text(const char* argument) const {
  const Json& json = Argument(argument);
  if (!json.is_string()) {
    throw ProgramError(fmt::format("'{}' is not a text", argument));
  }
  return json;
}

DType StepCall::GetDType() const {
  return Has("dtype") ? ParseDType(Text("dtype")) : DType::kFloat32;
}

const Json& StepCall::Object(const char* argument) const {
  const Json& json = Argument(argument);
  if (!json.is_object()) {
    throw ProgramError(fmt::format("'{}' is not an object", argument));
  }
  return json;
}

void StepCall::Pause() const {
  const double seconds = Number("seconds", 0);
  if (seconds < 0 || seconds > kMaxPauseSeconds) {
    throw ProgramError("'seconds' is 0 to 10");
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::string StepCall::PathOrFound() const {
  if (!Has("found")) return Path("path");
  return folder_ + "/" + Get<std::string>("found");
}

std::string StepCall::Relative(const std::string& path) const {
  return std::filesystem::relative(path, folder_).string();
}

void StepCall::RunBlock(Environment& inner) const {
  RunProgram(Argument("program"), inner, table_, folder_);
}

void Rounds::Add(const Environment& round) {
  if (!names_.empty()) observed_.Add(round.observations());
}

Structure StepCall::Result(const Environment& inner) const {
  if (!Has("return")) return Structure::Tuple({});
  return ResultOf(Argument("return"), inner);
}

}  // namespace lockstep::conformance
