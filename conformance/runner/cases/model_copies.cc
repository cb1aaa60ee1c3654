#include "conformance/runner/cases/model_copies.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/runner/cases/program.h"

namespace lockstep {
namespace {

// Model name -> whether it is trained. A name that is bound again replaces the
// earlier model.
using Models = std::map<std::string, bool>;

Models ModelsOf(const Json& block) {
  Models models;
  for (const Json& step : block) {
    if (step["step"] == "train.create") {
      const auto model = models.find(step["of"]);
      if (model != models.end()) model->second = true;
    }
    if (!step.contains("let")) continue;
    models.erase(step["let"]);
    if (step["step"] == "model.create") models.emplace(step["let"], false);
  }
  return models;
}

class Observer {
 public:
  explicit Observer(const Json& program) {
    for (std::string& name : ObservationNamesOf(program)) {
      taken_.insert(std::move(name));
    }
  }

  void AddTo(Json& block, std::optional<int64_t> replicas) {
    for (const auto& [model, is_trained] : ModelsOf(block)) {
      if (!is_trained) continue;
      observed_.push_back({FreeName(), replicas});
      block.push_back({{"observe", observed_.back().observation},
                       {"step", "model.copies"},
                       {"of", model}});
    }
  }

  std::vector<ObservedCopies> Take() { return std::move(observed_); }

 private:
  std::string FreeName() {
    std::string name = "copies";
    for (int number = 2; !taken_.insert(name).second; ++number) {
      name = fmt::format("copies_{}", number);
    }
    return name;
  }

  Names taken_;
  std::vector<ObservedCopies> observed_;
};

}  // namespace

std::vector<ObservedCopies> ObserveCopies(Json& program) {
  Observer observer(program);
  for (Json& step : program) {
    if (step["step"] != "job.run") continue;
    const Json& replicas = step["replicas"];
    observer.AddTo(step["program"], replicas.is_number_integer()
                                        ? std::optional(replicas.get<int64_t>())
                                        : std::nullopt);
  }
  observer.AddTo(program, std::nullopt);
  return observer.Take();
}

}  // namespace lockstep
