#include "reference/kernels/adam_update.h"

#include <cmath>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/optimizer_loops.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::AdamConstants;

// Rounds wherever Keras does, which computes these in the variables' type.
template <typename T>
AdamConstants<T> MakeConstants(const AdamOptions& options, int64_t step) {
  const auto power = [step](double beta) {
    return static_cast<T>(std::pow(static_cast<double>(static_cast<T>(beta)),
                                   static_cast<double>(step)));
  };
  const T one = 1;
  const T learning_rate = static_cast<T>(options.learning_rate);
  return {learning_rate * std::sqrt(one - power(options.beta_2)) /
              (one - power(options.beta_1)),
          static_cast<T>(1 - options.beta_1),
          static_cast<T>(1 - options.beta_2), static_cast<T>(options.epsilon)};
}

}  // namespace

void AdamUpdate(std::span<const AdamItem> items, const AdamOptions& options,
                int64_t step) {
  if (step < 1) {
    throw InvalidArgument("[AdamUpdate] step counts from 1, got {}", step);
  }
  if (items.empty()) return;
  for (const AdamItem& item : items) {
    kernels_internal::CheckFloating("AdamUpdate", "variable", *item.variable);
    kernels_internal::CheckDType("AdamUpdate", "variable", *item.variable,
                                 items[0].variable->dtype());
    kernels_internal::CheckAlike("AdamUpdate", *item.variable, *item.gradient);
    kernels_internal::CheckAlike("AdamUpdate", *item.variable, *item.momentum);
    kernels_internal::CheckAlike("AdamUpdate", *item.variable, *item.velocity);
  }
  const DType dtype = items[0].variable->dtype();
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    const AdamConstants<T> constants = MakeConstants<T>(options, step);
    kernels_internal::ForEachPiece(
        items, [&](const AdamItem& item, int64_t begin, int64_t end) {
          kernels_internal::AdamLoop(
              constants, item.gradient->data<T>() + begin,
              item.variable->mutable_data<T>() + begin,
              item.momentum->mutable_data<T>() + begin,
              item.velocity->mutable_data<T>() + begin, end - begin);
        });
  });
}

}  // namespace lockstep::kernels
