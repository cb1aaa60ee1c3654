// Attention of several heads (Vaswani et al., "Attention is all you need",
// 2017), as Keras 3 has it.
//
//   MultiHeadAttention attention(/*num_heads=*/8, /*key_dim=*/64);
//   attention({query, value});        // [N, T, d], [N, S, e] -> [N, T, d]
//   attention({query, value, key});   // keys of their own, [N, S, f]
//
// Query, key and value are brought to [positions, heads, key_dim] by dense
// projections with weights of their own, attended to (ops::Attention), and
// brought back to the query's last axis by another.
#ifndef LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_MULTI_HEAD_ATTENTION_H_
#define LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_MULTI_HEAD_ATTENTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

struct MultiHeadAttentionOptions {
  std::optional<int64_t> value_dim = std::nullopt;  // key_dim by itself
  bool use_bias = true;
  // Position t sees positions up to t alone. Keras has it as an argument of
  // each call, and so in no layer's config.
  bool use_causal_mask = false;
  Initializer kernel_initializer = initializers::GlorotUniform();
  Initializer bias_initializer = initializers::Zeros();
  RegularizerPtr kernel_regularizer = nullptr;
  RegularizerPtr bias_regularizer = nullptr;
  std::optional<DTypePolicy> dtype = std::nullopt;  // the global policy
  std::string name = "";  // "multi_head_attention", ... by itself
};

// Weights are those of its projections: "<name>/query/kernel" and so on, key,
// value and "attention_output" after it.
class MultiHeadAttentionImpl : public CompositeLayerImpl {
 public:
  MultiHeadAttentionImpl(int64_t num_heads, int64_t key_dim,
                         const MultiHeadAttentionOptions& options);

  // Errors: InvalidArgument unless there are two or three inputs [N, positions,
  // size], of one batch, and as many keys as values.
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  // Errors: also Unimplemented with a causal mask.
  LayerConfig Config() const override;
  bool TakesArguments() const override { return true; }

 protected:
  void MakeWeights(const ShapeStructure& input_shapes) override;
  Structure Call(const Structure& inputs, bool training) override;

 private:
  void AddProjection(const char* name, const char* checkpoint_name,
                     const Shape& input_shape, const Shape& outputs);

  int64_t num_heads_;
  int64_t key_dim_;
  int64_t value_dim_;
  MultiHeadAttentionOptions options_;
};

class MultiHeadAttention : public Layer {
 public:
  // Errors: InvalidArgument for numbers below 1.
  MultiHeadAttention(int64_t num_heads, int64_t key_dim,
                     const MultiHeadAttentionOptions& options = {})
      : Layer(std::make_shared<MultiHeadAttentionImpl>(num_heads, key_dim,
                                                       options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_MULTI_HEAD_ATTENTION_H_
