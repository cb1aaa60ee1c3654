#include "reference/kernels/normalization/batch_norm.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/normalization/batch_norm_loops.h"
#include "reference/kernels/normalization/rows.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::DataOrNull;
using kernels_internal::ForRows;
using kernels_internal::Rows;
using kernels_internal::SumRows;

Rows CheckInput(const char* operation, const Tensor& x) {
  // GPUs have no kernel for 16-bit types.
  if (x.dtype() != DType::kBFloat16 || !x.on_host()) {
    kernels_internal::CheckFloating(operation, "x", x);
  }
  if (x.rank() < 2 || x.dim(x.rank() - 1) == 0) {
    throw InvalidArgument(
        "[{}] x must have rows and at least one channel, got {}", operation,
        Describe(x));
  }
  return kernels_internal::RowsOf(x);
}

// The type of values per channel.
DType ChannelType(const Tensor& x) {
  return x.dtype() == DType::kBFloat16 ? DType::kFloat32 : x.dtype();
}

void CheckChannels(const char* operation, const char* argument,
                   const Tensor& values, const Tensor& x) {
  kernels_internal::CheckDType(operation, argument, values, ChannelType(x));
  kernels_internal::CheckShape(operation, argument, values,
                               Shape{x.dim(x.rank() - 1)});
}

void CheckOptional(const char* operation, const Tensor& x, const Tensor& gamma,
                   const Tensor& beta, const Tensor& addend) {
  if (gamma.defined()) CheckChannels(operation, "gamma", gamma, x);
  if (beta.defined()) CheckChannels(operation, "beta", beta, x);
  if (addend.defined())
    kernels_internal::CheckSameTypeAndShape(operation, x, addend);
}

void CheckHasNoParts(const char* operation, const BatchNormOptions& options) {
  if (options.add_parts) {
    throw InvalidArgument("[{}] parts of a batch are added on the host only",
                          operation);
  }
}

// Sums over the rows of all parts of a batch.
struct Totals {
  double rows;
  std::vector<double> sums;  // two per channel, as SumRows
};

Totals AddParts(Rows rows, std::vector<double> sums,
                const BatchNormOptions& options) {
  const auto count = static_cast<double>(rows.count);
  if (!options.add_parts) return {count, std::move(sums)};
  sums.push_back(count);
  const Tensor all = options.add_parts(Tensor::FromVector<double>(
      sums, Shape{static_cast<int64_t>(sums.size())}));
  std::ranges::copy(all.span<double>(), sums.begin());
  const double total = sums.back();
  sums.pop_back();
  return {total, std::move(sums)};
}

// 1 / sqrt(variance + epsilon) of each channel.
template <typename T>
std::vector<double> InverseDeviations(const Tensor& variance, double epsilon) {
  std::vector<double> inverse;
  for (const T v : variance.span<T>()) {
    inverse.push_back(1 / std::sqrt(static_cast<double>(v) + epsilon));
  }
  return inverse;
}

template <typename T>
void SetMoments(Rows rows, const Tensor& x, const BatchNormOptions& options,
                BatchNormResult& result) {
  const T* from = x.data<T>();
  const auto [count, sums] = AddParts(
      rows,
      SumRows(rows,
              [&](int64_t first, Rows part, double* sum, double* squares) {
                kernels_internal::AddMoments(part, from + first * rows.channels,
                                             sum, squares);
              }),
      options);
  result.rows = static_cast<int64_t>(count);
  using C = ComputeType<T>;
  C* means = result.mean.mutable_data<C>();
  C* variances = result.variance.mutable_data<C>();
  for (int64_t c = 0; c < rows.channels; ++c) {
    const double mean = sums[c] / count;
    const double variance = sums[rows.channels + c] / count - mean * mean;
    means[c] = static_cast<C>(mean);
    // Rounding can make it negative. A NaN must stay.
    variances[c] = static_cast<C>(variance < 0 ? 0 : variance);
  }
}

