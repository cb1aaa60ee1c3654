#include "reference/kernels/check_tensor.h"

#include "reference/base/error.h"

namespace lockstep::kernels_internal {
namespace {

[[noreturn]] void FailType(std::string_view operation,
                           std::string_view argument, std::string_view wanted,
                           const Tensor& tensor) {
  throw InvalidArgument("[{}] {} must be {}, got {}", operation, argument,
                        wanted, Describe(tensor));
}

bool IsWideFloat(DType dtype) {
  return IsFloating(dtype) && !IsNarrowFloat(dtype);
}

}  // namespace

void CheckDType(std::string_view operation, std::string_view argument,
                const Tensor& tensor, DType wanted) {
  if (!tensor.defined() || tensor.dtype() != wanted) {
    FailType(operation, argument, DTypeName(wanted), tensor);
  }
}

void CheckFloating(std::string_view operation, std::string_view argument,
                   const Tensor& tensor) {
  if (!tensor.defined() || !IsWideFloat(tensor.dtype())) {
    FailType(operation, argument, "float32 or float64", tensor);
  }
}

void CheckUpToFloat32(std::string_view operation, std::string_view argument,
                      const Tensor& tensor) {
  const bool narrow =
      tensor.defined() && IsNarrowFloat(tensor.dtype()) && !tensor.on_host();
  if (!narrow) CheckDType(operation, argument, tensor, DType::kFloat32);
}

void CheckArithmetic(std::string_view operation, std::string_view argument,
                     const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (!tensor.defined() || !(IsWideFloat(dtype) || dtype == DType::kInt32 ||
                             dtype == DType::kInt64)) {
    FailType(operation, argument, "float32, float64, int32 or int64", tensor);
  }
}

void CheckIndices(std::string_view operation, std::string_view argument,
                  const Tensor& tensor) {
  if (!tensor.defined() || !IsInteger(tensor.dtype())) {
    FailType(operation, argument, "int32, int64 or uint8", tensor);
  }
}

void CheckRank(std::string_view operation, std::string_view argument,
               const Tensor& tensor, int rank) {
  if (!tensor.defined() || tensor.rank() != rank) {
    throw InvalidArgument("[{}] {} must have rank {}, got {}", operation,
                          argument, rank, Describe(tensor));
  }
}

void CheckShape(std::string_view operation, std::string_view argument,
                const Tensor& tensor, const Shape& wanted) {
  bool fits = tensor.defined() && tensor.rank() == wanted.rank();
  for (int i = 0; fits && i < wanted.rank(); ++i) {
    fits = wanted[i] == kUnknownDim || wanted[i] == tensor.dim(i);
  }
  if (!fits) {
    throw InvalidArgument("[{}] {} must be of shape {}, got {}", operation,
                          argument, ToString(wanted), Describe(tensor));
  }
}

void CheckSameTypeAndShape(std::string_view operation, const Tensor& a,
                           const Tensor& b) {
  if (!a.defined() || !b.defined() || a.dtype() != b.dtype() ||
      a.shape() != b.shape()) {
    throw InvalidArgument("[{}] types and shapes must agree, got {} and {}",
                          operation, Describe(a), Describe(b));
  }
}

int NormalizeAxis(std::string_view operation, int axis, int rank) {
  if (axis < -rank || axis >= rank) {
    throw InvalidArgument("[{}] axis {} does not exist in rank {}", operation,
                          axis, rank);
  }
  return axis < 0 ? axis + rank : axis;
}

}  // namespace lockstep::kernels_internal
