#include "reference/training/model/compiled_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/layers/model_impl.h"
#include "reference/losses/named_loss.h"
#include "reference/metrics/named_metric.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/named_optimizer.h"
#include "reference/parameter_server/coordinator/parameter_server_strategy.h"

namespace lockstep {
namespace {

// Each replica needs its copy of the weights.
void CheckMadeInScope(const Layer& model, const Strategy& strategy) {
  if (strategy.num_replicas_in_sync() == 1) return;
  for (const VariablePtr& variable : model.variables()) {
    if (dynamic_cast<const LocalVariable*>(variable.get()) == nullptr) continue;
    throw FailedPrecondition(
        "[Compile] '{}' was created outside the scope of the strategy in which "
        "the model is compiled; create the model in the scope too",
        variable->name());
  }
}

std::shared_ptr<Optimizer> ChooseOptimizer(const OptimizerChoice& choice,
                                           const DTypePolicy& policy) {
  if (!choice.object() && choice.name().empty()) {
    throw InvalidArgument(
        "[Compile] the optimizer must be a name or an object, got nullptr or "
        "an empty name");
  }
  std::shared_ptr<Optimizer> optimizer =
      choice.object() ? choice.object() : NamedOptimizer(choice.name());
  const bool scales = static_cast<bool>(optimizer->Stages().unscale);
  if (policy.compute_dtype() != DType::kFloat16 || scales) return optimizer;
  return std::make_shared<LossScaleOptimizer>(std::move(optimizer));
}

std::shared_ptr<const losses::Loss> ChooseLoss(const LossChoice& choice) {
  if (choice.object()) return choice.object();
  if (choice.name().empty()) return nullptr;
  return losses::Named(choice.name());
}

void CheckNames(const std::vector<MetricChoice>& metrics) {
  for (const MetricChoice& metric : metrics) {
    if (!metric.object()) CheckMetricName(metric.name());
  }
}

// Errors: InvalidArgument for an unknown name.
void CheckLossNames(const CompileOptions& options) {
  ChooseLoss(options.loss);
  for (const auto& [output, loss] : options.output_losses) ChooseLoss(loss);
}

// Errors: InvalidArgument if a key is not an output.
template <typename Value>
void CheckOutputs(const std::map<std::string, Value>& by_output,
                  const std::vector<std::string>& outputs, const char* what) {
  for (const auto& [name, value] : by_output) {
    if (std::ranges::find(outputs, name) != outputs.end()) continue;
    throw InvalidArgument("[Compile] {} names the output '{}', there are: {}",
                          what, name, fmt::join(outputs, ", "));
  }
}

Shape WithUnknownBatch(const Tensor& tensor) {
  if (tensor.rank() == 0) return tensor.shape();
  return tensor.shape().WithDim(0, kUnknownDim);
}

// The model's policy. Errors: as of CompiledModel.
const DTypePolicy& CheckCanCompile(const Layer& model,
                                   const CompileOptions& options) {
  if (options.steps_per_execution < 1) {
    throw InvalidArgument(
        "[Compile] steps_per_execution must be positive, got {}",
        options.steps_per_execution);
  }
  CheckLossNames(options);
  DistributionContext::Current().CheckOutsideRun(
      "Compile", "compile the model before the strategy runs");
  CheckMadeInScope(model, GetStrategy());
  return model.dtype_policy();
}

}  // namespace

CompiledModel::CompiledModel(const Layer& model, const CompileOptions& options)
    : model_(model),
      options_(options),
      strategy_(GetStrategy()),
      optimizer_(
          ChooseOptimizer(options.optimizer, CheckCanCompile(model, options))),
      step_(optimizer_,
            {.accumulation_steps = options.gradient_accumulation_steps}) {
  metrics_node_.TrackChild("accumulated", step_.window());
  const bool skips = static_cast<bool>(optimizer_->Stages().decide);
  if (!skips && !options.keep_gradients) return;
  step_log_ = std::make_shared<StepLog>(
      StepLogOptions{.skipped = skips, .gradients = options.keep_gradients});
  metrics_node_.TrackChild("steps", *step_log_);
  // The optimizer may outlive this.
  optimizer_->WatchSteps(
      [log = step_log_](const OptimizerStep& step) { log->Add(step); });
}

void CompiledModel::CheckMetricNames() const {
  CheckNames(options_.metrics);
  CheckNames(options_.weighted_metrics);
  for (const auto& [output, metrics] : options_.output_metrics) {
    CheckNames(metrics);
  }
}

void CompiledModel::Prepare(const PerReplica<Batch>& batch) {
  if (metrics_) return;
  const StrategyScope scope = strategy_.Scope();
  BuildModel(batch[0].x);
  step_.Build(model_.trainable_variables());
  if (dynamic_cast<ParameterServerStrategy*>(&strategy_) == nullptr) {
    return MakeLossesAndMetrics(batch[0]);
  }
  const VariableCreatorScope in_this_process(
      [this](const VariableOptions& variable) -> VariablePtr {
        local_metrics_.push_back(std::make_shared<LocalVariable>(variable));
        return local_metrics_.back();
      });
  MakeLossesAndMetrics(batch[0]);
}

Structure CompiledModel::TakeMetricState() {
  std::vector<Structure> state;
  for (const VariablePtr& variable : local_metrics_) {
    state.push_back(variable->Read());
    variable->Assign(Tensor::Zeros(variable->shape(), variable->dtype()));
  }
  return Structure::Tuple(std::move(state));
}

void CompiledModel::AddMetricState(const Structure& state) {
  for (size_t i = 0; i < local_metrics_.size(); ++i) {
    local_metrics_[i]->AssignAdd(state[i]);
  }
}

void CompiledModel::PrepareToResume(const PerReplica<Batch>& batch) {
  Prepare(batch);
  PredictStep(batch);
  const StrategyScope scope = strategy_.Scope();
  optimizer_->Build(model_.trainable_variables());
}

void CompiledModel::BuildModel(const Structure& x) {
  const ShapeStructure shapes = x.Map<Shape>(WithUnknownBatch);
  model_.Build(shapes);
  CheckMadeInScope(model_, strategy_);
  output_shapes_ = model_.ComputeOutputShape(shapes).Flatten();
  outputs_ = OutputNames(output_shapes_.size());
}

void CompiledModel::MakeLossesAndMetrics(const Batch& first) {
  CheckOutputs(options_.output_losses, outputs_, "output_losses");
  CheckOutputs(options_.loss_weights, outputs_, "loss_weights");
  CheckOutputs(options_.output_metrics, outputs_, "output_metrics");
  auto losses = std::make_unique<ModelLosses>(ChooseLosses());
  std::vector<Tensor> labels;
  if (first.y) labels = ForOutputs(*first.y, outputs_.size(), "labels");
  const bool several = outputs_.size() > 1;
  metrics_ = std::make_unique<ModelMetrics>(
      several ? losses->names() : std::vector<std::string>(),
      ChooseMetrics(labels));
  losses_ = std::move(losses);
  metrics_node_.TrackChild("compiled", *metrics_);
}

std::vector<std::string> CompiledModel::OutputNames(size_t outputs) const {
  if (const auto* model = dynamic_cast<const ModelImpl*>(&model_.impl())) {
    return model->output_names();
  }
  if (outputs == 1) return {model_.name()};
  std::vector<std::string> names;
  for (size_t i = 1; i <= outputs; ++i) {
    names.push_back(fmt::format("output_{}", i));
  }
  return names;
}

std::vector<OutputLoss> CompiledModel::ChooseLosses() const {
  std::vector<OutputLoss> losses;
  for (const std::string& output : outputs_) {
    const auto own = options_.output_losses.find(output);
    const auto weight = options_.loss_weights.find(output);
    losses.push_back(
        {.output = output,
         .loss = ChooseLoss(own == options_.output_losses.end() ? options_.loss
                                                                : own->second),
         .weight = weight == options_.loss_weights.end() ? 1 : weight->second});
  }
  return losses;
}

std::vector<OutputMetric> CompiledModel::ChooseMetrics(
    const std::vector<Tensor>& labels) const {
  std::vector<OutputMetric> metrics;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Shape shape = i < labels.size() ? labels[i].shape() : Shape{};
    const auto add = [&](const std::vector<MetricChoice>& choices,
                         bool weighted) {
      for (const MetricChoice& choice : choices) {
        metrics.push_back(MakeMetric(choice, i, weighted, shape));
      }
    };
    add(options_.metrics, false);
    const auto own = options_.output_metrics.find(outputs_[i]);
    if (own != options_.output_metrics.end()) add(own->second, false);
    add(options_.weighted_metrics, true);
  }
  return metrics;
}

