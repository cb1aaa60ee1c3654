#include "conformance/runner/verdicts/traced_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "conformance/runner/cases/program.h"
#include "reference/base/check.h"

namespace lockstep {
namespace {

// More than any case has, and small enough to multiply without overflow.
constexpr int64_t kMaxCount = 1'000'000;

constexpr std::string_view kGradients = "train.gradients";

// A parameter may have replaced the argument by any value.
std::string TextOf(const Json& step, const char* field) {
  const auto found = step.find(field);
  return found != step.end() && found->is_string() ? found->get<std::string>()
                                                   : "";
}

// nullopt unless it is an integer from 1 to kMaxCount; it may be the name of one.
std::optional<int64_t> CountOf(const Json& step, const char* field,
                               std::optional<int64_t> by_default) {
  const auto found = step.find(field);
  if (found == step.end()) return by_default;
  if (!found->is_number_integer()) return std::nullopt;
  const int64_t count = found->get<int64_t>();
  if (count < 1 || count > kMaxCount) return std::nullopt;
  return count;
}

bool Trains(const Json& step) {
  const std::string name = TextOf(step, "step");
  return name == "train.batches" || name == "train.epoch" ||
         name == "train.join";
}

bool AnyTrains(const Json& program) {
  return std::ranges::any_of(program, [](const Json& step) {
    return Trains(step) ||
           (step.contains("program") && AnyTrains(step["program"]));
  });
}

// Visits the steps of a program, and tracks what names are bound to.
class Walk {
 public:
  explicit Walk(int64_t replicas) : replicas_(replicas) {}

  // Empty where the program cannot be traced.
  std::vector<TrainingStep> Through(const Json& program) {
    for (size_t place = 0; place < program.size(); ++place) {
      const Json& step = program[place];
      if (step.contains("program")) {
        if (AnyTrains(step["program"])) return {};
        ForgetNamesOf(step["program"]);
      }
      if (Trains(step) && !Add(place, step)) return {};
      NoteTraining(step);
      if (step.contains("let")) Bind(step["let"], step);
    }
    return std::move(steps_);
  }

 private:
  struct Training {
    std::string model;
    int64_t accumulate;
    bool is_fresh = true;  // has not trained yet
  };

  bool Add(size_t place, const Json& step) {
    const std::string name = TextOf(step, "of");
    const auto training = trainings_.find(name);
    if (training == trainings_.end()) return false;
    steps_.push_back({.place = place,
                      .name = TextOf(step, "step"),
                      .training = name,
                      .model = training->second.model,
                      .batches = BatchesOf(step, training->second),
                      .window = WindowOf(step, training->second)});
    return true;
  }

  // 0 if windows may be cut: implementations differ in what they do with a
  // window at the end of an epoch.
  int64_t WindowOf(const Json& step, const Training& training) const {
    const auto loader = loaders_.find(TextOf(step, "loader"));
    const bool is_whole =
        training.is_fresh && training.accumulate > 0 &&
        step["step"] == "train.epoch" && !step.contains("stop_after") &&
        loader != loaders_.end() &&
        BatchesOfPass(loader->second) % training.accumulate == 0;
    return is_whole ? training.accumulate : 0;
  }

  // "epochs" and "stop_after" include earlier batches, so the batches of a
  // later epoch are not known.
  int64_t BatchesOf(const Json& step, const Training& training) const {
    const std::string name = TextOf(step, "step");
    if (name == "train.batches") {
      return CountOf(step, "batches", 1).value_or(0);
    }
    if (name != "train.epoch" || !training.is_fresh) return 0;
    const auto loader = loaders_.find(TextOf(step, "loader"));
    if (loader == loaders_.end()) return 0;
    const int64_t batches =
        CountOf(step, "epochs", 1).value_or(0) * BatchesOfPass(loader->second);
    return std::min(batches, CountOf(step, "stop_after", batches).value_or(0));
  }

