// BERT's encoder with its two heads, as layers.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_ENCODER_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_ENCODER_H_

#include <vector>

#include "benchmarks/workloads/bert/bert.h"
#include "reference/autodiff/variable.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/transformer/embedding.h"
#include "reference/layers/transformer/layer_normalization.h"
#include "reference/layers/transformer/multi_head_attention.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// One layer of the encoder: attention, then a dense network at each position,
// each added to its input and normalized.
class EncoderLayer {
 public:
  explicit EncoderLayer(const BertModel& model);

  // x [N, L, hidden], mask [N, L].
  Tensor operator()(const Tensor& x, const Tensor& mask) const;
  // In the order of their weights.
  std::vector<Layer> Layers() const;

 private:
  MultiHeadAttention attention_;
  LayerNormalization after_attention_;
  Dense inner_;
  Dense outer_;
  LayerNormalization after_network_;
};

class BertNetwork {
 public:
  // Made at once. REQUIRES: called in the strategy's scope.
  explicit BertNetwork(const BertModel& model);

  // ids, mask and types [N, L] to [N, L, hidden].
  Tensor Encode(const Tensor& ids, const Tensor& mask,
                const Tensor& types) const;
  // Logits [N * P, vocabulary] of the words at positions [N, P].
  Tensor PredictWords(const Tensor& encoded, const Tensor& positions) const;
  // Logits [N, 2]: whether the second sentence follows the first.
  Tensor PredictFollowing(const Tensor& encoded) const;

  std::vector<VariablePtr> Weights() const;

 private:
  Embedding words_;
  Embedding positions_;
  Embedding types_;
  LayerNormalization norm_;
  std::vector<EncoderLayer> layers_;
  Dense pooler_;
  Dense following_;
  Dense transform_;
  LayerNormalization transform_norm_;
  VariablePtr word_bias_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_BERT_ENCODER_H_
