#include "reference/base/error.h"
#include "reference/export/saved_model/loading/operations/host_values.h"
#include "reference/export/saved_model/loading/plan.h"

namespace lockstep::export_internal {
namespace {

// Counts the bytes of computed values.
class Memory {
 public:
  Memory(double most_bytes, size_t num_values)
      : most_bytes_(most_bytes), bytes_of_(num_values, 0) {}

  // Errors: ResourceExhausted.
  void Expect(double bytes) const {
    if (held_ + bytes <= most_bytes_) return;
    throw ResourceExhausted(
        "needs {:.0f} bytes in addition to {:.0f} in use, at most {:.0f} are "
        "allowed; give LoadSavedModel a larger memory_limit",
        bytes, held_, most_bytes_);
  }
  void Hold(int value, const Tensor& tensor) {
    bytes_of_[static_cast<size_t>(value)] = static_cast<double>(tensor.bytes());
    held_ += static_cast<double>(tensor.bytes());
  }
  void Free(int value) {
    held_ -= bytes_of_[static_cast<size_t>(value)];
    bytes_of_[static_cast<size_t>(value)] = 0;
  }

 private:
  double most_bytes_;
  double held_ = 0;
  std::vector<double> bytes_of_;
};

std::vector<Tensor> Compute(const Operation& operation, Tensors inputs,
                            const Memory& memory) {
  try {
    memory.Expect(operation.most_bytes(inputs));
    if (operation.compute_all) return operation.compute_all(inputs);
    return {operation.compute(inputs)};
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("[SavedModel::Run] {}: {}",
                                          operation.place, error.what()));
  }
}

}  // namespace

std::vector<Tensor> RunPlan(const Plan& plan, Tensors inputs,
                            const std::vector<VariablePtr>& variables,
                            double most_bytes) {
  std::vector<Tensor> values(static_cast<size_t>(plan.num_values));
  const auto value = [&](int number) -> Tensor& {
    return values[static_cast<size_t>(number)];
  };
  for (size_t i = 0; i < inputs.size(); ++i) values[i] = InPlace(inputs[i]);
  for (const auto& [number, constant] : plan.constants) {
    value(number) = InPlace(constant);
  }
  for (const auto& [number, variable] : plan.variables) {
    value(number) = variables[variable]->Read();
  }
  Memory memory(most_bytes, values.size());
  std::vector<Tensor> taken;
  for (const Plan::Step& step : plan.steps) {
    taken.clear();
    for (const int number : step.inputs) taken.push_back(value(number));
    int output = step.output;
    for (const Tensor& result : Compute(step.operation, taken, memory)) {
      value(output) = result;
      memory.Hold(output++, result);
    }
    for (const int number : step.last_used) {
      memory.Free(number);
      value(number) = Tensor();
    }
  }
  std::vector<Tensor> results;
  for (const int number : plan.results) results.push_back(value(number));
  return results;
}

}  // namespace lockstep::export_internal
