// Checks of kernels' arguments. They throw InvalidArgument, for instance
// "[Dense] kernel must be of shape (3, None), got float32 (2, 5)".
#ifndef LOCKSTEP_REFERENCE_KERNELS_CHECK_TENSOR_H_
#define LOCKSTEP_REFERENCE_KERNELS_CHECK_TENSOR_H_

#include <string_view>

#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

void CheckDType(std::string_view operation, std::string_view argument,
                const Tensor& tensor, DType wanted);
// float32 or float64.
void CheckFloating(std::string_view operation, std::string_view argument,
                   const Tensor& tensor);
// float32; on a GPU, whose kernels compute in float32, also a 16-bit type.
void CheckUpToFloat32(std::string_view operation, std::string_view argument,
                      const Tensor& tensor);
// float32, float64, int32 or int64.
void CheckArithmetic(std::string_view operation, std::string_view argument,
                     const Tensor& tensor);
// int32, int64 or uint8: the types of indices.
void CheckIndices(std::string_view operation, std::string_view argument,
                  const Tensor& tensor);
void CheckRank(std::string_view operation, std::string_view argument,
               const Tensor& tensor, int rank);
// kUnknownDim in `wanted` accepts any size.
void CheckShape(std::string_view operation, std::string_view argument,
                const Tensor& tensor, const Shape& wanted);
// Same type and shape.
void CheckSameTypeAndShape(std::string_view operation, const Tensor& a,
                           const Tensor& b);

// 0 <= result < rank; negative axes count from the end.
int NormalizeAxis(std::string_view operation, int axis, int rank);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CHECK_TENSOR_H_
