#include "reference/collectives/sum_kernel.h"

#include <cstddef>
#include <type_traits>

#include "reference/base/check.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/collectives/sum_kernel.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::collectives_internal::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors per iteration: hides the latency of the additions and writes whole
// cache lines of one output before the next.
constexpr size_t kUnroll = 4;

template <typename T, bool kDivide, bool kStream>
struct Summation {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  const T* const* inputs;
  size_t num_inputs;
  T* const* outputs;
  size_t num_outputs;
  T divisor;

  HWY_INLINE V Finish(V sum) const {
    if constexpr (kDivide) {
      return hn::Div(sum, hn::Set(D(), divisor));
    } else {
      return sum;
    }
  }

  HWY_INLINE void Store(V value, T* to) const {
    if constexpr (kStream) {
      hn::Stream(value, D(), to);
    } else {
      hn::StoreU(value, D(), to);
    }
  }

  // Elements i .. i + kUnroll vectors.
  HWY_INLINE void Group(size_t i) const {
    const D d;
    const size_t lanes = hn::Lanes(d);
    V s0 = hn::LoadU(d, inputs[0] + i);
    V s1 = hn::LoadU(d, inputs[0] + i + lanes);
    V s2 = hn::LoadU(d, inputs[0] + i + 2 * lanes);
    V s3 = hn::LoadU(d, inputs[0] + i + 3 * lanes);
    for (size_t k = 1; k < num_inputs; ++k) {
      const T* in = inputs[k] + i;
      s0 = hn::Add(s0, hn::LoadU(d, in));
      s1 = hn::Add(s1, hn::LoadU(d, in + lanes));
      s2 = hn::Add(s2, hn::LoadU(d, in + 2 * lanes));
      s3 = hn::Add(s3, hn::LoadU(d, in + 3 * lanes));
    }
    s0 = Finish(s0);
    s1 = Finish(s1);
    s2 = Finish(s2);
    s3 = Finish(s3);
    for (size_t k = 0; k < num_outputs; ++k) {
      T* out = outputs[k] + i;
      Store(s0, out);
      Store(s1, out + lanes);
      Store(s2, out + 2 * lanes);
      Store(s3, out + 3 * lanes);
    }
  }

  HWY_INLINE void One(size_t i) const {
    T sum = inputs[0][i];
    for (size_t k = 1; k < num_inputs; ++k) {
      sum = static_cast<T>(sum + inputs[k][i]);
    }
    if constexpr (kDivide) sum /= divisor;
    for (size_t k = 0; k < num_outputs; ++k) outputs[k][i] = sum;
  }

  void Run(size_t count) const {
    const size_t width = kUnroll * hn::Lanes(D());
    size_t i = 0;
    for (; i + width <= count; i += width) Group(i);
    for (; i < count; ++i) One(i);
    if constexpr (kStream) hwy::FlushStream();
  }
};

template <typename T, bool kDivide>
void RunSummation(const SumArguments& a) {
  // Pointers of one type; the lists are as long as there are replicas.
  std::vector<const T*> inputs;
  std::vector<T*> outputs;
  for (const void* in : a.inputs) inputs.push_back(static_cast<const T*>(in));
  bool aligned = true;
  for (void* out : a.outputs) {
    outputs.push_back(static_cast<T*>(out));
    aligned &= reinterpret_cast<uintptr_t>(out) % 64 == 0;
  }
  const auto count = static_cast<size_t>(a.count);
  const auto run = [&]<bool kStream>() {
    Summation<T, kDivide, kStream>{inputs.data(), inputs.size(), outputs.data(),
                                   outputs.size(), static_cast<T>(a.divisor)}
        .Run(count);
  };
  if (a.stream && aligned) {
    run.template operator()<true>();
  } else {
    run.template operator()<false>();
  }
}

// 16-bit floats are added as floats and rounded once.
template <typename T>
void RunNarrowSummation(const SumArguments& a) {
  for (int64_t i = 0; i < a.count; ++i) {
    float sum = static_cast<float>(static_cast<const T*>(a.inputs[0])[i]);
    for (size_t k = 1; k < a.inputs.size(); ++k) {
      sum += static_cast<float>(static_cast<const T*>(a.inputs[k])[i]);
    }
    const T result(sum / static_cast<float>(a.divisor));
    for (void* out : a.outputs) static_cast<T*>(out)[i] = result;
  }
}

void SumTarget(const SumArguments& arguments) {
  VisitDType(arguments.dtype, [&]<typename T>() {
    if constexpr (kIsNarrowFloat<T>) {
      return RunNarrowSummation<T>(arguments);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (arguments.divisor == 1) return RunSummation<T, false>(arguments);
      return RunSummation<T, true>(arguments);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      LOCKSTEP_CHECK(arguments.divisor == 1);
      // Unsigned arithmetic wraps; signed overflow would be undefined.
      return RunSummation<std::make_unsigned_t<T>, false>(arguments);
    } else {
      LOCKSTEP_CHECK(!"a numeric dtype");
    }
  });
}

}  // namespace lockstep::collectives_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::collectives_internal {

HWY_EXPORT(SumTarget);

void SumInto(const SumArguments& arguments) {
  LOCKSTEP_CHECK(!arguments.inputs.empty() && !arguments.outputs.empty());
  HWY_DYNAMIC_DISPATCH(SumTarget)(arguments);
}

}  // namespace lockstep::collectives_internal
#endif  // HWY_ONCE
