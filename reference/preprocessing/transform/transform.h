// The second of two phases, as in TensorFlow Transform: a layer that applies
// what Analyze (transform/analyze.h) found in all data.
//
//   const Transform transform("prepared");
//   transform(row);   // {"age": 41, "color": "red"} ->
//                     // {"age": 0.7, "color": 3}
//
//   const Dataset prepared = rows.Map([&](const Structure& row) {
//     return Structure::Tuple({transform(row), row["label"]});
//   });
//
// In a dataset's Map, inside Run and in a process that serves, it computes the
// same numbers, with the layers Normalization, Discretization and StringLookup.
// A dictionary, which may have other keys too, gives a dictionary of the
// recipe's outputs; a tuple gives a tuple of them in the recipe's order. A
// single output is not wrapped, except in a dictionary.
//
// It has no weights and is not part of a model's files: a program that serves
// loads the folder, which may be copied, and the model.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_TRANSFORM_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_TRANSFORM_H_

#include <memory>
#include <string>

#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/preprocessing/host_layer.h"
#include "reference/preprocessing/transform/recipe.h"

namespace lockstep {

class TransformImpl : public HostLayer<CompositeLayerImpl> {
 public:
  TransformImpl(const std::string& folder, const std::string& name);

  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;

 protected:
  Structure Call(const Structure& inputs, bool training) override;
  // Where strings and tables are missing, some sublayers work.
  Tensor CastInput(const Tensor& x) const override { return x; }

 private:
  Recipe recipe_;  // its columns are those of layers_
};

class Transform : public Layer {
 public:
  // Errors: NotFound for a folder without an analysis; Unimplemented for one of
  // another version; DataLoss for one that is damaged or incomplete.
  //
  // Those of calls: InvalidArgument for elements without the inputs or with
  // other sizes, and for unknown words if there is no id for them;
  // Unimplemented for other types than words; FailedPrecondition for a
  // vocabulary that was changed in place, and in Run if workers have different
  // analyses.
  explicit Transform(const std::string& folder, const std::string& name = "")
      : Layer(std::make_shared<TransformImpl>(folder, name)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_TRANSFORM_H_
