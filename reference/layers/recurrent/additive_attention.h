// Additive attention (Bahdanau, Cho and Bengio, arXiv 1409.0473), as the public
// example of translation has it:
//
//   score = v(tanh(w1(values) + w2(query)))    // w1, w2, v: Dense with biases
//   context = sum over positions of softmax(score) * values
//
//   BahdanauAttention attention(1024);
//   attention({h, outputs});          // [N, U], [N, S, E] -> {[N, E], [N, S]}
//   attention({h, outputs, mask});    // mask [N, S]: positions of 0 do not count
//
// Where a mask hides all positions, the context is 0.
#ifndef LOCKSTEP_REFERENCE_LAYERS_RECURRENT_ADDITIVE_ATTENTION_H_
#define LOCKSTEP_REFERENCE_LAYERS_RECURRENT_ADDITIVE_ATTENTION_H_

#include <cstdint>
#include <memory>
#include <string>

#include "reference/layers/core_layers.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

struct BahdanauAttentionOptions {
  Initializer kernel_initializer = initializers::GlorotUniform();
  Initializer bias_initializer = initializers::Zeros();
  std::string name = "";  // "bahdanau_attention", ... by default
};

// The results are the context and the weights of the positions. Config is
// Unimplemented: Keras has no such layer.
class BahdanauAttentionImpl : public CompositeLayerImpl {
 public:
  BahdanauAttentionImpl(int64_t units, const BahdanauAttentionOptions& options);

  // Errors: InvalidArgument unless there are a query [N, U], values [N, S, E] of
  // the same batch, and perhaps a mask [N, S].
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;

 protected:
  void MakeWeights(const ShapeStructure& input_shapes) override;
  Structure Call(const Structure& inputs, bool training) override;

 private:
  void AddDense(const char* part, int64_t units, const Shape& input_shape);

  int64_t units_;
  BahdanauAttentionOptions options_;
};

class BahdanauAttention : public Layer {
 public:
  // Errors: InvalidArgument for units < 1.
  explicit BahdanauAttention(int64_t units,
                             const BahdanauAttentionOptions& options = {})
      : Layer(std::make_shared<BahdanauAttentionImpl>(units, options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_RECURRENT_ADDITIVE_ATTENTION_H_
