// Multi-head attention (Vaswani et al., "Attention is all you need", 2017), as
// in Keras 3.
//
//   MultiHeadAttention attention(/*num_heads=*/8, /*key_dim=*/64);
//   attention({query, value});        // [N, T, d], [N, S, e] -> [N, T, d]
//   attention({query, value, key});   // separate keys, [N, S, f]
//
//   MultiHeadAttention encoder(8, 64, {.use_key_mask = true});
//   encoder({x, x, mask});            // mask [N, S]: 1 for words, 0 for padding
//
// Dense projections map query, key and value to [positions, heads, key_dim],
// ops::Attention combines them, and another projection maps the result to the
// query's last axis.
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
  std::optional<int64_t> value_dim = std::nullopt;  // default: key_dim
  bool use_bias = true;
  // Position t sees only positions up to t. In Keras this is an argument of
  // calls, so it is not in the layer's config.
  bool use_causal_mask = false;
  // The last input is a mask [N, S] of numbers or bool: keys of 0 are not seen.
  // Where a query sees no key, it gets the bias of the output. In Keras also an
  // argument of calls (key_mask, or attention_mask of [N, 1, S]).
  bool use_key_mask = false;
  Initializer kernel_initializer = initializers::GlorotUniform();
  Initializer bias_initializer = initializers::Zeros();
  RegularizerPtr kernel_regularizer = nullptr;
  RegularizerPtr bias_regularizer = nullptr;
  std::optional<DTypePolicy> dtype =
      std::nullopt;       // default: the global policy
  std::string name = "";  // "multi_head_attention", ... by default
};

// The weights are those of its projections: "<name>/query/kernel" and so on for
// query, key, value and "attention_output".
class MultiHeadAttentionImpl : public CompositeLayerImpl {
 public:
  MultiHeadAttentionImpl(int64_t num_heads, int64_t key_dim,
                         const MultiHeadAttentionOptions& options);

  // Errors: InvalidArgument unless there are two or three inputs [N, positions,
  // size] with the same batch, and as many keys as values, and a mask with
  // use_key_mask.
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  // Errors: also Unimplemented with a mask.
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
