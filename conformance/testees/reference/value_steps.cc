// program.*: control flow. counter.*: counters.
// value.*: arithmetic, and observation of values.

#include <fmt/core.h>

#include "conformance/runner/cases/program.h"
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"

namespace lockstep::conformance {
namespace {

Value Repeat(const StepCall& call) {
  const int64_t times = call.Integer("times");
  if (times < 0 || times > kMaxRounds) {
    throw ProgramError(fmt::format("program.repeat runs 0 to {} times, got {}",
                                   kMaxRounds, times));
  }
  Rounds rounds(call);
  for (int64_t round = 0; round < times; ++round) {
    rounds.Run([&](Environment& inner) {
      if (call.Has("as")) inner.Bind(call.Text("as"), round);
    });
  }
  rounds.Observe();
  return Nothing();
}

Value When(const StepCall& call) {
  if (IsTrue(call.GetValue("of"))) {
    Environment inner(&call.environment());
    call.RunBlock(inner);
  }
  return Nothing();
}

// The reference does not trace: it runs the block.
Value Traced(const StepCall& call) {
  Environment inner(&call.environment());
  call.RunBlock(inner);
  return call.Result(inner);
}

Value Try(const StepCall& call) {
  try {
    call.RunBlockHere();
  } catch (const Error& error) {
    return std::string(CodeName(error.code()));
  }
  return Nothing();
}

Value MakeCounter(const StepCall&) {
  return std::make_shared<std::atomic<int64_t>>(0);
}

Value AddOne(const StepCall& call) {
  ++*call.Get<CounterPtr>("of");
  return Nothing();
}

Value Count(const StepCall& call) { return call.Get<CounterPtr>("of")->load(); }

}  // namespace

void AddProgramSteps(StepTable& table) {
  table.Add("counter.create", MakeCounter);
  table.Add("counter.add_one", AddOne);
  table.Add("counter.value", Count);
  table.Add("program.repeat", Repeat);
  table.Add("program.when", When);
  table.Add("program.traced", Traced);
  table.Add("program.try", Try);
}

namespace {

Value Constant(const StepCall& call) {
  return Structure(ToTensor(call.Argument("value"), call.GetDType()));
}

// A structure of named values; of values that differ by replica one for each.
Value Compose(const StepCall& call, const Json& names) {
  std::vector<std::pair<std::string, PerReplica<Structure>>> parts;
  bool by_replica = false;
  for (const auto& [key, name] : names.items()) {
    const Value part = call.environment().Find(name.get<std::string>());
    const auto* plain = std::get_if<Structure>(&part);
    by_replica |= !plain;
    parts.emplace_back(
        key, plain ? PerReplica<Structure>({*plain})
                   : StepCall::Held<PerReplica<Structure>>(part, name));
    if (parts.back().second.size() != parts.front().second.size()) {
      throw ProgramError(fmt::format("'{}' is of other replicas", key));
    }
  }
  std::vector<Structure> values;
  for (int replica = 0; replica < parts.front().second.size(); ++replica) {
    std::vector<std::pair<std::string, Structure>> items;
    for (const auto& [key, part] : parts) {
      items.emplace_back(key, part[replica]);
    }
    values.push_back(Structure::Dict(std::move(items)));
  }
  if (!by_replica) return values.front();
  return PerReplica<Structure>(std::move(values));
}

Value Show(const StepCall& call) {
  const Json& of = call.Argument("of");
  return of.is_object() ? Compose(call, of) : call.GetValue("of");
}

// function(tensor) for each leaf, as JSON in the form of the structure.
template <typename Function>
Json Describe(const Structure& structure, const Function& function) {
  if (structure.is_leaf()) return function(structure.leaf());
  const bool is_dict = structure.kind() == NestKind::kDict;
  Json parts = is_dict ? Json::object() : Json::array();
  for (size_t i = 0; i < structure.size(); ++i) {
    Json part = Describe(structure.items()[i], function);
    if (is_dict) {
      parts[structure.keys()[i]] = std::move(part);
    } else {
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

template <typename Function>
Json DescribeValue(const Value& value, const Function& function) {
  if (const auto* structure = std::get_if<Structure>(&value)) {
    return Describe(*structure, function);
  }
  Json replicas = Json::array();
  for (const Structure& own :
       StepCall::Held<PerReplica<Structure>>(value, "of")) {
    replicas.push_back(Describe(own, function));
  }
  return replicas;
}

Value ShapeOf(const StepCall& call) {
  return DescribeValue(call.GetValue("of"), [](const Tensor& tensor) {
    const auto dims = tensor.shape().dims();
    return Json(std::vector<int64_t>(dims.begin(), dims.end()));
  });
}

Value DTypeOf(const StepCall& call) {
  return DescribeValue(call.GetValue("of"), [](const Tensor& tensor) {
    return Json(DTypeName(tensor.dtype()));
  });
}

// Programs name devices of any kind "CPU:<index>".
std::string ProgramDeviceName(const std::string& device) {
  return "CPU" + device.substr(device.find(':'));
}

Value DeviceOf(const StepCall& call) {
  return DescribeValue(call.GetValue("of"), [](const Tensor& tensor) {
    return Json(ProgramDeviceName(tensor.device().name()));
  });
}

Value Cast(const StepCall& call) {
  return Structure(ops::Cast(call.GetTensor("of"), call.GetDType()));
}

Value Add(const StepCall& call) {
  const auto [a, b] = call.GetTensors("a", "b");
  return Structure(ops::Add(a, b));
}

Value Multiply(const StepCall& call) {
  const auto [a, b] = call.GetTensors("a", "b");
  return Structure(ops::Multiply(a, b));
}

Value Divide(const StepCall& call) {
  const auto [a, b] = call.GetTensors("a", "b");
  return Structure(ops::Divide(a, b));
}

Value Square(const StepCall& call) {
  return Structure(ops::Square(call.GetTensor("of")));
}

Value Sum(const StepCall& call) {
  return Structure(ops::ReduceSum(call.GetTensor("of")));
}

Value Mean(const StepCall& call) {
  return Structure(ops::ReduceMean(call.GetTensor("of")));
}

Value Fail(const StepCall& call) {
  const int replica =
      DistributionContext::Current().replica_id_in_sync_group().value();
  if (!call.Has("on_replica") || call.Integer("on_replica") == replica) {
    throw InvalidArgument("[value.fail] failing on replica {}, as requested",
                          replica);
  }
  return Nothing();
}

}  // namespace

void AddValueSteps(StepTable& table) {
  table.Add("value.constant", Constant);
  table.Add("value.show", Show);
  table.Add("value.shape", ShapeOf);
  table.Add("value.dtype", DTypeOf);
  table.Add("value.device", DeviceOf);
  table.Add("value.cast", Cast);
  table.Add("value.add", Add);
  table.Add("value.multiply", Multiply);
  table.Add("value.divide", Divide);
  table.Add("value.square", Square);
  table.Add("value.sum", Sum);
  table.Add("value.mean", Mean);
  table.Add("value.fail", Fail);
}

}  // namespace lockstep::conformance