OutputMetric CompiledModel::MakeMetric(const MetricChoice& choice,
                                       size_t output, bool weighted,
                                       const Shape& labels) const {
  std::shared_ptr<Metric> metric = choice.object();
  if (!metric) {
    metric = IsAccuracyName(choice.name())
                 ? AccuracyFor(labels, output_shapes_[output], choice.name())
                 : NamedMetric(choice.name());
  }
  const std::string name = outputs_.size() == 1
                               ? metric->name()
                               : outputs_[output] + "_" + metric->name();
  return {.output = output,
          .name = name,
          .metric = std::move(metric),
          .weighted = weighted};
}

int64_t CompiledModel::GlobalRows(int64_t rows_here, const Batch& part) const {
  if (strategy_.topology().num_workers() == 1) return rows_here;
  const Tensor rows = Tensor::Scalar<int64_t>(Rows(part.x));
  return GetReplicaContext().AllReduce(ReduceOp::kSum, rows).item<int64_t>();
}

struct CompiledModel::Outcome {
  Structure predictions;
  LossPart loss;
};

CompiledModel::Outcome CompiledModel::Forward(const Batch& part,
                                              int64_t rows_here,
                                              const StepKind& kind) {
  const int64_t global_rows = GlobalRows(rows_here, part);
  const Structure predictions = model_(part.x, kind.training);
  const std::vector<Tensor> penalties =
      kind.penalties ? model_.losses() : std::vector<Tensor>();
  if (kind.training && penalties.empty() && !losses_->has_losses()) {
    throw InvalidArgument("[Fit] the model has no loss: give Compile one");
  }
  return {predictions, (*losses_)(part, predictions, penalties, global_rows)};
}

