// For tests of strategies: small tensors, strategies of any size, error codes.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_DISTRIBUTE_TESTING_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_DISTRIBUTE_TESTING_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/distribute/mirrored_strategy.h"

namespace lockstep {

// The code of the error that `body` throws, or nullopt.
template <typename Body>
std::optional<Code> CodeOf(const Body& body) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    return error.code();
  }
}

inline Tensor Row(std::vector<float> values) {
  return Tensor::FromVector(values);
}
inline Tensor Matrix(std::vector<float> values, int64_t rows) {
  const auto columns = static_cast<int64_t>(values.size()) / rows;
  return Tensor::FromVector(values, Shape{rows, columns});
}
inline PerReplica<Tensor> Tensors(std::vector<Tensor> tensors) {
  return PerReplica<Tensor>(std::move(tensors));
}

// A strategy over that many logical CPUs, made without its log line.
inline std::unique_ptr<MirroredStrategy> MakeStrategy(
    int replicas, MirroredStrategyOptions options = {}) {
  LogCapture quiet;
  SetLogicalCpuDevices(replicas);
  std::vector<std::string> devices;
  for (int i = 0; i < replicas; ++i) {
    devices.push_back("CPU:" + std::to_string(i));
  }
  return std::make_unique<MirroredStrategy>(devices, std::move(options));
}

// A float variable of the strategy that starts as `value`.
inline VariablePtr MakeIn(
    Strategy& strategy, float value,
    VariableAggregation aggregation = VariableAggregation::kNone,
    VariableSynchronization synchronization = VariableSynchronization::kAuto) {
  StrategyScope scope = strategy.Scope();
  return MakeVariable({.initial_value = [=] { return Tensor::Scalar(value); },
                       .name = "v",
                       .synchronization = synchronization,
                       .aggregation = aggregation});
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_DISTRIBUTE_TESTING_H_
