// Models: graphs or sequences of layers that can be trained, evaluated and used for
// prediction.
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
// A model that is created and compiled in a strategy's scope trains on all its
// replicas as it would on one. The batch is divided among the replicas; each example
// has the same weight in loss, gradient and metrics, however the batch is divided.
// Penalties count once.
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

// A handle of a model, like Layer: copies share the weights and the result of
// Compile.
class Model : public Layer {
 public:
  // Default names are "functional", "functional_1", ... Errors: InvalidArgument if
  // an input is not the result of Input or is given twice, an output depends on an
  // input that is not given, or two layers have the same name.
  Model(const SymbolicStructure& inputs, const SymbolicStructure& outputs,
        const std::string& name = "")
      : Model(std::make_shared<ModelImpl>(inputs, outputs, name)) {}
  // A custom class with a Call. Errors: InvalidArgument for nullptr.
  explicit Model(std::shared_ptr<LayerImpl> impl);

  // Each layer once, those farthest from the outputs first, as in Keras.
  const std::vector<Layer>& layers() const { return impl().layers(); }
  // Errors: NotFound, with the existing names.
  Layer GetLayer(std::string_view name) const;

  // A table of layers, their output shapes and their numbers of weights.
  std::string Summary() const;

  // Returns a copy of each weight by name; sets some or all weights. Errors: NotFound
  // if there is no weight of a name; InvalidArgument if the shape or type differs.
  // After an error all weights are unchanged.
  std::map<std::string, Tensor> Weights() const;
  void SetWeights(const std::map<std::string, Tensor>& weights) const;

  // Configures training with the current strategy, which must outlive the model.
  // Resets metrics. Errors: FailedPrecondition if the weights were created outside
  // the strategy's scope, and inside Run; InvalidArgument for unknown names of the
  // optimizer and of losses, and, in Fit or at the first batch, of metrics and
  // outputs.
  void Compile(const CompileOptions& options) const;
  bool compiled() const { return state_->compiled != nullptr; }
  // Errors, here and below: FailedPrecondition before Compile.
  Optimizer& optimizer() const;
  // The strategy for which it was compiled.
  Strategy& strategy() const;
  // The last step's gradient of each trainable variable, over all replicas, before
  // clipping and without a loss scale; nullopt for a variable that has none. In the
  // middle of a window of several batches, the mean over the examples of the window
  // so far. Errors: also FailedPrecondition without CompileOptions::keep_gradients.
  Gradients gradients() const;
  // The number of steps that a loss scale skipped because a gradient was not
  // finite.
  int64_t skipped_steps() const;
  // The metrics' state since the last reset, for checkpoints.
  Trackable& metrics() const;

  // Saves the weights, one value per variable. "....weights.h5" is a file of Keras 3.
  // Any other path is a TensorFlow checkpoint, with the model as "model", which the
  // folder's state file then names. With several workers, all must call it; each
  // writes to another place. Errors: those of writing files; FailedPrecondition if
  // there are no weights yet.
  void SaveWeights(const std::string& path) const;
  // Loads a file of SaveWeights. Weights that do not exist yet are loaded when they
  // are created. Errors: NotFound; DataLoss; InvalidArgument if a weight has another
  // shape; FailedPrecondition if a weight is not in the file. After an error all
  // weights are unchanged.
  void LoadWeights(const std::string& path) const;

  // Saves the whole model as a file '....keras', which Keras 3 and LoadModel
  // (model_file.h) can read: layers, weights, and, if it is compiled, the optimizer
  // with its state, losses and metrics. With several workers, all must call it.
  // Errors: those of writing files; Unimplemented for layers, losses and schedules
  // of custom classes.
  void Save(const std::string& path) const;
  // Exports a SavedModel, which TensorFlow can load, serve and train
  // (export/saved_model/export_saved_model.h). With several workers, all must call
  // it. Errors: those of ExportSavedModel.
  void Export(const std::string& folder) const;

  // Trains from epoch `initial_epoch` to `epochs`. Errors: InvalidArgument if data or
  // options do not fit the model or contradict each other; those of the data and of
  // callbacks, which end training.
  History Fit(const TrainingData& data, const FitOptions& options = {}) const;
  // Returns the loss and each metric over all examples.
  Logs Evaluate(const TrainingData& data,
                const EvaluateOptions& options = {}) const;
  // Returns the predictions for all inputs, in their order, on each worker. Ignores
  // labels. The model need not be compiled. Errors: also InvalidArgument if there
  // are no inputs.
  Structure Predict(const TrainingData& data,
                    const PredictOptions& options = {}) const;

  // Trains or tests one batch, without callbacks. Returns the metrics of this batch.
  Logs TrainOnBatch(const TrainingData& batch) const;
  Logs TestOnBatch(const TrainingData& batch) const;
  // Trains on a batch that a distributed dataset divided among the replicas.
  Logs TrainOnParts(const PerReplica<Structure>& parts) const;

 private:
  struct State {
    std::shared_ptr<CompiledModel> compiled;
  };

  CompiledModel& Compiled(const char* operation) const;
  Logs TrainOn(const PerReplica<Batch>& parts) const;
  // The topology of the workers that save it.
  const Topology& SavedBy() const;

  std::shared_ptr<State> state_;
};

class Sequential : public Model {
 public:
  // Default names are "sequential", "sequential_1", ... Sequential({model}) has one
  // layer; Sequential(model) is a copy. Errors: as Add.
  explicit Sequential(std::initializer_list<Layer> layers = {},
                      const std::string& name = "")
      : Sequential(std::vector<Layer>(layers), name) {}
  explicit Sequential(const std::vector<Layer>& layers,
                      const std::string& name = "")
      : Model(std::make_shared<SequentialImpl>(layers, name)) {}

  // Errors: FailedPrecondition if the model is built; InvalidArgument if the model
  // has a layer of the same name, or an Input is not the first layer.
  void Add(const Layer& layer) const {
    static_cast<SequentialImpl&>(impl()).Add(layer);
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_H_
