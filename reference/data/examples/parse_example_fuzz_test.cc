// For any bytes, parsing an Example succeeds or throws an InvalidArgument. The
// first byte selects the features; the rest is the message, once alone and once
// in a batch.
#include <cstddef>
#include <cstdint>
#include <string>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/data/examples/parse_example.h"
#include "reference/data/ragged/ragged.h"

namespace lockstep {
namespace {

ExampleFeatures FeaturesFor(uint8_t way) {
  const DType dtype = way / 4 % 3 == 0   ? DType::kInt64
                      : way / 4 % 3 == 1 ? DType::kFloat32
                                         : DType::kString;
  switch (way % 4) {
    case 0:
      return {{"a", FixedLenFeature{Shape{2}, DType::kInt64}},
              {"b", FixedLenFeature{}},
              {"c", VarLenFeature{DType::kString}}};
    case 1:
      return {{"a", FixedLenSequenceFeature{Shape{2}, DType::kInt64}},
              {"c", FixedLenSequenceFeature{.dtype = DType::kString}}};
    case 2:
      return {{"b", FixedLenSequenceFeature{.dtype = dtype}}};
    default:
      return {{"a", VarLenFeature{dtype}},
              {"b", VarLenFeature{DType::kFloat32}}};
  }
}

// Whether the function throws nothing.
template <typename Function>
bool Succeeds(const Function& function) {
  try {
    function();
    return true;
  } catch (const Error& e) {
    LOCKSTEP_CHECK(e.code() == Code::kInvalidArgument);
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const ExampleFeatures features = FeaturesFor(data[0]);
  const bool alone = Succeeds([&] {
    ParseSingleExample(Tensor::Scalar<std::string>(bytes), features);
  });
  const bool twice = Succeeds([&] {
    const Structure parsed =
        ParseExample(Tensor::FromVector<std::string>({bytes, bytes}), features);
    for (const Structure& item : parsed.items()) {
      if (IsRagged(item)) RaggedToDense(item);
    }
  });
  LOCKSTEP_CHECK(alone == twice);
  return 0;
}

}  // namespace lockstep
