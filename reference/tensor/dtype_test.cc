#include "reference/tensor/dtype.h"

#include <gtest/gtest.h>

#include <array>

#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr std::array kAll = {DType::kFloat32, DType::kFloat64, DType::kBFloat16,
                             DType::kFloat16, DType::kInt32,   DType::kInt64,
                             DType::kUInt8,   DType::kBool,    DType::kString};

TEST(DTypeTest, NamesAreTensorFlowsAndParseBack) {
  constexpr std::array kNames = {"float32", "float64", "bfloat16",
                                 "float16", "int32",   "int64",
                                 "uint8",   "bool",    "string"};
  for (size_t i = 0; i < kAll.size(); ++i) {
    EXPECT_EQ(DTypeName(kAll[i]), kNames[i]);
    EXPECT_EQ(ParseDType(kNames[i]), kAll[i]);
  }
}

TEST(DTypeTest, OtherNamesAreInvalid) {
  for (const char* name : {"", "float", "Float32", "complex64"}) {
    try {
      ParseDType(name);
      FAIL() << "parsed " << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
    }
  }
}

TEST(DTypeTest, SizeKindAndVisitorAgree) {
  for (const DType dtype : kAll) {
    VisitDType(dtype, [&]<typename T>() {
      EXPECT_EQ(kDTypeOf<T>, dtype);
      EXPECT_EQ(DTypeSize(dtype), sizeof(T));
      EXPECT_EQ(IsFloating(dtype), kIsFloat<T>);
      EXPECT_EQ(IsNarrowFloat(dtype), kIsNarrowFloat<T>);
      EXPECT_EQ(IsInteger(dtype),
                (std::is_integral_v<T> && !std::is_same_v<T, bool>));
    });
  }
}

}  // namespace
}  // namespace lockstep
