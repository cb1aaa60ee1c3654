#include "reference/export/keras/training_objects.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "reference/base/error.h"
#include "reference/base/naming/object_config.h"
#include "reference/export/keras/config_reader.h"
#include "reference/layers/layer_config.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/named_loss.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/decay_schedules.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/named_optimizer.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

constexpr char kOptimizers[] = "keras.optimizers";

Json ObjectOf(std::string_view module, const ObjectConfig& config);

// A nested object is a schedule, or the inner optimizer of a loss scale.
Json ValueOf(const ObjectConfig::Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<
                                 Held, std::shared_ptr<const ObjectConfig>>) {
          const bool schedule =
              held->class_name.find("Decay") != std::string::npos;
          return ObjectOf(schedule ? "keras.optimizers.schedules" : kOptimizers,
                          *held);
        } else {
          return held;
        }
      },
      value);
}

Json ObjectOf(std::string_view module, const ObjectConfig& config) {
  Json settings = Json::object();
  for (const auto& [key, value] : config.settings)
    settings[key] = ValueOf(value);
  return KerasObject(module, config.class_name, settings);
}

}  // namespace

Json OptimizerObject(const Optimizer& optimizer) {
  return ObjectOf(kOptimizers, optimizer.Config());
}

Json LossObject(const losses::Loss& loss) {
  return ObjectOf("keras.losses", loss.Config());
}