  int64_t BatchesOfPass(const Json& loader) const {
    int64_t batch = CountOf(loader, "batch", std::nullopt).value_or(0);
    if (TextOf(loader, "batch_of") == "replica") batch *= replicas_;
    if (batch == 0 || !loader.contains("inputs")) return 0;
    const auto examples = static_cast<int64_t>(loader["inputs"].size());
    const bool drops_last = loader.value("drop_last", Json(false)) == true;
    return drops_last ? examples / batch : (examples + batch - 1) / batch;
  }

  void NoteTraining(const Json& step) {
    const auto training = trainings_.find(TextOf(step, "of"));
    if (training == trainings_.end()) return;
    if (Trains(step) || step["step"] == "train.no_sync" ||
        step["step"] == "train.resume") {
      training->second.is_fresh = false;
    }
  }

  // A name that is bound again loses its earlier meaning.
  void Forget(const std::string& name) {
    trainings_.erase(name);
    loaders_.erase(name);
    std::erase_if(trainings_, [&](const auto& training) {
      return training.second.model == name;
    });
  }

  // Names that a block binds may be visible after it.
  void ForgetNamesOf(const Json& block) {
    for (const Json& step : block) {
      if (step.contains("let")) Forget(step["let"]);
      if (step.contains("program")) ForgetNamesOf(step["program"]);
    }
  }

  void Bind(const std::string& name, const Json& step) {
    Forget(name);
    if (step["step"] == "train.create") {
      trainings_[name] = {
          .model = TextOf(step, "of"),
          .accumulate = CountOf(step, "accumulate", 1).value_or(0)};
    } else if (step["step"] == "loader.create") {
      loaders_[name] = step;
    }
  }

  const int64_t replicas_;
  std::map<std::string, Training> trainings_;
  std::map<std::string, Json> loaders_;
  std::vector<TrainingStep> steps_;
};

std::string FreePrefix(const Json& program) {
  std::string prefix = "traced_";
  const std::vector<std::string> names = ObservationNamesOf(program);
  while (std::ranges::any_of(names, [&](const std::string& name) {
    return name.starts_with(prefix);
  })) {
    prefix += "again_";
  }
  return prefix;
}

}  // namespace

bool ObservesGradients(std::string_view step) { return step == kGradients; }

TracedProgram::TracedProgram(Json program, int64_t replicas)
    : program_(std::move(program)),
      steps_(Walk(replicas).Through(program_)),
      prefix_(FreePrefix(program_)) {}

std::string TracedProgram::GradientsOf(size_t step) const {
  return fmt::format("{}gradients_{}", prefix_, step);
}

std::string TracedProgram::ParametersOf(size_t step) const {
  return fmt::format("{}parameters_{}", prefix_, step);
}

Json TracedProgram::Whole(bool gradients) const {
  Json traced = Json::array();
  size_t next = 0;
  for (size_t place = 0; place < program_.size(); ++place) {
    traced.push_back(program_[place]);
    if (next == steps_.size() || steps_[next].place != place) continue;
    AddObservations(next++, gradients, traced);
  }
  return traced;
}

Json TracedProgram::Within(size_t step, int64_t batches, bool gradients) const {
  const TrainingStep& training = steps_[step];
  LOCKSTEP_CHECK(1 <= batches && batches <= training.batches);
  Json traced = Json::array();
  for (size_t place = 0; place <= training.place; ++place) {
    traced.push_back(program_[place]);
  }
  traced.back()[training.name == "train.epoch" ? "stop_after" : "batches"] =
      batches;
  AddObservations(step, gradients, traced);
  return traced;
}

void TracedProgram::AddObservations(size_t step, bool gradients,
                                    Json& program) const {
  const TrainingStep& training = steps_[step];
  if (gradients) {
    program.push_back({{"observe", GradientsOf(step)},
                       {"step", kGradients},
                       {"of", training.training}});
  }
  program.push_back({{"observe", ParametersOf(step)},
                     {"step", "model.parameters"},
                     {"of", training.model}});
}

}  // namespace lockstep
