// Operations on images.
#include <algorithm>
#include <array>
#include <utility>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/export/saved_model/loading/operations/operation.h"
#include "reference/preprocessing/random/resampling.h"

namespace lockstep::export_internal {
namespace {

// The largest row or column count of a window: positions in it fit an int32.
constexpr int64_t kLargestWindow = 32768;

void ExpectImages(const NodeAttributes& attributes) {
  attributes.ExpectFloat("T");
  const std::string format = attributes.Text("data_format", "NHWC");
  if (format != "NHWC") {
    throw Unimplemented("{}: its data_format is {}; only NHWC is supported",
                        attributes.place(), format);
  }
}

kernels::Padding PaddingOf(const NodeAttributes& attributes) {
  const std::string padding = attributes.Text("padding", "");
  if (padding == "VALID") return kernels::Padding::kValid;
  if (padding == "SAME") return kernels::Padding::kSame;
  throw Unimplemented("{}: its padding is {}; VALID and SAME are supported",
                      attributes.place(), padding);
}

// Rows and columns of [1, rows, columns, 1].
std::array<int64_t, 2> RowsAndColumns(const NodeAttributes& attributes,
                                      const std::string& name) {
  const auto values = attributes.Integers(name);
  if (values.size() != 4 || values[0] != 1 || values[3] != 1) {
    throw Unimplemented("{}: its {} are not [1, rows, columns, 1]",
                        attributes.place(), name);
  }
  for (const int64_t value : {values[1], values[2]}) {
    if (value < 1 || value > kLargestWindow) {
      throw DataLoss("{}: {} in its {} is not from 1 to {}", attributes.place(),
                     value, name, kLargestWindow);
    }
  }
  return {values[1], values[2]};
}

Operation Conv2D(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  ExpectImages(attributes);
  const auto dilations = attributes.Integers("dilations", {1, 1, 1, 1});
  if (std::ranges::any_of(dilations, [](int64_t d) { return d != 1; })) {
    throw Unimplemented("{}: dilations are not supported", attributes.place());
  }
  const kernels::Conv2DOptions options = {
      .strides = RowsAndColumns(attributes, "strides"),
      .padding = PaddingOf(attributes)};
  return {[options](Tensors inputs) {
            return ops::Conv2D(inputs[0], inputs[1], {}, options);
          },
          [options](Tensors inputs) {
            const Tensor &x = inputs[0], &filter = inputs[1];
            if (x.rank() != 4 || filter.rank() != 4) return 0.0;  // refused
            double bytes = 4;
            for (const int64_t size :
                 {x.dim(0), x.dim(1) / options.strides[0] + 1,
                  x.dim(2) / options.strides[1] + 1, filter.dim(3)}) {
              bytes *= static_cast<double>(size);
            }
            return bytes;
          }};
}

template <typename Function>
OperationMaker Pool(Function function) {
  return [function](const NodeAttributes& attributes) -> Operation {
    attributes.ExpectInputs(1);
    ExpectImages(attributes);
    const kernels::Pool2DOptions options = {
        .pool = RowsAndColumns(attributes, "ksize"),
        .strides = RowsAndColumns(attributes, "strides"),
        .padding = PaddingOf(attributes)};
    return {[=](Tensors inputs) { return function(inputs[0], options); },
            // Also counts the positions of the maxima.
            [](Tensors inputs) { return 2 * BytesOf(inputs); }};
  };
}

Operation BiasAdd(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  ExpectImages(attributes);
  return {[](Tensors inputs) {
            const Tensor &x = inputs[0], &bias = inputs[1];
            if (x.rank() < 2 || bias.rank() != 1 ||
                bias.dim(0) != x.dim(x.rank() - 1)) {
              throw InvalidArgument("a bias of {} does not fit {}",
                                    Describe(bias), Describe(x));
            }
            return ops::Add(x, bias);
          },
          {}};
}

// Zeros around the rows and columns of images.
Operation Pad(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  attributes.ExpectFloat("T");
  const auto sides_of = [](const Tensor& paddings) {
    if (paddings.shape() != Shape{4, 2}) {
      throw InvalidArgument("paddings must be of shape (4, 2), got {}",
                            Describe(paddings));
    }
    auto sides =
        IntegersIn("the paddings", paddings.ToHost().Reshape(Shape{8}));
    const bool other_axes = sides[0] || sides[1] || sides[6] || sides[7];
    for (const int64_t side : sides) {
      if (other_axes || side < 0 || side > kLargestWindow) {
        throw InvalidArgument(
            "only rows and columns can be padded, by 0 to {}, got {}",
            kLargestWindow, ToString(paddings));
      }
    }
    return sides;
  };
  return {[=](Tensors inputs) {
            const auto sides = sides_of(inputs[1]);
            return ops::Pad2D(inputs[0], {.top = sides[2],
                                          .bottom = sides[3],
                                          .left = sides[4],
                                          .right = sides[5]});
          },
          [=](Tensors inputs) {
            const auto sides = sides_of(inputs[1]);
            const Tensor& x = inputs[0];
            if (x.rank() != 4) return 0.0;  // refused
            return 4.0 * static_cast<double>(x.dim(0)) *
                   static_cast<double>(x.dim(1) + sides[2] + sides[3]) *
                   static_cast<double>(x.dim(2) + sides[4] + sides[5]) *
                   static_cast<double>(x.dim(3));
          }};
}

// As TensorFlow's tf.image.resize.
Operation ResizeBilinear(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  attributes.ExpectFloat("T");
  if (attributes.Flag("align_corners") ||
      !attributes.Flag("half_pixel_centers")) {
    throw Unimplemented("{}: only half_pixel_centers are supported",
                        attributes.place());
  }
  const auto size_of = [](Tensors inputs) {
    const auto size = IntegersIn("the size", inputs[1]);
    const Tensor& x = inputs[0];
    if (size.size() != 2 || x.rank() != 4 || x.dim(1) < 1 || x.dim(2) < 1 ||
        std::ranges::any_of(
            size, [](int64_t n) { return n < 1 || n > kLargestWindow; })) {
      throw InvalidArgument("{} cannot be resized to {}", Describe(x),
                            ToString(inputs[1]));
    }
    return preprocessing_internal::ImageSize{size[0], size[1]};
  };
  return {[size_of](Tensors inputs) {
            const Tensor x = inputs[0].ToHost();
            const auto resize = preprocessing_internal::ResizeTo(
                {x.dim(1), x.dim(2)}, size_of(inputs));
            return preprocessing_internal::Resample(
                       x, [resize](int64_t) { return resize; })
                .To(Device::Current());
          },
          [size_of](Tensors inputs) {
            const auto size = size_of(inputs);
            const Tensor& x = inputs[0];
            // The pixels' weights, and the images.
            return static_cast<double>(size.rows) *
                   static_cast<double>(size.columns) *
                   (64 + 4 * static_cast<double>(x.dim(0)) *
                             static_cast<double>(x.dim(3)));
          }};
}

}  // namespace

void AddNetworkOperations(OperationTable& table) {
  table.insert({{"AvgPool", Pool(ops::AvgPool2D)},
                {"BiasAdd", BiasAdd},
                {"Conv2D", Conv2D},
                {"MaxPool", Pool(ops::MaxPool2D)},
                {"Pad", Pad},
                {"ResizeBilinear", ResizeBilinear}});
}

}  // namespace lockstep::export_internal
