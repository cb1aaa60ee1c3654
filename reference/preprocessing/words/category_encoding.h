// Categories, numbered 0..num_tokens-1, as vectors of float32.
//
//   CategoryEncoding encode(4);
//   encode(ids);   // [[0, 1], [3, 3]] -> [[1, 1, 0, 0], [0, 0, 0, 1]]
//
// A sample is the last axis (preprocessing/output_mode.h).
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_CATEGORY_ENCODING_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_CATEGORY_ENCODING_H_

#include <cstdint>
#include <memory>
#include <string>

#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/preprocessing/host_layer.h"
#include "reference/preprocessing/output_mode.h"

namespace lockstep {

struct CategoryEncodingOptions {
  OutputMode output_mode = OutputMode::kMultiHot;  // or kOneHot, kCount
  std::string name = "";  // "category_encoding", ... by default
};

class CategoryEncodingImpl : public HostLayer<LayerImpl> {
 public:
  CategoryEncodingImpl(int64_t num_tokens,
                       const CategoryEncodingOptions& options);

  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  LayerConfig Config() const override;
  bool TakesArguments() const override { return true; }

 protected:
  // Errors: InvalidArgument for a number outside 0..num_tokens-1, which Keras
  // leaves out without an error if it is too large; for other types than
  // integers; for weights of another shape, or in another mode than kCount.
  Structure Call(const Structure& inputs, bool training) override;

 private:
  void CheckIds(const Tensor& ids) const;
  // Of numbers and weights. Errors: as Call.
  Tensor WeightsOf(const Structure& inputs) const;

  int64_t num_tokens_;
  CategoryEncodingOptions options_;
};

class CategoryEncoding : public Layer {
 public:
  // Errors: InvalidArgument for num_tokens < 1 and other output modes.
  explicit CategoryEncoding(int64_t num_tokens,
                            const CategoryEncodingOptions& options = {})
      : Layer(std::make_shared<CategoryEncodingImpl>(num_tokens, options)) {}

  using Layer::operator();
  // Counts each number with its weight: [0, 1] with [0.5, 2] is [0.5, 2, 0, 0].
  Tensor operator()(const Tensor& ids, const Tensor& count_weights) const {
    return Layer::operator()({ids, count_weights});
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_CATEGORY_ENCODING_H_
