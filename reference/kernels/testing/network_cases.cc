// Cases of convolutional networks' kernels, forward and backward.
#include <fmt/core.h>

#include <limits>

#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/convolution/conv2d_relu_max_pool2d.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/linear/matmul.h"
#include "reference/kernels/movement/movement.h"
#include "reference/kernels/normalization/batch_norm.h"
#include "reference/kernels/pooling/pool2d.h"
#include "reference/kernels/testing/kernel_cases.h"
#include "reference/kernels/testing/test_tensors.h"
#include "reference/kernels/windows.h"

namespace lockstep::kernels {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor Integers(const Shape& shape, uint32_t seed,
                DType dtype = DType::kFloat32) {
  return SmallIntegers(shape, seed).ToHost().Cast(dtype);
}

// Ones, except for a NaN and two infinities far from each other.
Tensor WithNonFinite(const Shape& shape) {
  Tensor x = Tensor::Full(shape, 1.0f, Device::Host());
  float* data = x.mutable_data<float>();
  data[0] = kNaN;
  data[x.num_elements() / 2] = kInfinity;
  data[x.num_elements() - 1] = -kInfinity;
  return x;
}

KernelCase ConvolutionCase(const Tensor& x, const Tensor& filter,
                           const Conv2DOptions& options) {
  const Tensor bias = Integers(Shape{filter.dim(3)}, 3, x.dtype());
  const Tensor dy =
      Integers(Conv2D(x, filter, bias, options).shape(), 4, x.dtype());
  return {fmt::format("Conv2D/{}/{}/strides {} {}/{}{}", Describe(x),
                      Describe(filter), options.strides[0], options.strides[1],
                      options.padding == Padding::kSame ? "same" : "valid",
                      options.relu ? "/relu" : ""),
          {x, filter, bias, dy},
          [options](const Tensors& in) {
            const Tensor y = Conv2D(in[0], in[1], in[2], options);
            const auto g =
                Conv2DBackward(in[0], in[1], y, in[3], options, true);
            return Tensors{y, Conv2D(in[0], in[1], {}, options), g.x, g.filter,
                           g.bias};
          }};
}

void AddConvolutions(std::vector<KernelCase>& cases) {
  constexpr Padding kSame = Padding::kSame;
  constexpr Padding kValid = Padding::kValid;
  struct Sizes {
    Shape x, filter;
    Conv2DOptions options;
  };
  const Sizes all[] = {{{1, 3, 3, 1}, {2, 2, 1, 1}, {}},
                       {{8, 28, 28, 1}, {3, 3, 1, 32}, {{1, 1}, kValid, true}},
                       {{19, 7, 9, 8}, {3, 3, 8, 16}, {{1, 1}, kSame, true}},
                       {{5, 8, 8, 5}, {1, 1, 5, 7}, {{1, 1}, kValid, true}},
                       {{4, 8, 8, 16}, {3, 3, 16, 24}, {{2, 2}, kSame, false}},
                       {{9, 11, 7, 2}, {5, 3, 2, 33}, {{2, 3}, kSame, false}},
                       {{2, 2, 2, 3}, {3, 3, 3, 2}, {{1, 1}, kSame, false}},
                       {{0, 5, 5, 2}, {3, 3, 2, 4}, {{1, 1}, kValid, true}}};
  for (const Sizes& s : all) {
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      cases.push_back(ConvolutionCase(Integers(s.x, 1, dtype),
                                      Integers(s.filter, 2, dtype), s.options));
    }
  }
  const Tensor ones = Tensor::Full(Shape{3, 3, 4, 8}, 1.0f, Device::Host());
  KernelCase odd = ConvolutionCase(WithNonFinite(Shape{2, 12, 12, 4}), ones,
                                   {{1, 1}, kSame, true});
  odd.name += "/non-finite";
  cases.push_back(odd);
}

// Images and filters of whole numbers, such that the n outputs in a pool's
// window differ modulo n: only the filter's tap at the output's own pixel is
// not a multiple of n, and that pixel modulo n is its position in the window.
struct FusedInputs {
  Tensor x, filter;
};

