// An input of words, or of numbers of a certain type.
//
//   SymbolicTensor words = Input({3}, DType::kString, "words");
//   Model model(words, Dense(2)(StringLookup({.vocabulary = {{"a", "b"}},
//                                             .output_mode = kMultiHot})(words)));
//
// The Input of layers/layer.h takes numbers of any type.
#ifndef LOCKSTEP_REFERENCE_LAYERS_TYPED_INPUT_H_
#define LOCKSTEP_REFERENCE_LAYERS_TYPED_INPUT_H_

#include <string>

#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/tensor/dtype.h"

namespace lockstep {

class TypedInputLayerImpl : public InputLayerImpl {
 public:
  TypedInputLayerImpl(const Shape& shape, DType dtype,
                      const std::string& name = "")
      : InputLayerImpl(shape, name), dtype_(dtype) {}

  DType dtype() const { return dtype_; }
  LayerConfig Config() const override;
  // Errors: InvalidArgument for numbers instead of words, or words instead of
  // numbers. Numbers of other types are accepted.
  void CheckType(const Tensor& x) const;

 protected:
  Tensor Call(const Tensor& x, bool training) override;

 private:
  DType dtype_;
};

// As Input of layers/layer.h, with a type. Files hold the type.
SymbolicTensor Input(const Shape& shape, DType dtype,
                     const std::string& name = "");

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_TYPED_INPUT_H_
