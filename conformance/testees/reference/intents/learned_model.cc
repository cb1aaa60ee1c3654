#include "conformance/testees/reference/intents/learned_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "conformance/testees/reference/intents/centering.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/distribute/strategy.h"
#include "reference/distribute/variables/distributed_variable.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/dtype_policy.h"
#include "reference/layers/layer_impl.h"
#include "reference/layers/transformer/embedding.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/regression_losses.h"
#include "reference/metrics/accuracy.h"

namespace lockstep::conformance {
namespace {

Tensor FloatsOf(const Json& spec, const char* name) {
  return ToTensor(spec.at(name), DType::kFloat32);
}

Initializer Given(const Tensor& value) {
  return [value](const Shape&, Random&) { return value.Clone(); };
}

Layer MakeDense(const Json& spec, double l2) {
  const Tensor kernel = FloatsOf(spec, "kernel");
  DenseOptions options{.activation = ParseActivation(
                           spec.value("activation", std::string("linear"))),
                       .use_bias = spec.contains("bias"),
                       .kernel_initializer = Given(kernel)};
  if (options.use_bias) {
    options.bias_initializer = Given(FloatsOf(spec, "bias"));
  }
  if (l2 != 0) options.kernel_regularizer = std::make_shared<L2>(l2);
  const Dense layer(kernel.dim(1), options);
  layer.Build(Shape{kUnknownDim, kernel.dim(0)});
  return layer;
}

Layer MakeEmbedding(const Json& spec) {
  const Tensor table = FloatsOf(spec, "table");
  const Embedding layer(table.dim(0), table.dim(1),
                        {.embeddings_initializer = Given(table)});
  layer.Build(Shape{kUnknownDim});
  return layer;
}

Layer MakeNormalization(const Json& spec, bool synchronized) {
  const Tensor gamma = FloatsOf(spec, "gamma");
  const BatchNormalization layer(
      {.momentum = spec.value("momentum", 0.9),
       .epsilon = spec.value("epsilon", 0.001),
       .synchronized = synchronized,
       .beta_initializer = Given(FloatsOf(spec, "beta")),
       .gamma_initializer = Given(gamma)});
  layer.Build(Shape{kUnknownDim, gamma.dim(0)});
  return layer;
}

Layer MakeCentering(const Json& spec) {
  const int64_t size = spec.at("size");
  const Layer layer =
      MakeLayer<CenteringImpl>(size, spec.value("momentum", 0.9));
  layer.Build(Shape{kUnknownDim, size});
  return layer;
}

Layer MakeLayerOf(const Json& spec, const LayerSettings& settings, double l2) {
  const std::string kind = spec.at("kind");
  if (kind == "dense") return MakeDense(spec, l2);
  if (kind == "embedding") return MakeEmbedding(spec);
  if (kind == "centering") return MakeCentering(spec);
  if (kind == "batch_normalization") {
    return MakeNormalization(spec, settings.synchronized);
  }
  throw ProgramError(fmt::format("there is no layer of kind {}", kind));
}

// A call of a layer in a model.
struct Passage {
  Layer layer;
  bool where_positive = false;
};

// Applies the layer to the rows whose first number is positive, if there are
// any; the others stay unchanged.
Tensor PassPositive(const Layer& layer, const Tensor& rows, bool training) {
  const std::vector<float> numbers =
      rows.Cast(DType::kFloat32).ToVector<float>();
  std::vector<int64_t> passing;
  std::vector<int64_t> staying;
  for (int64_t row = 0; row < rows.dim(0); ++row) {
    (numbers[row * rows.dim(1)] > 0 ? passing : staying).push_back(row);
  }
  if (passing.empty()) return rows;
  const auto rows_of = [&](const std::vector<int64_t>& numbers) {
    return ops::Gather(rows, Tensor::FromVector(numbers));
  };
  const Tensor passed = layer(rows_of(passing), training);
  const Tensor joined = ops::Concat(
      {ops::Cast(passed, rows.dtype()), rows_of(staying)}, /*axis=*/0);
  std::vector<int64_t> places(rows.dim(0));
  passing.insert(passing.end(), staying.begin(), staying.end());
  for (size_t place = 0; place < passing.size(); ++place) {
    places[passing[place]] = static_cast<int64_t>(place);
  }
  return ops::Gather(joined, Tensor::FromVector(places));
}

// Owns layers and calls some of them, possibly several times. In training its
// result is the mean of `calls` calls.
class PassageImpl : public CompositeLayerImpl {
 public:
  PassageImpl(std::vector<Layer> layers, std::vector<Passage> passages,
              int calls)
      : CompositeLayerImpl(UniqueName("passage")),
        passages_(std::move(passages)),
        calls_(calls) {
    layers_ = std::move(layers);
    for (size_t i = 0; i < layers_.size(); ++i) {
      TrackChild(fmt::format("layer-{}", i), *layers_[i].trackable());
    }
  }

  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override {
    ShapeStructure shapes = input_shapes;
    for (const Passage& passage : passages_) {
      shapes = passage.layer.ComputeOutputShape(shapes);
    }
    return shapes;
  }

 protected:
  Structure Call(const Structure& inputs, bool training) override {
    const Structure first = CallOnce(inputs, training);
    if (!training || calls_ == 1) return first;
    Tensor sum = first.leaf();
    for (int call = 1; call < calls_; ++call) {
      sum = ops::Add(sum, CallOnce(inputs, training).leaf());
    }
    return ops::Scale(sum, 1.0 / calls_);
  }

