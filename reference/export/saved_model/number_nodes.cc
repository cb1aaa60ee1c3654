// Writes layers that prepare numbers and images, and output modes.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/export/saved_model/layer_call.h"

namespace lockstep::export_internal {
namespace {

using Call = LayerCall;

constexpr float kLeastDeviation = 1e-7f;  // as Normalization

// Nested lists of numbers, or one, as a tensor.
Tensor NumbersOf(const Json& json) {
  std::vector<int64_t> dims;
  for (const Json* at = &json; at->is_array(); at = &at->at(0)) {
    dims.push_back(std::ssize(*at));
    if (at->empty()) break;
  }
  std::vector<float> numbers;
  for (const auto& leaf : json.flatten()) numbers.push_back(leaf.get<float>());
  return Tensor::FromVector(numbers, Shape(dims), Device::Host());
}

// The axes of a batch that have moments of their own, in ascending order.
std::vector<int> AxesOf(const Call& call) {
  std::vector<int> axes = call.config.at("axis").get<std::vector<int>>();
  for (int& axis : axes) {
    if (axis < 0) axis += call.shape().rank();
  }
  std::ranges::sort(axes);
  return axes;
}

// A mean or variance in a shape that broadcasts to the input's.
std::string Moment(const Call& call, const char* key, size_t variable) {
  const Json& given = call.config.at(key);
  const std::vector<int> axes = AxesOf(call);
  std::vector<int32_t> sizes(static_cast<size_t>(call.shape().rank()), 1);
  std::string value;
  int rank = static_cast<int>(axes.size());
  if (given.is_null()) {
    value = call.variables.at(variable);
  } else {
    const Tensor numbers = NumbersOf(given);
    rank = numbers.rank();
    value = call.nodes.Constant(numbers);
  }
  for (size_t i = axes.size() - static_cast<size_t>(rank); i < axes.size();
       ++i) {
    sizes[static_cast<size_t>(axes[i])] =
        static_cast<int32_t>(call.shape()[axes[i]]);
  }
  return call.nodes.AddFloat(
      "Reshape", {value, call.nodes.Integers(sizes)}, "output",
      {{"Tshape", TypeAttribute(tensor_bundle::DT_INT32)}});
}

NodeResult WriteNormalization(const Call& call) {
  const std::string x = call.As(DType::kFloat32);
  const std::string mean = Moment(call, "mean", 0);
  const std::string root =
      call.nodes.AddFloat("Sqrt", {Moment(call, "variance", 1)}, "y");
  const std::string deviation = call.nodes.AddFloat(
      "Maximum", {root, call.nodes.Float(kLeastDeviation)}, "z");
  if (call.config.at("invert").get<bool>()) {
    const std::string product = call.nodes.AddFloat("Mul", {x, deviation}, "z");
    return {call.nodes.AddFloat("AddV2", {mean, product}, "z")};
  }
  const std::string centered = call.nodes.AddFloat("Sub", {x, mean}, "z");
  return {call.nodes.AddFloat("RealDiv", {centered, deviation}, "z")};
}

NodeResult WriteRescaling(const Call& call) {
  const auto number = [&](const char* key) {
    return call.nodes.Float(call.config.at(key).get<float>());
  };
  const std::string scaled = call.nodes.AddFloat(
      "Mul", {call.As(DType::kFloat32), number("scale")}, "z");
  return {call.nodes.AddFloat("AddV2", {scaled, number("offset")}, "z")};
}

NodeResult WriteDiscretization(const Call& call) {
  const Json& limits = call.config.at("bin_boundaries");
  if (limits.is_null()) {
    throw FailedPrecondition(
        "[ExportSavedModel] '{}' has no boundaries yet; call Adapt",
        call.layer.name());
  }
  const auto boundaries = limits.get<std::vector<float>>();
  const std::string bins =
      call.nodes.AddFloat("Bucketize", {call.As(DType::kFloat32)}, "output",
                          {{"boundaries", FloatsAttribute(boundaries)}});
  const OutputMode mode =
      ParseOutputMode(call.config.at("output_mode").get<std::string>());
  if (mode == OutputMode::kInt) return {bins, {}, DType::kInt32};
  const NodeResult ids = {call.nodes.Cast(bins, DType::kInt32, DType::kInt64),
                          call.shape(), DType::kInt64};
  return WriteEncoding(call, ids,
                       {.mode = mode, .depth = std::ssize(boundaries) + 1});
}

// Images are not changed at inference.
NodeResult WriteImages(const Call& call) { return {call.As(DType::kFloat32)}; }

// The largest window in the middle that has the shape of the target, resized.
NodeResult WriteRandomCrop(const Call& call) {
  const std::string images = call.As(DType::kFloat32);
  const int64_t rows = call.shape()[1], columns = call.shape()[2];
  if (rows == kUnknownDim || columns == kUnknownDim) {
    throw Unimplemented(
        "[ExportSavedModel] '{}' crops images of unknown size, which cannot be "
        "exported; give the Input its rows and columns",
        call.layer.name());
  }
  const auto height = call.config.at("height").get<int64_t>();
  const auto width = call.config.at("width").get<int64_t>();
  const int64_t high = std::clamp<int64_t>(columns * height / width, 1, rows);
  const int64_t wide = std::clamp<int64_t>(rows * width / height, 1, columns);
  const auto top = static_cast<int32_t>((rows - high) / 2);
  const auto left = static_cast<int32_t>((columns - wide) / 2);
  const std::string middle = call.nodes.AddFloat(
      "StridedSlice",
      {images, call.nodes.Integers({0, top, left}),
       call.nodes.Integers({0, top + static_cast<int32_t>(high),
                            left + static_cast<int32_t>(wide)}),
       call.nodes.Integers({1, 1, 1})},
      "output",
      {{"Index", TypeAttribute(tensor_bundle::DT_INT32)},
       {"begin_mask", IntAttribute(1)},
       {"end_mask", IntAttribute(1)}});
  if (high == height && wide == width) return {middle};
  const std::string size = call.nodes.Integers(
      {static_cast<int32_t>(height), static_cast<int32_t>(width)});
  return {call.nodes.AddFloat("ResizeBilinear", {middle, size},
                              "resized_images",
                              {{"half_pixel_centers", BoolAttribute(true)}})};
}

// Vectors without their first entry. REQUIRES: rank 1 or 2.
std::string DropFirst(const Call& call, const std::string& vectors, int rank,
                      DType dtype) {
  const auto begin =
      rank == 1 ? std::vector<int32_t>{1} : std::vector<int32_t>{0, 1};
  const std::vector<int32_t> zeros(begin.size(), 0), ones(begin.size(), 1);
  const int64_t all = (int64_t{1} << rank) - 1;
  return call.nodes.AddTyped(
      "StridedSlice", dtype,
      {vectors, call.nodes.Integers(begin), call.nodes.Integers(zeros),
       call.nodes.Integers(ones)},
      "output",
      {{"Index", TypeAttribute(tensor_bundle::DT_INT32)},
       {"begin_mask", IntAttribute(all >> 1)},
       {"end_mask", IntAttribute(all)}});
}

DType VectorType(const Encoding& encoding) {
  return encoding.mode == OutputMode::kTfIdf ? DType::kFloat32 : encoding.dtype;
}

// The attributes and inputs that both operations which count ids have.
std::vector<std::string> CountInputs(const Call& call, const std::string& ids,
                                     int64_t size, const Encoding& encoding) {
  const std::string none = call.nodes.Constant(
      Tensor::Zeros(Shape{0}, VectorType(encoding), Device::Host()));
  return {ids, call.nodes.Scalar(size),
          encoding.count_weights.empty() ? none : encoding.count_weights};
}

Attributes CountAttributes(const Encoding& encoding) {
  return {
      {"Tidx", TypeAttribute(tensor_bundle::DT_INT64)},
      {"binary_output", BoolAttribute(encoding.mode == OutputMode::kMultiHot)}};
}

NodeResult Weighted(const Call& call, const std::string& counts,
                    const Encoding& encoding) {
  if (encoding.mode != OutputMode::kTfIdf) {
    return {counts, {}, VectorType(encoding)};
  }
  const std::string weights = call.nodes.Constant(Tensor::FromVector(
      encoding.weights, Shape{std::ssize(encoding.weights)}, Device::Host()));
  return {call.nodes.AddFloat("Mul", {counts, weights}, "z")};
}

template <typename T>
NodeResult OneHot(const Call& call, const NodeResult& ids, int64_t depth) {
  std::string numbers = ids.name;
  const int rank = ids.shape.rank();
  if (rank > 1 && ids.shape[rank - 1] == 1) {
    numbers = call.nodes.AddTyped("Squeeze", ids.dtype, {numbers}, "output",
                                  {{"squeeze_dims", IntsAttribute({-1})}});
  }
  const DType dtype = kDTypeOf<T>;
  return {call.nodes.AddTyped(
              "OneHot", dtype,
              {numbers, call.nodes.Integer(static_cast<int32_t>(depth)),
               call.nodes.Scalar(T{1}), call.nodes.Scalar(T{0})},
              "output",
              {{"TI", TypeAttribute(tensor_bundle::DT_INT64)},
               {"axis", IntAttribute(-1)}}),
          {},
          dtype};
}

}  // namespace

NodeResult WriteEncoding(const Call& call, const NodeResult& ids,
                         const Encoding& encoding) {
  if (encoding.mode == OutputMode::kInt) return ids;
  if (encoding.mode == OutputMode::kOneHot) {
    return encoding.dtype == DType::kInt64
               ? OneHot<int64_t>(call, ids, encoding.depth)
               : OneHot<float>(call, ids, encoding.depth);
  }
  const int rank = ids.shape.rank();
  std::string rows = ids.name;
  if (rank > 2) {
    const Shape last{ids.shape[rank - 1]};
    rows = ReshapeTo(call, ids, last);
  }
  int64_t size = encoding.depth;
  if (encoding.may_leave_out) {  // kNoId becomes an entry, which is dropped
    rows = call.nodes.AddTyped("AddV2", DType::kInt64,
                               {rows, call.nodes.Scalar(int64_t{1})}, "z");
    ++size;
  }
  const DType dtype = VectorType(encoding);
  std::string counts = call.nodes.AddTyped(
      "DenseBincount", dtype, CountInputs(call, rows, size, encoding), "output",
      CountAttributes(encoding));
  if (encoding.may_leave_out) {
    counts = DropFirst(call, counts, std::min(rank, 2), dtype);
  }
  NodeResult vectors = Weighted(call, counts, encoding);
  if (rank > 2) {
    const Shape dims = ids.shape.Tail().WithDim(rank - 2, encoding.depth);
    vectors.name = ReshapeTo(call, vectors, dims);
  }
  return vectors;
}

NodeResult WriteRaggedEncoding(const Call& call, const std::string& splits,
                               const std::string& ids,
                               const Encoding& encoding) {
  std::vector<std::string> inputs =
      CountInputs(call, ids, encoding.depth, encoding);
  inputs.insert(inputs.begin(), splits);
  return Weighted(
      call,
      call.nodes.AddTyped("RaggedBincount", VectorType(encoding), inputs,
                          "output", CountAttributes(encoding)),
      encoding);
}

void AddNumberWriters(LayerWriters& writers) {
  writers["Discretization"] = WriteDiscretization;
  writers["Normalization"] = WriteNormalization;
  writers["RandomCrop"] = WriteRandomCrop;
  writers["RandomFlip"] = WriteImages;
  writers["RandomRotation"] = WriteImages;
  writers["Rescaling"] = WriteRescaling;
}

}  // namespace lockstep::export_internal
