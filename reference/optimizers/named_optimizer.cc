#include "reference/optimizers/named_optimizer.h"

#include <vector>

#include "reference/base/naming/find_named.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

struct Entry {
  std::vector<std::string_view> names;
  std::shared_ptr<Optimizer> (*make)();
};

template <typename T>
std::shared_ptr<Optimizer> Make() {
  return std::make_shared<T>();
}

}  // namespace

std::shared_ptr<Optimizer> NamedOptimizer(std::string_view name) {
  static const auto* table =
      new std::vector<Entry>{{{"adagrad", "Adagrad"}, Make<Adagrad>},
                             {{"adam", "Adam"}, Make<Adam>},
                             {{"rmsprop", "RMSprop"}, Make<RmsProp>},
                             {{"sgd", "SGD"}, Make<Sgd>}};
  return FindNamed("[Optimizer]", name, *table).make();
}

}  // namespace lockstep
