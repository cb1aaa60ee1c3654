// The GPU versions of add_in_place.h and assign_where.h.
#include <type_traits>

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/add_in_place.h"
#include "reference/kernels/assign_where.h"
#include "reference/kernels/cuda/in_place_launch.h"
#include "reference/kernels/cuda/word_of.h"

namespace lockstep::kernels {
namespace {

template <bool subtract>
void ChangeOnGpu(Tensor& target, const Tensor& delta) {
  const cudaStream_t stream = StreamOf(target.device());
  const int64_t count = target.num_elements();
  VisitDType(target.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T> && !std::is_same_v<T, bool>) {
      T* out = target.mutable_data<T>();
      const T* in = delta.data<T>();
      CheckCuda(subtract ? cuda::SubtractInPlace(out, in, count, stream)
                         : cuda::AddInPlace(out, in, count, stream),
                "[UpdateInPlace] launch");
    }
  });
}

void AssignWhereOnGpu(const Tensor& condition, Tensor& target,
                      const Tensor& value) {
  cuda::VisitWord(DTypeSize(target.dtype()), [&]<typename Word>() {
    CheckCuda(
        cuda::AssignWhere(condition.data<bool>(),
                          static_cast<Word*>(target.mutable_raw_data()),
                          static_cast<const Word*>(value.raw_data()),
                          target.num_elements(), StreamOf(target.device())),
        "[AssignWhere] launch");
  });
}

const RegisterKernel add_in_place(gpu::AddInPlace, &ChangeOnGpu<false>);
const RegisterKernel subtract_in_place(gpu::SubtractInPlace,
                                       &ChangeOnGpu<true>);
const RegisterKernel assign_where(gpu::AssignWhere, &AssignWhereOnGpu);

}  // namespace
}  // namespace lockstep::kernels