FusedInputs WithClearWinners(const Shape& shape, const Shape& filter_shape,
                             const Conv2DReluMaxPool2DOptions& options) {
  const auto [pool_rows, pool_columns] = options.pool.pool;
  const auto n = static_cast<float>(pool_rows * pool_columns);
  Tensor x = SmallIntegers(shape, 1).ToHost();
  for (int64_t pixel = 0; pixel < x.num_elements() / shape[3]; ++pixel) {
    const int64_t row = pixel / shape[2] % shape[1] / options.strides[0];
    const int64_t column = pixel % shape[2] / options.strides[1];
    float& value = x.mutable_data<float>()[pixel * shape[3]];
    value = n * (value > 0 ? 1 : -1) +
            static_cast<float>(row % pool_rows * pool_columns +
                               column % pool_columns);
  }
  const auto before = [&](int axis) {
    return PlaceWindows("Test", shape[axis + 1], filter_shape[axis],
                        options.strides[axis], options.padding)
        .before;
  };
  Tensor filter = SmallIntegers(filter_shape, 2).ToHost();
  float* taps = filter.mutable_data<float>();
  for (int64_t i = 0; i < filter.num_elements(); ++i) taps[i] *= n;
  const int64_t own = before(0) * filter_shape[1] + before(1);
  for (int64_t o = 0; o < filter_shape[3]; ++o) {
    taps[own * filter_shape[2] * filter_shape[3] + o] = 1;
  }
  return {x, filter};
}

// Winograd's transforms may round, but by far less than the outputs of a window
// differ, so that the winners are equal to the host's.
KernelCase FusedCase(const Shape& shape, const Shape& filter_shape,
                     const Conv2DReluMaxPool2DOptions& options) {
  constexpr double kUlps = 256;
  const auto [numbers, taps] = WithClearWinners(shape, filter_shape, options);
  // Not far from 1, as the tolerance requires; no output is 0.
  const Tensor x = Scale(numbers, 0x1p-2);
  const Tensor filter = Scale(taps, 0x1p-4);
  const Tensor halves =
      Tensor::Full(Shape{filter.dim(3)}, 0.5f, Device::Host());
  const Tensor bias =
      Scale(Add(SmallIntegers(halves.shape(), 3).ToHost(), halves), 0x1p-6);
  const auto y_shape = Conv2DReluMaxPool2D(x, filter, bias, options).y.shape();
  return {
      fmt::format("Conv2DReluMaxPool2D/{}/{}", Describe(x), Describe(filter)),
      {x, filter, bias, Fractions(y_shape, 4).ToHost()},
      [options](const Tensors& in) {
        const auto [y, selection] =
            Conv2DReluMaxPool2D(in[0], in[1], in[2], options);
        const auto g = Conv2DReluMaxPool2DBackward(in[0], in[1], selection,
                                                   in[3], options, true);
        return Tensors{y, selection, g.x, g.filter, g.bias};
      },
      kUlps};
}

KernelCase MaxPoolCase(const Tensor& x, const MaxPool2DOptions& options) {
  const auto y_shape = MaxPool2D(x, options).y.shape();
  return {fmt::format("MaxPool2D/{}/{} {}/{} {}", Describe(x), options.pool[0],
                      options.pool[1], options.strides[0], options.strides[1]),
          {x, Integers(y_shape, 2, x.dtype())},
          [options](const Tensors& in) {
            const auto [y, argmax] = MaxPool2D(in[0], options);
            return Tensors{
                y, argmax,
                MaxPool2DBackward(in[0].shape(), argmax, in[1], options)};
          }};
}

// oneDNN adds the parts of a gradient, here at most 9, in its own order. None
// is negative, so that nothing cancels.
KernelCase AvgPoolCase(const Tensor& x, const AvgPool2DOptions& options) {
  const auto y_shape = AvgPool2D(x, options).shape();
  return {fmt::format("AvgPool2D/{}/{} {}/{} {}", Describe(x), options.pool[0],
                      options.pool[1], options.strides[0], options.strides[1]),
          {x, Abs(Integers(y_shape, 2)).Cast(x.dtype())},
          [options](const Tensors& in) {
            return Tensors{AvgPool2D(in[0], options),
                           AvgPool2DBackward(in[0].shape(), in[1], options)};
          },
          4};
}