namespace {

int64_t RowsHere(const PerReplica<Batch>& batch) {
  int64_t rows = 0;
  for (const Batch& part : batch) rows += Rows(part.x);
  return rows;
}

}  // namespace

void CompiledModel::TrainStep(const PerReplica<Batch>& batch) {
  Prepare(batch);
  const int64_t rows = RowsHere(batch);
  {
    const StrategyScope scope = strategy_.Scope();
    step_.BeginBatch();
  }
  strategy_.Run(
      [&](const Batch& part) {
        step_.OnReplica([&] {
          Outcome outcome = Forward(part, rows, {.training = true});
          return ForwardPass{
              .loss = outcome.loss.trained,
              .weights = model_.trainable_variables(),
              .examples = outcome.loss.global_weight,
              .measure = [this, &part, outcome = std::move(outcome)] {
                metrics_->Update(part, outcome.predictions, outcome.loss);
              }};
        });
      },
      batch);
}

void CompiledModel::TestStep(const PerReplica<Batch>& batch, bool penalties) {
  Prepare(batch);
  const int64_t rows = RowsHere(batch);
  strategy_.Run(
      [&](const Batch& part) {
        const Outcome outcome =
            Forward(part, rows, {.training = false, .penalties = penalties});
        metrics_->Update(part, outcome.predictions, outcome.loss);
      },
      batch);
}

Structure CompiledModel::PredictStep(const PerReplica<Batch>& batch) {
  const PerReplica<Structure> predictions = strategy_.Run(
      [&](const Batch& part) { return model_(part.x, /*training=*/false); },
      batch);
  const StrategyScope scope = strategy_.Scope();
  return strategy_.Gather(predictions, /*axis=*/0);
}

void CompiledModel::SyncMovingAverages() {
  if (strategy_.num_replicas_in_sync() == 1) return;
  const StrategyScope scope = strategy_.Scope();
  for (const VariablePtr& variable : model_.non_trainable_variables()) {
    if (variable->synchronization() == VariableSynchronization::kOnRead &&
        variable->aggregation() == VariableAggregation::kMean) {
      variable->Assign(variable->Read());
    }
  }
}

void CompiledModel::FinalizeWeights() {
  const StrategyScope scope = strategy_.Scope();
  optimizer_->FinalizeVariableValues(model_.trainable_variables());
}

Gradients CompiledModel::LastGradients() {
  if (!options_.keep_gradients) {
    throw FailedPrecondition(
        "[gradients] no gradients are kept; compile the model with "
        "keep_gradients");
  }
  const std::vector<VariablePtr> variables = model_.trainable_variables();
  if (step_.window().done() == 0) return step_log_->GradientsOf(variables);
  const StrategyScope scope = strategy_.Scope();
  return step_.WindowGradients(variables);
}

int64_t CompiledModel::skipped_steps() const {
  return step_log_ ? step_log_->skipped() : 0;
}

Logs CompiledModel::Results() {
  const StrategyScope scope = strategy_.Scope();
  return metrics_ ? metrics_->Results() : Logs();
}

void CompiledModel::ResetMetrics() {
  const StrategyScope scope = strategy_.Scope();
  if (metrics_) metrics_->Reset();
}

}  // namespace lockstep
