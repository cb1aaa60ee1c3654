#include "reference/layers/transformer/embedding.h"

#include <vector>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/base/error.h"
#include "reference/layers/layer_config.h"

namespace lockstep {

EmbeddingImpl::EmbeddingImpl(int64_t input_dim, int64_t output_dim,
                             const EmbeddingOptions& options)
    : TensorLayerImpl(
          options.name.empty() ? UniqueName("embedding") : options.name,
          options.dtype),
      input_dim_(input_dim),
      output_dim_(output_dim),
      options_(options) {
  if (input_dim < 1 || output_dim < 1) {
    throw InvalidArgument("[Embedding] sizes must be at least 1, got {} and {}",
                          input_dim, output_dim);
  }
}

Shape EmbeddingImpl::ComputeOutputShape(const Shape& input_shape) const {
  const auto dims = input_shape.dims();
  std::vector<int64_t> with_row(dims.begin(), dims.end());
  with_row.push_back(output_dim_);
  return Shape(with_row);
}

void EmbeddingImpl::MakeWeights(const Shape& /*input_shape*/) {
  embeddings_ = AddWeight({.name = "embeddings",
                           .checkpoint_name = "_embeddings",
                           .shape = {input_dim_, output_dim_},
                           .initializer = options_.embeddings_initializer,
                           .regularizer = options_.embeddings_regularizer});
}

Tensor EmbeddingImpl::Call(const Tensor& x, bool /*training*/) {
  const Tensor ids = IsInteger(x.dtype()) ? x : x.Cast(DType::kInt64);
  // Casts the rows, not the table, so that the gradient stays sparse.
  return ops::Cast(embeddings_->ReadRows(ids), dtype_policy().compute_dtype());
}

LayerConfig EmbeddingImpl::Config() const {
  LayerConfig config = StartConfig("Embedding", *this);
  config.config.update({{"input_dim", input_dim_},
                        {"output_dim", output_dim_},
                        {"embeddings_regularizer",
                         RegularizerConfig(options_.embeddings_regularizer)},
                        {"mask_zero", false}});
  return config;
}

}  // namespace lockstep