void AddPools(std::vector<KernelCase>& cases) {
  const std::pair<Shape, Pool2DOptions> sizes[] = {
      {{3, 6, 6, 5}, {}},
      {{7, 11, 11, 64}, {}},
      {{5, 7, 9, 3}, {{3, 2}, {2, 1}, Padding::kSame}},
      {{2, 5, 5, 17}, {{3, 3}, {1, 1}, Padding::kSame}},
      {{2, 17, 16, 2}, {{17, 16}, {1, 1}, Padding::kValid}},
      {{1, 4, 4, 1}, {{1, 1}, {3, 2}, Padding::kValid}},
      {{0, 4, 4, 3}, {}}};
  for (const auto& [shape, options] : sizes) {
    const Tensor x = Awkward<float>(shape);
    cases.push_back(MaxPoolCase(x, options));
    cases.push_back(AvgPoolCase(x, options));
    cases.push_back(MaxPoolCase(x.Cast(DType::kBFloat16), options));
    cases.push_back(AvgPoolCase(x.Cast(DType::kFloat16), options));
  }
}

KernelCase MatMulCase(const Tensor& a, const Tensor& b, bool transpose_a,
                      bool transpose_b) {
  return {fmt::format("MatMul/{}{}/{}{}", Describe(a), transpose_a ? "'" : "",
                      Describe(b), transpose_b ? "'" : ""),
          {a, b},
          [=](const Tensors& in) {
            return Tensors{MatMul(in[0], in[1], transpose_a, transpose_b)};
          }};
}

KernelCase FullyConnectedCase(const Tensor& x, int64_t outputs, bool relu) {
  const DType dtype = x.dtype();
  return {
      fmt::format("Dense/{}/{}{}", Describe(x), outputs, relu ? "/relu" : ""),
      {x, Integers(Shape{x.dim(1), outputs}, 2, dtype),
       Integers(Shape{outputs}, 3, dtype),
       Integers(Shape{x.dim(0), outputs}, 4, dtype)},
      [relu](const Tensors& in) {
        const Tensor y = Dense(in[0], in[1], in[2], relu);
        const auto g = DenseBackward(in[0], in[1], y, in[3], relu, true);
        return Tensors{y, Dense(in[0], in[1], {}, relu), g.x, g.kernel, g.bias};
      }};
}

void AddProducts(std::vector<KernelCase>& cases) {
  struct Sizes {
    int64_t m, k, n;
  };
  for (const Sizes& s : {Sizes{1, 1, 1}, Sizes{64, 128, 10}, Sizes{33, 7, 65},
                         Sizes{0, 4, 3}, Sizes{4, 0, 3}, Sizes{3, 1000, 5}}) {
    for (const bool left : {false, true}) {
      for (const bool right : {false, true}) {
        const Shape a = left ? Shape{s.k, s.m} : Shape{s.m, s.k};
        const Shape b = right ? Shape{s.n, s.k} : Shape{s.k, s.n};
        for (const DType dtype :
             {DType::kFloat32, DType::kFloat64, DType::kFloat16}) {
          cases.push_back(MatMulCase(Integers(a, 1, dtype),
                                     Integers(b, 2, dtype), left, right));
        }
      }
    }
    for (const bool relu : {false, true}) {
      for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
        cases.push_back(
            FullyConnectedCase(Integers(Shape{s.m, s.k}, 1, dtype), s.n, relu));
      }
    }
  }
  KernelCase odd = FullyConnectedCase(WithNonFinite(Shape{9, 5}), 6, true);
  odd.name += "/non-finite";
  cases.push_back(odd);
}

