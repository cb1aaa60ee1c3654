#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "reference/base/error.h"
#include "reference/data/examples/example.pb.h"
#include "reference/data/examples/parse_example.h"

namespace lockstep {
namespace {

void Fill(const std::string& name, const Tensor& tensor,
          examples::Feature& feature) {
  switch (tensor.dtype()) {
    case DType::kFloat32: {
      const auto values = tensor.span<float>();
      feature.mutable_float_list()->mutable_value()->Add(values.begin(),
                                                         values.end());
      return;
    }
    case DType::kInt64: {
      const auto values = tensor.span<int64_t>();
      feature.mutable_int64_list()->mutable_value()->Add(values.begin(),
                                                         values.end());
      return;
    }
    case DType::kString: {
      auto* list = feature.mutable_bytes_list();
      for (const auto& value : tensor.span<std::string>())
        list->add_value(value);
      return;
    }
    default:
      throw InvalidArgument(
          "[SerializeExample] feature '{}' cannot be {}: features are float32, "
          "int64 or string; cast it first",
          name, Describe(tensor));
  }
}

// Maps are written in the order of their keys.
std::string Serialized(const examples::Example& example) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    example.SerializeToCodedStream(&out);
  }
  return bytes;
}

}  // namespace

std::string SerializeExample(const Structure& features) {
  if (features.kind() != NestKind::kDict) {
    throw InvalidArgument(
        "[SerializeExample] wanted a dictionary of features, got {}",
        ToString(features));
  }
  examples::Example example;
  auto& feature = *example.mutable_features()->mutable_feature();
  for (size_t i = 0; i < features.size(); ++i) {
    const std::string& name = features.keys()[i];
    const Structure& item = features.items()[i];
    if (!item.is_leaf() || !item.leaf().defined()) {
      throw InvalidArgument("[SerializeExample] feature '{}' must be a tensor",
                            name);
    }
    Fill(name, item.leaf().ToHost(), feature[name]);
  }
  return Serialized(example);
}

}  // namespace lockstep
