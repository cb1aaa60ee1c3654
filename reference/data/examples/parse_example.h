// tf.train.Example messages as tensors, for Dataset::Map.
//
//   const ExampleFeatures features = {
//       {"image", FixedLenFeature{.shape = Shape{784}}},
//       {"label", FixedLenFeature{.dtype = DType::kInt64}},
//       {"words", VarLenFeature{.dtype = DType::kString}}};
//   Dataset::FromTFRecords(files).Map(
//       [=](const Structure& record) {
//         return ParseSingleExample(record, features);
//       },
//       ParseSingleExampleSpec(features));
//   // {image: float32 (784,), label: int64 (), words: string (None,)}
//
// After Batch(64), ParseExample takes the whole batch.
#ifndef LOCKSTEP_REFERENCE_DATA_EXAMPLES_PARSE_EXAMPLE_H_
#define LOCKSTEP_REFERENCE_DATA_EXAMPLES_PARSE_EXAMPLE_H_

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "reference/tensor/nest.h"

namespace lockstep {

// What to read of a feature, as tf.io. Types are float32, int64 and string.
//
// As many values as the shape has. A feature that is missing, or has no kind,
// is the default.
struct FixedLenFeature {
  Shape shape = {};
  DType dtype = DType::kFloat32;
  std::optional<Tensor> default_value = std::nullopt;  // of this shape
};
// Any number of values: a vector, or for a batch a ragged one (ragged.h). None
// if the feature is missing. As tf.io.RaggedFeature.
struct VarLenFeature {
  DType dtype = DType::kFloat32;
};
// Any number of parts of a shape. None if the feature is missing. In a batch
// they are padded to the longest, with the default, 0 or "".
struct FixedLenSequenceFeature {
  Shape shape = {};
  DType dtype = DType::kFloat32;
  std::optional<Tensor> default_value = std::nullopt;  // a scalar
};

using ExampleFeature =
    std::variant<FixedLenFeature, VarLenFeature, FixedLenSequenceFeature>;
// Feature by name. Others in an example are ignored.
using ExampleFeatures = std::map<std::string, ExampleFeature>;

// A dictionary of the features of each message, a vector of strings, with a
// first axis for the messages.
// Errors, led by the name of the feature and the number of the example:
// InvalidArgument for what is no Example, a feature that is missing without a
// default, of another type, or of another number of values; for features that
// can be read of no example: another type, an unknown or empty shape, a default
// that does not fit, none at all.
Structure ParseExample(const Tensor& serialized,
                       const ExampleFeatures& features);
// The same of one message, a scalar.
Structure ParseSingleExample(const Tensor& serialized,
                             const ExampleFeatures& features);

// What they return, for Map. Errors: InvalidArgument as above.
SpecStructure ParseExampleSpec(const ExampleFeatures& features);
SpecStructure ParseSingleExampleSpec(const ExampleFeatures& features);

// A message with these features, a dictionary of tensors of any shape, whose
// values are written in order. Equal features give equal bytes.
//
//   TFRecordWriter writer("train.tfrecord");
//   writer.Write(SerializeExample(Structure::Dict(
//       {{"label", Tensor::Scalar<int64_t>(3)}, {"image", pixels}})));
//   writer.Close();
//
// Errors: InvalidArgument for what is no dictionary of tensors, and for types
// other than float32, int64 and string.
std::string SerializeExample(const Structure& features);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_EXAMPLES_PARSE_EXAMPLE_H_
