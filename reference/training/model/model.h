// Models: any layers between inputs and outputs, or one after the other, that
// are trained, measured and asked.
//
//   Sequential model({Flatten(), Dense(10)});
//   model.Compile({.optimizer = "adam",
//                  .loss = losses::SparseCategoricalCrossentropy(
//                      {.from_logits = true}),
//                  .metrics = {"accuracy"}});
//   History history = model.Fit(train.Batch(64), {.epochs = 12});
//   model.Evaluate(test.Batch(64)).at("accuracy");
//   Tensor logits = model.Predict(images);
//
// Made and compiled in a strategy's scope it trains on all its replicas, as it
// would on one: a batch is that of all together, and each of its examples
// weighs the same in loss, gradient and metrics, wherever it is and however
// the batch divides; penalties count once.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/distribute/per_replica.h"
#include "reference/layers/layer.h"
#include "reference/layers/model_impl.h"
#include "reference/training/batches/training_data.h"
#include "reference/training/events/logs.h"
#include "reference/training/model/compile_options.h"
#include "reference/training/model/fit_options.h"

namespace lockstep {

class CompiledModel;

// A value that stands for the model, as a Layer does: copies share weights and
// what was compiled.
class Model : public Layer {
 public:
  // Without a name: "functional", "functional_1", ... Errors: InvalidArgument
  // for an input that no Input gave, one that is given twice, outputs that
  // depend on another one, and two layers of one name.
  Model(const SymbolicStructure& inputs, const SymbolicStructure& outputs,
        const std::string& name = "")
      : Model(std::make_shared<ModelImpl>(inputs, outputs, name)) {}
  // A class of one's own with its Call. Errors: InvalidArgument for nullptr.
  explicit Model(std::shared_ptr<LayerImpl> impl);

  // Each once, those farthest from the outputs first, as Keras has them.
  const std::vector<Layer>& layers() const { return impl().layers(); }
  // Errors: NotFound, with the names there are.
  Layer GetLayer(std::string_view name) const;

  // A table of layers, what they give, and how many weights they have.
  std::string Summary() const;

  // A copy of each weight by its name, and weights that are given so: of some or
  // of all. Errors: NotFound for a name that no weight has, InvalidArgument for
  // another shape or type; then nothing has changed.
  std::map<std::string, Tensor> Weights() const;
  void SetWeights(const std::map<std::string, Tensor>& weights) const;

  // Says how it learns, for the strategy whose scope is open, which has to
  // outlive the model; metrics begin anew. Errors: FailedPrecondition for
  // weights that were made outside the scope, and inside Run; InvalidArgument
  // for names that there are none of, here or at the first batch.
  void Compile(const CompileOptions& options) const;
  bool compiled() const { return state_->compiled != nullptr; }
  // Errors of this one and those below: FailedPrecondition before Compile.
  Optimizer& optimizer() const;
  // That it was compiled for.
  Strategy& strategy() const;
  // With CompileOptions::keep_gradients what the last step had of each trainable
  // variable, over all replicas, before clipping and without a loss scale; in the
  // middle of a window of several batches the mean over the examples of those that
  // it has. Nothing for a variable that was not reached. Errors: also
  // FailedPrecondition without that option.
  Gradients gradients() const;
  // Steps that a loss scale had skipped, for gradients that were not finite.
  int64_t skipped_steps() const;
  // What was measured since the last reset, for checkpoints.
  Trackable& metrics() const;

  // Weights as files hold them, one of each variable, in place of a checkpoint of
  // one's own: "....weights.h5" as Keras 3 writes it, else a TensorFlow
  // checkpoint "<path>.index" whose root has the model as "model", beside which
  // the folder's state file then names it. Of several workers all save, each in
  // its own place. Errors: those of writing files; FailedPrecondition before
  // the weights are there.
  void SaveWeights(const std::string& path) const;
  // Either of them, into a model that has its weights, or for when it gets them.
  // Errors: NotFound, DataLoss; InvalidArgument for weights of another shape and
  // FailedPrecondition for weights that are not there: then nothing has changed.
  void LoadWeights(const std::string& path) const;

  // All of it, as a file '....keras' that Keras 3 reads: layers, weights, and
  // where it is compiled the optimizer with its state, losses and metrics
  // (LoadModel in model_file.h). Of several workers all save. Errors: those of
  // writing files; Unimplemented for layers, losses and schedules of classes of
  // one's own.
  void Save(const std::string& path) const;
  // What it computes, as a SavedModel that TensorFlow loads, serves and trains
  // on (export/saved_model/export_saved_model.h). Of several workers all export.
  // Errors: those of ExportSavedModel.
  void Export(const std::string& folder) const;

  // Trains from epoch `initial_epoch` to `epochs`. Errors: InvalidArgument for
  // data or options that do not go with the model or with each other; those of
  // the data and of callbacks, which end training.
  History Fit(const TrainingData& data, const FitOptions& options = {}) const;
  // The loss, and each metric, over all examples.
  Logs Evaluate(const TrainingData& data,
                const EvaluateOptions& options = {}) const;
  // What it makes of all inputs, in their order; of several workers each gets
  // all. Labels are ignored, and it need not be compiled. Errors: also
  // InvalidArgument for no inputs.
  Structure Predict(const TrainingData& data,
                    const PredictOptions& options = {}) const;

  // The same of one batch, without callbacks; metrics are those of it alone.
  Logs TrainOnBatch(const TrainingData& batch) const;
  Logs TestOnBatch(const TrainingData& batch) const;
  // Trains on a batch that is divided already, as a distributed dataset gives it.
  Logs TrainOnParts(const PerReplica<Structure>& parts) const;

 private:
  struct State {
    std::shared_ptr<CompiledModel> compiled;
  };

  CompiledModel& Compiled(const char* operation) const;
  Logs TrainOn(const PerReplica<Batch>& parts) const;
  // The workers that take part in saving it.
  const Topology& SavedBy() const;

  std::shared_ptr<State> state_;
};

class Sequential : public Model {
 public:
  // Without a name: "sequential", "sequential_1", ... Sequential({model}) has
  // one layer, Sequential(model) is a copy. Errors: as Add.
  explicit Sequential(std::initializer_list<Layer> layers = {},
                      const std::string& name = "")
      : Sequential(std::vector<Layer>(layers), name) {}
  explicit Sequential(const std::vector<Layer>& layers,
                      const std::string& name = "")
      : Model(std::make_shared<SequentialImpl>(layers, name)) {}

  // Errors: FailedPrecondition when the model is built, InvalidArgument for a
  // layer of a name the model has, and an Input that is not the first.
  void Add(const Layer& layer) const {
    static_cast<SequentialImpl&>(impl()).Add(layer);
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_H_
