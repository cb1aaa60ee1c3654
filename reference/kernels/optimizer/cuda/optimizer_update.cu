#include "reference/kernels/optimizer/cuda/for_each_element.cuh"
#include "reference/kernels/optimizer/cuda/optimizer_update_launch.h"
#include "reference/kernels/optimizer/optimizer_math.h"

namespace lockstep::cuda {
namespace {

using kernels_internal::AdamConstants;
using kernels_internal::SgdConstants;

template <typename T>
using Item = typename VariableList<T>::Item;

template <typename T>
struct SgdRule {
  const double* learning_rate;
  T momentum;
  bool nesterov;

  __device__ auto Prepared(int) const {
    const SgdConstants<T> constants{static_cast<T>(*learning_rate), momentum,
                                    nesterov};
    return [constants](const Item<T>& item, int64_t i) {
      if (item.first == nullptr) {
        kernels_internal::SgdStep(constants, item.gradient[i],
                                  item.variable[i]);
      } else {
        kernels_internal::MomentumStep(constants, item.gradient[i],
                                       item.variable[i], item.first[i]);
      }
    };
  }
};

template <typename T>
struct AdamRule {
  const AdamConstants<T>* prepared;

  __device__ auto Prepared(int) const {
    return [constants = *prepared](const Item<T>& item, int64_t i) {
      kernels_internal::AdamStep(constants, item.gradient[i], item.variable[i],
                                 item.first[i], item.second[i]);
    };
  }
};

template <typename T>
struct AdagradRule {
  const double* learning_rate;
  double epsilon;

  __device__ auto Prepared(int) const {
    return [rate = *learning_rate, epsilon = epsilon](const Item<T>& item,
                                                      int64_t i) {
      kernels_internal::AdagradStep(rate, epsilon, item.gradient[i],
                                    item.variable[i], item.first[i]);
    };
  }
};

template <typename T>
struct RmsPropRule {
  const double* learning_rate;
  double rho;
  double epsilon;

  __device__ auto Prepared(int) const {
    return [rate = *learning_rate, rho = rho, epsilon = epsilon](
               const Item<T>& item, int64_t i) {
      kernels_internal::RmsPropStep(rate, rho, epsilon, item.gradient[i],
                                    item.variable[i], item.first[i]);
    };
  }
};

template <typename T>
struct DecayRule {
  const double* learning_rate;
  double decay;

  __device__ auto Prepared(int) const {
    return [factor = decay * *learning_rate](const Item<T>& item, int64_t i) {
      kernels_internal::DecayStep(factor, item.variable[i]);
    };
  }
};

template <typename T>
struct AverageRule {
  const int64_t* steps;
  double momentum;
  int64_t overwrite_frequency;

  __device__ auto Prepared(int) const {
    return [plan = kernels_internal::AveragePlan(momentum, overwrite_frequency,
                                                 *steps)](const Item<T>& item,
                                                          int64_t i) {
      kernels_internal::AverageStep(plan, item.variable[i], item.first[i]);
    };
  }
};

}  // namespace

template <typename T>
cudaError_t Sgd(const VariableList<T>& list, T momentum, bool nesterov,
                const StepNumbers& step, cudaStream_t stream) {
  return ForEachElement(list, step.taken, stream,
                        SgdRule<T>{step.learning_rate, momentum, nesterov});
}

template <typename T>
cudaError_t PrepareAdam(const kernels::AdamOptions& options,
                        const StepNumbers& step, AdamConstants<T>* constants,
                        cudaStream_t stream) {
  const kernels::AdamOptions given = options;
  const StepNumbers numbers = step;
  return ForEach(1, stream, [=] __device__(int64_t) {
    *constants = kernels_internal::MakeAdamConstants<T>(
        given, *numbers.learning_rate, *numbers.iterations + 1);
  });
}

template <typename T>
cudaError_t Adam(const VariableList<T>& list, const AdamConstants<T>* constants,
                 const StepNumbers& step, cudaStream_t stream) {
  return ForEachElement(list, step.taken, stream, AdamRule<T>{constants});
}

template <typename T>
cudaError_t Adagrad(const VariableList<T>& list, double epsilon,
                    const StepNumbers& step, cudaStream_t stream) {
  return ForEachElement(list, step.taken, stream,
                        AdagradRule<T>{step.learning_rate, epsilon});
}

template <typename T>
cudaError_t RmsProp(const VariableList<T>& list, double rho, double epsilon,
                    const StepNumbers& step, cudaStream_t stream) {
  return ForEachElement(list, step.taken, stream,
                        RmsPropRule<T>{step.learning_rate, rho, epsilon});
}

template <typename T>
cudaError_t DecayWeights(const VariableList<T>& list, double decay,
                         const StepNumbers& step, cudaStream_t stream) {
  return ForEachElement(list, step.taken, stream,
                        DecayRule<T>{step.learning_rate, decay});
}

template <typename T>
cudaError_t AverageWeights(const VariableList<T>& list, double momentum,
                           int64_t overwrite_frequency, const int64_t* steps,
                           const bool* taken, cudaStream_t stream) {
  return ForEachElement(list, taken, stream,
                        AverageRule<T>{steps, momentum, overwrite_frequency});
}

#define LOCKSTEP_OPTIMIZER(T)                                                  \
  template cudaError_t Sgd(const VariableList<T>&, T, bool,                    \
                           const StepNumbers&, cudaStream_t);                  \
  template cudaError_t PrepareAdam(const kernels::AdamOptions&,                \
                                   const StepNumbers&, AdamConstants<T>*,      \
                                   cudaStream_t);                              \
  template cudaError_t Adam(const VariableList<T>&, const AdamConstants<T>*,   \
                            const StepNumbers&, cudaStream_t);                 \
  template cudaError_t Adagrad(const VariableList<T>&, double,                 \
                               const StepNumbers&, cudaStream_t);              \
  template cudaError_t RmsProp(const VariableList<T>&, double, double,         \
                               const StepNumbers&, cudaStream_t);              \
  template cudaError_t DecayWeights(const VariableList<T>&, double,            \
                                    const StepNumbers&, cudaStream_t);         \
  template cudaError_t AverageWeights(const VariableList<T>&, double, int64_t, \
                                      const int64_t*, const bool*,             \
                                      cudaStream_t)
LOCKSTEP_OPTIMIZER(float);
LOCKSTEP_OPTIMIZER(double);
#undef LOCKSTEP_OPTIMIZER

}  // namespace lockstep::cuda