// Sums are float64 in another order, which in float32 changes at most the last
// bit of some operations. In float64 the error of a sum of n terms of at most
// 12, as here, is up to n * 12 n * 2^-53: 6 n^2 units in the last place.
KernelCase BatchNormCase(const Tensor& x, bool relu, bool plain) {
  const auto rows = static_cast<double>(x.num_elements() / x.dim(x.rank() - 1));
  const double ulps = x.dtype() == DType::kFloat64 ? 6 * rows * rows + 8 : 8.0;
  const Shape channels{x.dim(x.rank() - 1)};
  const BatchNormOptions options{.relu = relu};
  const DType dtype = x.dtype();
  return {fmt::format("BatchNorm/{}{}{}", Describe(x), relu ? "/relu" : "",
                      plain ? "/plain" : ""),
          {x, Integers(channels, 2, dtype), Integers(channels, 3, dtype),
           Integers(x.shape(), 4, dtype), Integers(x.shape(), 5, dtype),
           Tensor::Full(channels, 2.0f, Device::Host()).Cast(dtype)},
          [options, plain](const Tensors& in) {
            const Tensor gamma = plain ? Tensor() : in[1];
            const Tensor beta = plain ? Tensor() : in[2];
            const Tensor addend = plain ? Tensor() : in[3];
            const auto out = BatchNorm(in[0], gamma, beta, addend, options);
            const auto g =
                BatchNormBackward({in[0], gamma, out.mean, out.variance, out.y},
                                  in[4], options, true);
            // With constant moments, both 2.
            const Tensor z = BatchNormInference(in[0], gamma, beta, in[5],
                                                in[5], addend, options);
            const auto h = BatchNormInferenceBackward(
                {in[0], gamma, in[5], in[5], z}, in[4], options, true);
            return Tensors{out.y,   out.mean, out.variance, g.x,
                           g.gamma, g.beta,   g.addend,     z,
                           h.x,     h.gamma,  h.beta,       h.addend};
          },
          ulps};
}

void AddNormalizations(std::vector<KernelCase>& cases) {
  for (const Shape& shape : {Shape{64, 3}, Shape{2, 5, 7, 33}, Shape{700, 1},
                             Shape{1, 4}, Shape{0, 4}}) {
    for (const bool relu : {false, true}) {
      for (const bool plain : {false, true}) {
        cases.push_back(BatchNormCase(Integers(shape, 1), relu, plain));
      }
    }
    cases.push_back(
        BatchNormCase(Integers(shape, 1, DType::kFloat64), true, false));
  }
  KernelCase odd = BatchNormCase(WithNonFinite(Shape{6, 2, 3}), true, false);
  odd.name += "/non-finite";
  cases.push_back(odd);
}

KernelCase PadCase(const Tensor& x, const Pad2DOptions& options) {
  return {
      fmt::format("Pad2D/{}", Describe(x)), {x}, [options](const Tensors& in) {
        const Tensor y = Pad2D(in[0], options);
        return Tensors{y, Pad2DBackward(y, options)};
      }};
}

}  // namespace

std::vector<KernelCase> ProductCases() {
  std::vector<KernelCase> cases;
  AddConvolutions(cases);
  cases.push_back(FusedCase(Shape{8, 28, 28, 1}, Shape{3, 3, 1, 32}, {}));
  cases.push_back(FusedCase(Shape{4, 13, 13, 16}, Shape{3, 3, 16, 24}, {}));
  cases.push_back(FusedCase(Shape{3, 9, 8, 3}, Shape{5, 2, 3, 7},
                            {.strides = {2, 1},
                             .padding = Padding::kSame,
                             .pool = {{3, 2}, {1, 2}}}));
  cases.push_back(FusedCase(Shape{0, 6, 6, 2}, Shape{3, 3, 2, 4}, {}));
  AddProducts(cases);
  return cases;
}

std::vector<KernelCase> LayerCases() {
  std::vector<KernelCase> cases;
  AddPools(cases);
  AddNormalizations(cases);
  cases.push_back(PadCase(Awkward<float>(Shape{3, 4, 5, 2}), {1, 2, 3, 0}));
  cases.push_back(PadCase(Awkward<int32_t>(Shape{2, 1, 1, 3}), {0, 1, 0, 1}));
  cases.push_back(PadCase(Awkward<float>(Shape{0, 4, 5, 2}), {1, 1, 1, 1}));
  return cases;
}

}  // namespace lockstep::kernels