 private:
  Structure CallOnce(const Structure& inputs, bool training) const {
    Structure values = inputs;
    for (const auto& [layer, where_positive] : passages_) {
      values = where_positive
                   ? Structure(PassPositive(layer, values.leaf(), training))
                   : layer(values, training);
    }
    return values;
  }

  std::vector<Passage> passages_;
  int calls_;
};

// The index of the layer of this name.
size_t PlaceOf(const Json& specs, const Json& name) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].value("name", Json()) == name) return i;
  }
  throw ProgramError(fmt::format("no layer is named {}", name.dump()));
}

bool IsAgain(const Json& spec) { return spec.at("kind") == "again"; }

bool IsWherePositive(const Json& spec) {
  if (!spec.contains("where")) return false;
  if (spec.at("where") == "positive") return true;
  throw ProgramError("'where' of a layer is \"positive\" or missing");
}

Model ModelOf(const Json& specs, const std::vector<Layer>& layers, int calls) {
  std::vector<Layer> own;
  std::vector<Passage> passages;
  bool is_plain = calls == 1;
  for (size_t i = 0; i < layers.size(); ++i) {
    const bool is_used = specs[i].value("used", true);
    const bool where_positive = IsWherePositive(specs[i]);
    is_plain = is_plain && is_used && !where_positive && !IsAgain(specs[i]);
    if (!IsAgain(specs[i])) own.push_back(layers[i]);
    if (is_used) passages.push_back({layers[i], where_positive});
  }
  if (is_plain) return Sequential(layers);
  return Model(std::make_shared<PassageImpl>(std::move(own),
                                             std::move(passages), calls));
}

// "kernel" of "dense_1/kernel"; an embedding's weight is a "table" to programs.
std::string NameOf(const Variable& variable) {
  const std::string& name = variable.name();
  const std::string last = name.substr(name.rfind('/') + 1);
  return last == "embeddings" ? "table" : last;
}

bool IsBuffer(const Variable& variable) {
  const std::string name = NameOf(variable);
  return name == "seen" || name.starts_with("moving_");
}

std::vector<Tensor> CopiesOf(const Variable& variable) {
  const auto* distributed = dynamic_cast<const DistributedVariable*>(&variable);
  if (!distributed) return {variable.Read()};
  std::vector<Tensor> copies;
  for (int copy = 0; copy < distributed->num_copies(); ++copy) {
    copies.push_back(distributed->copy(copy));
  }
  return copies;
}

}  // namespace

LearnedModel::LearnedModel(Json layers, LearnedLoss loss)
    : specs_(std::move(layers)), loss_(std::move(loss)) {
  Make(settings_);
}

void LearnedModel::Make(const LayerSettings& settings) {
  const DTypePolicyScope policy{DTypePolicy(settings.policy)};
  layers_.clear();
  for (const Json& spec : specs_) {
    if (IsAgain(spec)) {
      layers_.push_back(layers_[PlaceOf(specs_, spec.at("layer"))]);
      continue;
    }
    layers_.push_back(MakeLayerOf(spec, settings, loss_.l2));
    layers_.back().SetTrainable(spec.value("trainable", true));
  }
  model_ = ModelOf(specs_, layers_, settings.calls);
  settings_ = settings;
}

void LearnedModel::Use(const LayerSettings& settings) {
  if (settings == settings_) return;
  const std::vector<VariablePtr> before = model_->variables();
  Make(settings);
  const std::vector<VariablePtr> after = model_->variables();
  for (size_t i = 0; i < before.size(); ++i) {
    after[i]->Assign(before[i]->Read());
  }
}

LossChoice LearnedModel::loss() const {
  if (loss_.kind == "mean_squared_error") return losses::MeanSquaredError();
  if (loss_.kind == "sparse_categorical_crossentropy") {
    return losses::SparseCategoricalCrossentropy(
        {.from_logits = true, .ignore_class = loss_.ignored});
  }
  throw ProgramError("unknown kind of loss: " + loss_.kind);
}

MetricChoice LearnedModel::accuracy() const {
  return std::make_shared<SparseCategoricalAccuracy>("accuracy", loss_.ignored);
}

Json LearnedModel::OfEachLayer(
    const std::function<void(Json& object, const Variable& variable)>& add)
    const {
  Json objects = Json::array();
  for (size_t i = 0; i < layers_.size(); ++i) {
    Json object = Json::object();
    if (!IsAgain(specs_[i])) {
      for (const VariablePtr& variable : layers_[i].variables()) {
        add(object, *variable);
      }
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

Json LearnedModel::Parameters(const Values& values) const {
  return OfEachLayer([&](Json& object, const Variable& variable) {
    if (!IsBuffer(variable)) object[NameOf(variable)] = values.at(&variable);
  });
}

Json LearnedModel::Copies() const {
  Json replicas = Json::array();
  for (size_t copy = 0; copy < GetStrategy().devices().size(); ++copy) {
    Values values;
    for (const VariablePtr& variable : model_->variables()) {
      values[variable.get()] = ToObservation(CopiesOf(*variable)[copy]);
    }
    replicas.push_back(Parameters(values));
  }
  return replicas;
}

Json LearnedModel::Buffers() const {
  return OfEachLayer([](Json& object, const Variable& variable) {
    if (IsBuffer(variable)) {
      object[NameOf(variable)] = ToObservation(variable.Read());
    }
  });
}

}  // namespace lockstep::conformance
