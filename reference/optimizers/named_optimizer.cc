#include "reference/optimizers/named_optimizer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "reference/base/naming/find_named.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

struct MadeByName {
  std::array<std::string_view, 1> names;
  std::shared_ptr<Optimizer> (*make)();
};

template <typename T>
std::shared_ptr<Optimizer> MakeOptimizer() {
  return std::make_shared<T>();
}

constexpr std::array<MadeByName, 5> kOptimizers = {
    {{{"sgd"}, MakeOptimizer<Sgd>},
     {{"adam"}, MakeOptimizer<Adam>},
     {{"adamw"}, MakeOptimizer<AdamW>},
     {{"adagrad"}, MakeOptimizer<Adagrad>},
     {{"rmsprop"}, MakeOptimizer<RmsProp>}}};

}  // namespace

std::shared_ptr<Optimizer> NamedOptimizer(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  return FindNamed("[Optimizer]", lower, kOptimizers).make();
}

}  // namespace lockstep