template <typename T>
Tensor Apply(Rows rows, const Tensor& x, const Tensor& gamma,
             const Tensor& beta, const Tensor& mean, const Tensor& variance,
             const Tensor& addend, const BatchNormOptions& options) {
  using C = ComputeType<T>;
  const std::vector<double> inverse =
      InverseDeviations<C>(variance, options.epsilon);
  std::vector<C> scale(rows.channels), offset(rows.channels);
  for (int64_t c = 0; c < rows.channels; ++c) {
    scale[c] = static_cast<C>(gamma.defined() ? inverse[c] * gamma.at<C>(c)
                                              : inverse[c]);
    if (beta.defined()) offset[c] = beta.at<C>(c);
  }
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  const T* from = x.data<T>();
  const T* added = DataOrNull<T>(addend);
  T* to = y.mutable_data<T>();
  ForRows(rows, [&](int64_t first, Rows part) {
    const int64_t at = first * rows.channels;
    kernels_internal::Normalize<T>(
        part, {mean.data<C>(), scale.data(), offset.data()}, from + at,
        added == nullptr ? nullptr : added + at, options.relu, to + at);
  });
  return y;
}

// The sums of dz and of dz * (x - mean) per channel.
template <typename T>
std::vector<double> GradientSums(Rows rows, const BatchNormSaved& saved,
                                 const T* y, const Tensor& dy) {
  const T* x = saved.x.data<T>();
  const T* gradient = dy.data<T>();
  return SumRows(
      rows, [&](int64_t first, Rows part, double* sum, double* products) {
        const int64_t at = first * rows.channels;
        kernels_internal::AddGradientSums<T>(
            part, saved.mean.data<ComputeType<T>>(), x + at,
            y == nullptr ? nullptr : y + at, gradient + at, sum, products);
      });
}

// Each channel's coefficients of the gradient of x (NormalizeBackward). Zero
// without rows.
template <typename T>
struct Coefficients {
  explicit Coefficients(int64_t channels)
      : scale(channels), shift(channels), slope(channels) {}

  std::vector<T> scale, shift, slope;
};

// Writes the gradients of gamma and beta from the sums of this part. Returns
// the coefficients of x's gradient; those of the moments are from the sums of
// all parts, and 0 if the moments are constants.
template <typename T>
Coefficients<T> SetChannelGradients(Rows rows, const BatchNormSaved& saved,
                                    const std::vector<double>& sums,
                                    const Totals* all, double epsilon,
                                    BatchNormGradients& gradients) {
  const std::vector<double> inverse =
      InverseDeviations<T>(saved.variance, epsilon);
  Coefficients<T> result(rows.channels);
  for (int64_t c = 0; c < rows.channels && rows.count > 0; ++c) {
    const int64_t product = rows.channels + c;
    const double factor =
        saved.gamma.defined() ? inverse[c] * saved.gamma.at<T>(c) : inverse[c];
    gradients.beta.mutable_data<T>()[c] = static_cast<T>(sums[c]);
    gradients.gamma.mutable_data<T>()[c] =
        static_cast<T>(sums[product] * inverse[c]);
    result.scale[c] = static_cast<T>(factor);
    if (all == nullptr) continue;
    result.shift[c] = static_cast<T>(factor * all->sums[c] / all->rows);
    result.slope[c] = static_cast<T>(factor * all->sums[product] * inverse[c] *
                                     inverse[c] / all->rows);
  }
  return result;
}

template <typename T>
void SetGradients(Rows rows, const BatchNormSaved& saved, const Tensor& dy,
                  const BatchNormOptions& options, bool moments_are_constants,
                  BatchNormGradients& gradients) {
  const T* y = options.relu ? saved.y.data<T>() : nullptr;
  using C = ComputeType<T>;
  const std::vector<double> sums = GradientSums<T>(rows, saved, y, dy);
  std::optional<Totals> all;
  if (!moments_are_constants) all = AddParts(rows, sums, options);
  const Coefficients<C> by = SetChannelGradients<C>(
      rows, saved, sums, all ? &*all : nullptr, options.epsilon, gradients);
  const T* x = saved.x.data<T>();
  const T* from = dy.data<T>();
  T* dx = gradients.x.mutable_data<T>();
  T* dz = y != nullptr && gradients.addend.defined()
              ? gradients.addend.mutable_data<T>()
              : nullptr;
  ForRows(rows, [&](int64_t first, Rows part) {
    const int64_t at = first * rows.channels;
    kernels_internal::NormalizeBackward<T>(
        part,
        {saved.mean.data<C>(), by.scale.data(), by.shift.data(),
         by.slope.data()},
        x + at, y == nullptr ? nullptr : y + at, from + at, dx + at,
        dz == nullptr ? nullptr : dz + at);
  });
}

