// Layers that number words and integers by their hashes, without a vocabulary.
//
//   Hashing bins(3);
//   bins(words);   // ["a", "b", "a"] -> [0, 1, 0]
//
// The bins are TensorFlow's (words/word_hash.h). Integers are hashed as decimal
// text, and floating numbers as integers, rounded towards zero.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_HASHING_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_HASHING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/preprocessing/host_layer.h"
#include "reference/preprocessing/output_mode.h"
#include "reference/preprocessing/words/word_hash.h"

namespace lockstep {

// The bin of each element: int64, or vectors of float32 in other output modes.
//
//   Hashing bins(3, {.mask_value = ""});   // bin 0 is for "" alone
//   bins(words);   // ["a", "", "b"] -> [2, 0, 1]
struct HashingOptions {
  std::optional<Salt> salt = std::nullopt;  // other bins for the same words
  // Gets bin 0; all others are hashed into the rest. Without effect for one
  // bin. Has the type of the inputs.
  std::optional<std::variant<int64_t, std::string>> mask_value = std::nullopt;
  OutputMode output_mode = OutputMode::kInt;  // not kTfIdf
  std::string name = "";  // "hashing", "hashing_1", ... by default
};

class HashingImpl : public HostLayer<TensorLayerImpl> {
 public:
  HashingImpl(int64_t num_bins, HashingOptions options);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  // Errors: InvalidArgument for bool, and for inputs that the mask value is no
  // value of.
  Tensor Call(const Tensor& x, bool training) override;

 private:
  // All bins but the mask's.
  int64_t HashedBins() const;
  void CheckInput(const Tensor& x) const;
  void HashWords(std::span<const std::string> words,
                 std::span<int64_t> ids) const;
  void HashNumbers(const Tensor& x, std::span<int64_t> ids) const;

  int64_t num_bins_;
  HashingOptions options_;
  words_internal::WordHash hash_;
};

class Hashing : public Layer {
 public:
  // Errors: InvalidArgument for num_bins < 1 and output mode kTfIdf.
  explicit Hashing(int64_t num_bins, const HashingOptions& options = {})
      : Layer(std::make_shared<HashingImpl>(num_bins, options)) {}
};

// The bin of several features together, each words or integers of the shape
// (), (n) or (n, 1).
//
//   HashedCrossing cross(5);
//   cross({letters, numbers});   // ["A", "B"], [101, 101] -> [1, 4]
struct HashedCrossingOptions {
  OutputMode output_mode = OutputMode::kInt;  // or kOneHot
  std::string name = "";  // "hashed_crossing", ... by default
};

class HashedCrossingImpl : public HostLayer<LayerImpl> {
 public:
  HashedCrossingImpl(int64_t num_bins, const HashedCrossingOptions& options);

  // Errors: InvalidArgument for fewer than two features, and other or unequal
  // shapes.
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  LayerConfig Config() const override;

 protected:
  // Errors: InvalidArgument as above, and for types that are neither words nor
  // integers.
  Structure Call(const Structure& inputs, bool training) override;

 private:
  int64_t num_bins_;
  HashedCrossingOptions options_;
};

class HashedCrossing : public Layer {
 public:
  // Errors: InvalidArgument for num_bins < 1 and other output modes.
  explicit HashedCrossing(int64_t num_bins,
                          const HashedCrossingOptions& options = {})
      : Layer(std::make_shared<HashedCrossingImpl>(num_bins, options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_HASHING_H_
