#include "reference/tensor/dtype.h"

#include <array>

#include "reference/base/error.h"

namespace lockstep {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;
  size_t size;
};

constexpr std::array<DTypeRow, 9> kTable = {{
    {DType::kFloat32, "float32", sizeof(float)},
    {DType::kFloat64, "float64", sizeof(double)},
    {DType::kBFloat16, "bfloat16", sizeof(BFloat16)},
    {DType::kFloat16, "float16", sizeof(Float16)},
    {DType::kInt32, "int32", sizeof(int32_t)},
    {DType::kInt64, "int64", sizeof(int64_t)},
    {DType::kUInt8, "uint8", sizeof(uint8_t)},
    {DType::kBool, "bool", sizeof(bool)},
    {DType::kString, "string", sizeof(std::string)},
}};

const DTypeRow& RowOf(DType dtype) {
  return kTable[static_cast<size_t>(dtype)];
}

}  // namespace

std::string_view DTypeName(DType dtype) { return RowOf(dtype).name; }

DType ParseDType(std::string_view name) {
  for (const DTypeRow& row : kTable) {
    if (row.name == name) return row.dtype;
  }
  throw InvalidArgument("[ParseDType] no element type is named '{}'", name);
}

size_t DTypeSize(DType dtype) { return RowOf(dtype).size; }

bool IsFloating(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 ||
         IsNarrowFloat(dtype);
}

bool IsNarrowFloat(DType dtype) {
  return dtype == DType::kBFloat16 || dtype == DType::kFloat16;
}

bool IsInteger(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kInt64 ||
         dtype == DType::kUInt8;
}

}  // namespace lockstep