namespace {

struct Described {
  std::string class_name;
  Json config;
};

// Errors: InvalidArgument if it is not an object of Keras.
Described Describe(const Json& object, const char* what) {
  if (object.is_object() && object.contains("class_name") &&
      object["class_name"].is_string() && object.contains("config") &&
      object["config"].is_object()) {
    return {object["class_name"], object["config"]};
  }
  throw InvalidArgument("[LoadModel] {} must be a name or an object, got {}",
                        what, object.dump().substr(0, 100));
}

// ConfigReader requires a name, which a schedule does not have.
ConfigReader ReaderOf(const Described& of, Json& named) {
  named = of.config;
  if (!named.contains("name") || named["name"].is_null()) {
    named["name"] = of.class_name;
  }
  return ConfigReader(of.class_name, named);
}

template <typename Number>
std::vector<Number> Numbers(ConfigReader& config, const std::string& key) {
  const Json* list = config.Find(key);
  const auto is_number = [](const Json& item) { return item.is_number(); };
  if (list == nullptr || !list->is_array() ||
      !std::ranges::all_of(*list, is_number)) {
    throw InvalidArgument("[LoadModel] {}: {} must be numbers",
                          config.class_name(), key);
  }
  return list->get<std::vector<Number>>();
}

using SchedulePtr = std::shared_ptr<const LearningRateSchedule>;

SchedulePtr MakeDecay(ConfigReader& config) {
  const std::string& kind = config.class_name();
  const double initial = config.Number("initial_learning_rate", 0);
  if (kind == "CosineDecayRestarts") {
    return std::make_shared<CosineDecayRestarts>(
        initial, config.Integer("first_decay_steps"),
        CosineDecayRestartsOptions{.t_mul = config.Number("t_mul", 2),
                                   .m_mul = config.Number("m_mul", 1),
                                   .alpha = config.Number("alpha", 0)});
  }
  const int64_t steps = config.Integer("decay_steps");
  if (kind == "ExponentialDecay") {
    return std::make_shared<ExponentialDecay>(initial, steps,
                                              config.Number("decay_rate", 0),
                                              config.Flag("staircase", false));
  }
  if (kind == "InverseTimeDecay") {
    return std::make_shared<InverseTimeDecay>(initial, steps,
                                              config.Number("decay_rate", 0),
                                              config.Flag("staircase", false));
  }
  if (kind == "PolynomialDecay") {
    return std::make_shared<PolynomialDecay>(
        initial, steps,
        PolynomialDecayOptions{
            .end_learning_rate = config.Number("end_learning_rate", 0.0001),
            .power = config.Number("power", 1),
            .cycle = config.Flag("cycle", false)});
  }
  if (kind != "CosineDecay") {
    throw Unimplemented("[LoadModel] the schedule {} is not supported", kind);
  }
  CosineDecayOptions options{.alpha = config.Number("alpha", 0)};
  const Json* target = config.Find("warmup_target");
  if (target != nullptr && target->is_number()) options.warmup_target = *target;
  if (config.Find("warmup_steps")) {
    options.warmup_steps = config.Integer("warmup_steps");
  }
  return std::make_shared<CosineDecay>(initial, steps, options);
}

SchedulePtr MakeSchedule(const Json& object) {
  Json named;
  ConfigReader config = ReaderOf(Describe(object, "a schedule"), named);
  SchedulePtr schedule;
  if (config.class_name() == "PiecewiseConstantDecay") {
    schedule = std::make_shared<PiecewiseConstantDecay>(
        Numbers<int64_t>(config, "boundaries"),
        Numbers<double>(config, "values"));
  } else {
    schedule = MakeDecay(config);
  }
  config.CheckAllRead();
  return schedule;
}

LearningRate RateOf(ConfigReader& config) {
  const Json* rate = config.Find("learning_rate");
  if (rate != nullptr && rate->is_object()) return MakeSchedule(*rate);
  return config.Number("learning_rate", 0.001);
}

std::optional<double> LimitOf(ConfigReader& config, const std::string& key) {
  const Json* limit = config.Find(key);
  if (limit == nullptr || limit->is_null()) return std::nullopt;
  return config.Number(key, 0);
}

OptimizerOptions OptionsOf(ConfigReader& config) {
  const Json* overwrites = config.Find("ema_overwrite_frequency");
  const bool ever = overwrites != nullptr && !overwrites->is_null();
  return {.name = config.name(),
          .weight_decay = LimitOf(config, "weight_decay").value_or(0),
          .clipnorm = LimitOf(config, "clipnorm"),
          .global_clipnorm = LimitOf(config, "global_clipnorm"),
          .clipvalue = LimitOf(config, "clipvalue"),
          .use_ema = config.Flag("use_ema", false),
          .ema_momentum = config.Number("ema_momentum", 0.99),
          .ema_overwrite_frequency =
              ever ? std::optional(config.Integer("ema_overwrite_frequency"))
                   : std::nullopt};
}

template <typename Kind, typename Config>
std::shared_ptr<Optimizer> MakeAdam(ConfigReader& config) {
  return std::make_shared<Kind>(
      Config{.learning_rate = RateOf(config),
             .beta_1 = config.Number("beta_1", 0.9),
             .beta_2 = config.Number("beta_2", 0.999),
             .epsilon = config.Number("epsilon", 1e-7),
             .options = OptionsOf(config)});
}

std::shared_ptr<Optimizer> MakeLossScale(ConfigReader& config) {
  const Json* inner = config.Find("inner_optimizer");
  LossScaleOptions scale{.initial_scale = config.Number("initial_scale", 32768),
                         .name = config.name()};
  if (config.Find("dynamic_growth_steps")) {
    scale.dynamic_growth_steps = config.Integer("dynamic_growth_steps");
  }
  // Keras also writes these settings of the inner optimizer here.
  for (const char* key : {"learning_rate", "weight_decay", "clipnorm",
                          "global_clipnorm", "clipvalue"}) {
    config.Find(key);
  }
  return std::make_shared<LossScaleOptimizer>(
      MakeOptimizer(inner == nullptr ? Json() : *inner), scale);
}

std::shared_ptr<Optimizer> MakeKnownOptimizer(ConfigReader& config) {
  const std::string& kind = config.class_name();
  if (kind == "Adam") return MakeAdam<Adam, AdamOptions>(config);
  if (kind == "AdamW") return MakeAdam<AdamW, AdamWOptions>(config);
  if (kind == "LossScaleOptimizer") return MakeLossScale(config);
  if (kind == "SGD") {
    return std::make_shared<Sgd>(
        SgdOptions{.learning_rate = RateOf(config),
                   .momentum = config.Number("momentum", 0),
                   .nesterov = config.Flag("nesterov", false),
                   .options = OptionsOf(config)});
  }
  if (kind == "RMSprop") {
    return std::make_shared<RmsProp>(
        RmsPropOptions{.learning_rate = RateOf(config),
                       .rho = config.Number("rho", 0.9),
                       .epsilon = config.Number("epsilon", 1e-7),
                       .options = OptionsOf(config)});
  }
  if (kind == "Adagrad") {
    return std::make_shared<Adagrad>(
        AdagradOptions{.learning_rate = RateOf(config),
                       .initial_accumulator_value =
                           config.Number("initial_accumulator_value", 0.1),
                       .epsilon = config.Number("epsilon", 1e-7),
                       .options = OptionsOf(config)});
  }
  throw Unimplemented("[LoadModel] the optimizer {} is not supported", kind);
}

}  // namespace

