// For any bytes, the weights of a model and its optimizer are read, or refused
// with an Error and unchanged.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/error.h"
#include "reference/export/keras/weights_image.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/model_impl.h"
#include "reference/optimizers/update_rules.h"
#include "reference/tensor/tensor.h"

namespace {

using namespace lockstep;                   // NOLINT: a test
using namespace lockstep::export_internal;  // NOLINT: of this folder

struct Trained {
  Trained() { optimizer.Build(model.variables()); }

  std::vector<Tensor> Values() const {
    std::vector<Tensor> values;
    for (const VariablePtr& v : model.variables()) values.push_back(v->Read());
    for (const VariablePtr& v : optimizer.variables()) {
      values.push_back(v->Read());
    }
    return values;
  }

  const SymbolicTensor input = Input({2});
  const Layer model = MakeLayer<ModelImpl>(input, Dense(3)(input), "model");
  Sgd optimizer{SgdOptions{.momentum = 0.5}};
};

bool Same(const std::vector<Tensor>& some, const std::vector<Tensor>& others) {
  for (size_t i = 0; i < some.size(); ++i) {
    if (!BitwiseEqual(some[i], others[i])) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Trained trained;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::vector<Tensor> before = trained.Values();
  try {
    DecodeWeights(input, "fuzzed", trained.model.impl(), &trained.optimizer);
  } catch (const Error& error) {
    if (error.code() == Code::kInternal) throw;
    if (!Same(trained.Values(), before)) throw std::logic_error("half loaded");
  }
  return 0;
}
