// Maps numbers, such as words or users, to rows of a table.
//
//   Embedding embedding(10000, 64);
//   embedding(ids);   // int64 [32, 20] -> [32, 20, 64]
//
// Its gradient consists of the rows that were looked up
// (GradientTape::SparseGradient, which Fit uses); only these are sent between
// replicas.
#ifndef LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_EMBEDDING_H_
#define LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_EMBEDDING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

struct EmbeddingOptions {
  Initializer embeddings_initializer = initializers::RandomUniform(-0.05, 0.05);
  RegularizerPtr embeddings_regularizer = nullptr;
  std::optional<DTypePolicy> dtype =
      std::nullopt;       // default: the global policy
  std::string name = "";  // "embedding", "embedding_1", ... by default
};

class EmbeddingImpl : public TensorLayerImpl {
 public:
  EmbeddingImpl(int64_t input_dim, int64_t output_dim,
                const EmbeddingOptions& options);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  // Accepts numbers in [0, input_dim): int32, int64, uint8, or whole numbers of
  // another type. Errors: InvalidArgument for others; on a GPU their rows are
  // zeros.
  Tensor Call(const Tensor& x, bool training) override;
  // Does not cast: 16 bits would change the numbers.
  Tensor CastInput(const Tensor& x) const override { return x; }

 private:
  int64_t input_dim_;
  int64_t output_dim_;
  EmbeddingOptions options_;
  VariablePtr embeddings_;
};

class Embedding : public Layer {
 public:
  // Errors: InvalidArgument for sizes below 1.
  Embedding(int64_t input_dim, int64_t output_dim,
            const EmbeddingOptions& options = {})
      : Layer(std::make_shared<EmbeddingImpl>(input_dim, output_dim, options)) {
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_EMBEDDING_H_