std::shared_ptr<Optimizer> MakeOptimizer(const Json& object) {
  if (object.is_string()) return NamedOptimizer(object.get<std::string>());
  Json named;
  ConfigReader config = ReaderOf(Describe(object, "the optimizer"), named);
  std::shared_ptr<Optimizer> optimizer = MakeKnownOptimizer(config);
  config.CheckAllRead();
  return optimizer;
}

namespace {

losses::Reduction ReductionOf(ConfigReader& config) {
  const std::string name = config.Text("reduction", "sum_over_batch_size");
  if (name == "sum_over_batch_size") return losses::Reduction::kAuto;
  if (name == "sum") return losses::Reduction::kSum;
  if (name == "none") return losses::Reduction::kNone;
  throw Unimplemented("[LoadModel] '{}' has the reduction '{}'", config.name(),
                      name);
}

std::optional<int64_t> IgnoredClass(ConfigReader& config) {
  const Json* ignored = config.Find("ignore_class");
  if (ignored == nullptr || ignored->is_null()) return std::nullopt;
  return config.Integer("ignore_class");
}

std::shared_ptr<const losses::Loss> MakeKnownLoss(ConfigReader& config) {
  const std::string& kind = config.class_name();
  const losses::Reduction reduction = ReductionOf(config);
  const bool logits = config.Flag("from_logits", false);
  const double smoothing = config.Number("label_smoothing", 0);
  const std::string& name = config.name();
  if (kind == "MeanSquaredError") {
    return std::make_shared<losses::MeanSquaredError>(
        losses::MeanSquaredErrorOptions{reduction, name});
  }
  if (kind == "MeanAbsoluteError") {
    return std::make_shared<losses::MeanAbsoluteError>(
        losses::MeanAbsoluteErrorOptions{reduction, name});
  }
  if (kind == "SparseCategoricalCrossentropy") {
    return std::make_shared<losses::SparseCategoricalCrossentropy>(
        losses::SparseCategoricalCrossentropyOptions{
            .from_logits = logits,
            .ignore_class = IgnoredClass(config),
            .reduction = reduction,
            .name = name});
  }
  if (kind == "CategoricalCrossentropy") {
    return std::make_shared<losses::CategoricalCrossentropy>(
        losses::CategoricalCrossentropyOptions{logits, smoothing, reduction,
                                               name});
  }
  if (kind == "BinaryCrossentropy") {
    return std::make_shared<losses::BinaryCrossentropy>(
        losses::BinaryCrossentropyOptions{logits, smoothing, reduction, name});
  }
  throw Unimplemented("[LoadModel] the loss {} is not supported", kind);
}

}  // namespace

std::shared_ptr<const losses::Loss> MakeLoss(const Json& object) {
  if (object.is_string()) return losses::Named(object.get<std::string>());
  Json named;
  ConfigReader config = ReaderOf(Describe(object, "the loss"), named);
  std::shared_ptr<const losses::Loss> loss = MakeKnownLoss(config);
  config.CheckAllRead();
  return loss;
}

std::vector<std::string> MetricNames(const Json& list) {
  std::vector<std::string> names;
  if (list.is_null()) return names;
  if (!list.is_array()) {
    throw InvalidArgument("[LoadModel] metrics must be a list, got {}",
                          list.dump().substr(0, 100));
  }
  for (const Json& metric : list) {
    names.push_back(metric.is_string()
                        ? metric.get<std::string>()
                        : Describe(metric, "a metric").class_name);
  }
  return names;
}

}  // namespace lockstep