BatchNormGradients Backward(const char* operation, const BatchNormSaved& saved,
                            const Tensor& dy, const BatchNormOptions& options,
                            bool moments_are_constants, bool need_addend) {
  const Rows rows = CheckInput(operation, saved.x);
  CheckOptional(operation, saved.x, saved.gamma, Tensor(), Tensor());
  CheckChannels(operation, "mean", saved.mean, saved.x);
  CheckChannels(operation, "variance", saved.variance, saved.x);
  kernels_internal::CheckSameTypeAndShape(operation, saved.x, dy);
  if (options.relu)
    kernels_internal::CheckSameTypeAndShape(operation, saved.x, saved.y);
  if (OnGpu(operation, saved.x, saved.gamma, saved.mean, saved.variance,
            options.relu ? saved.y : Tensor(), dy)) {
    CheckHasNoParts(operation, options);
    return moments_are_constants
               ? gpu::BatchNormInferenceBackward(saved, dy, options,
                                                 need_addend)
               : gpu::BatchNormBackward(saved, dy, options, need_addend);
  }
  const DType dtype = saved.x.dtype();
  BatchNormGradients gradients{
      EmptyOnHost(saved.x.shape(), dtype),
      ZerosOnHost(Shape{rows.channels}, ChannelType(saved.x)),
      ZerosOnHost(Shape{rows.channels}, ChannelType(saved.x)), Tensor()};
  if (need_addend) {
    gradients.addend =
        options.relu ? EmptyOnHost(dy.shape(), dtype) : dy.WithNewId();
  }
  kernels_internal::VisitFloatingOrBFloat16(dtype, [&]<typename T>() {
    SetGradients<T>(rows, saved, dy, options, moments_are_constants, gradients);
  });
  return gradients;
}

}  // namespace

BatchNormResult BatchNorm(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, const Tensor& addend,
                          const BatchNormOptions& options) {
  const Rows rows = CheckInput("BatchNorm", x);
  CheckOptional("BatchNorm", x, gamma, beta, addend);
  if (OnGpu("BatchNorm", x, gamma, beta, addend)) {
    CheckHasNoParts("BatchNorm", options);
    BatchNormResult result = gpu::BatchNorm(x, gamma, beta, addend, options);
    result.rows = rows.count;
    return result;
  }
  BatchNormResult result{Tensor(),
                         EmptyOnHost(Shape{rows.channels}, ChannelType(x)),
                         EmptyOnHost(Shape{rows.channels}, ChannelType(x))};
  kernels_internal::VisitFloatingOrBFloat16(x.dtype(), [&]<typename T>() {
    SetMoments<T>(rows, x, options, result);
    result.y = Apply<T>(rows, x, gamma, beta, result.mean, result.variance,
                        addend, options);
  });
  return result;
}

Tensor BatchNormInference(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, const Tensor& mean,
                          const Tensor& variance, const Tensor& addend,
                          const BatchNormOptions& options) {
  constexpr const char* kName = "BatchNormInference";
  const Rows rows = CheckInput(kName, x);
  CheckOptional(kName, x, gamma, beta, addend);
  CheckChannels(kName, "mean", mean, x);
  CheckChannels(kName, "variance", variance, x);
  if (OnGpu(kName, x, gamma, beta, mean, variance, addend)) {
    return gpu::BatchNormInference(x, gamma, beta, mean, variance, addend,
                                   options);
  }
  Tensor y;
  kernels_internal::VisitFloatingOrBFloat16(x.dtype(), [&]<typename T>() {
    y = Apply<T>(rows, x, gamma, beta, mean, variance, addend, options);
  });
  return y;
}

BatchNormGradients BatchNormBackward(const BatchNormSaved& saved,
                                     const Tensor& dy,
                                     const BatchNormOptions& options,
                                     bool need_addend) {
  return Backward("BatchNormBackward", saved, dy, options,
                  /*moments_are_constants=*/false, need_addend);
}

BatchNormGradients BatchNormInferenceBackward(const BatchNormSaved& saved,
                                              const Tensor& dy,
                                              const BatchNormOptions& options,
                                              bool need_addend) {
  return Backward("BatchNormInferenceBackward", saved, dy, options,
                  /*moments_are_constants=*/true, need_addend);
}

}  // namespace lockstep::kernels
