#include "reference/export/saved_model/loading/constant.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "reference/base/error.h"
#include "reference/export/saved_model/loading/operations/node_attributes.h"

namespace lockstep::export_internal {
namespace {

// The shape, after a check that its elements fit.
Shape ConstantShape(const tensor_bundle::TensorShapeProto& proto,
                    size_t element_bytes, const std::string& place,
                    double most_bytes) {
  std::vector<int64_t> dims;
  double bytes = static_cast<double>(element_bytes);
  for (const auto& dim : proto.dim()) {
    if (dim.size() < 0) {
      throw DataLoss("{} has a dimension of {}", place, dim.size());
    }
    bytes *= static_cast<double>(dim.size());
    dims.push_back(dim.size());
  }
  if (proto.unknown_rank() || dims.size() > Shape::kMaxRank) {
    throw DataLoss("{} has {} dimensions, of {} at most", place, dims.size(),
                   int{Shape::kMaxRank});
  }
  if (bytes > most_bytes) {
    throw ResourceExhausted("{} has {:.0f} bytes, of {:.0f} at most", place,
                            bytes, most_bytes);
  }
  return Shape(dims);
}

template <typename T, typename Listed>
void Fill(Tensor& tensor, const Listed& listed, const std::string& place) {
  const auto given = static_cast<int64_t>(listed.size());
  if (given > tensor.num_elements()) {
    throw DataLoss("{} has {} numbers for {} elements", place, given,
                   tensor.num_elements());
  }
  T* out = std::copy(listed.begin(), listed.end(), tensor.mutable_data<T>());
  const T rest = given == 0 ? T{} : static_cast<T>(listed[listed.size() - 1]);
  std::fill_n(out, tensor.num_elements() - given, rest);
}

// The last word may be repeated in all elements that the file has none for.
void CheckText(const saved_model::TensorProto& proto, int64_t elements,
               const std::string& place, double most_bytes) {
  double bytes = static_cast<double>(elements) * sizeof(std::string);
  for (const std::string& word : proto.string_val()) {
    bytes += static_cast<double>(word.size());
  }
  if (proto.string_val_size() > 0) {
    bytes += static_cast<double>(elements - proto.string_val_size()) *
             static_cast<double>(proto.string_val().rbegin()->size());
  }
  if (bytes <= most_bytes) return;
  throw ResourceExhausted("{} has {:.0f} bytes, of {:.0f} at most", place,
                          bytes, most_bytes);
}

}  // namespace

Tensor ReadConstant(const saved_model::TensorProto& proto,
                    const std::string& place, double most_bytes) {
  const auto type = SupportedType(proto.dtype());
  if (!type) {
    throw Unimplemented(
        "{} is a constant of TensorFlow's type {}; only float32, int32, int64, "
        "bool and string are supported",
        place, proto.dtype());
  }
  const Shape shape =
      ConstantShape(proto.tensor_shape(), DTypeSize(*type), place, most_bytes);
  Tensor tensor = Tensor::Empty(shape, *type, Device::Host());
  const std::string& content = proto.tensor_content();
  if (*type == DType::kString) {
    CheckText(proto, tensor.num_elements(), place, most_bytes);
    Fill<std::string>(tensor, proto.string_val(), place);
  } else if (!content.empty()) {
    if (content.size() != tensor.bytes()) {
      throw DataLoss("{} has {} bytes for {} {}", place, content.size(),
                     DTypeName(*type), ToString(shape));
    }
    std::memcpy(tensor.mutable_raw_data(), content.data(), content.size());
  } else if (*type == DType::kFloat32) {
    Fill<float>(tensor, proto.float_val(), place);
  } else if (*type == DType::kBool) {
    Fill<bool>(tensor, proto.bool_val(), place);
  } else if (*type == DType::kInt32) {
    Fill<int32_t>(tensor, proto.int_val(), place);
  } else {
    Fill<int64_t>(tensor, proto.int64_val(), place);
  }
  return tensor;
}

}  // namespace lockstep::export_internal
