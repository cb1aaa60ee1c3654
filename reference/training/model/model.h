// Models: any layers between inputs and outputs, or one after the other.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_H_

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "reference/layers/layer.h"
#include "reference/layers/model_impl.h"

namespace lockstep {

class Model : public Layer {
 public:
  // Without a name: "functional", "functional_1", ... Errors: InvalidArgument
  // for an input that no Input gave, one that is given twice, outputs that
  // depend on another one, and two layers of one name.
  Model(const SymbolicStructure& inputs, const SymbolicStructure& outputs,
        const std::string& name = "")
      : Model(std::make_shared<ModelImpl>(inputs, outputs, name)) {}
  // A class of one's own with its Call. Errors: InvalidArgument for nullptr.
  explicit Model(std::shared_ptr<LayerImpl> impl) : Layer(std::move(impl)) {}

  // Each once, those farthest from the outputs first, as Keras has them.
  const std::vector<Layer>& layers() const { return impl().layers(); }
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
