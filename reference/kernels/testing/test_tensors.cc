#include "reference/kernels/testing/test_tensors.h"

#include <hwy/highway.h>

#include <cmath>
#include <random>

#include "reference/base/threads.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

template <class Next>
Tensor Generate(const Shape& shape, uint32_t seed, const Next& next) {
  std::mt19937 engine(seed);
  Tensor tensor = EmptyOnHost(shape);
  float* data = tensor.mutable_data<float>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) data[i] = next(engine);
  return tensor;
}

}  // namespace

Tensor SmallIntegers(const Shape& shape, uint32_t seed) {
  return Generate(shape, seed, [](std::mt19937& engine) {
    return static_cast<float>(static_cast<int>(engine() % 7) - 3);
  });
}

Tensor Fractions(const Shape& shape, uint32_t seed) {
  return Generate(shape, seed, [](std::mt19937& engine) {
    return static_cast<float>(static_cast<int32_t>(engine()) * 0x1p-31);
  });
}

void ExpectExact(const Tensor& actual, const Tensor& wanted) {
  ExpectNear(actual, wanted, 0);
}

void ExpectNear(const Tensor& actual, const Tensor& wanted, double bound) {
  ASSERT_EQ(ToString(actual.shape()), ToString(wanted.shape()));
  for (int64_t i = 0; i < actual.num_elements(); ++i) {
    const double difference =
        std::abs(actual.at<float>(i) - wanted.at<double>(i));
    // Stops at the first difference.
    ASSERT_LE(difference, bound)
        << "element " << i << ": " << actual.at<float>(i) << " instead of "
        << wanted.at<double>(i);
  }
}

void ForEachTeam(const std::function<void()>& body) {
  body();
  for (int size = 1; size <= 4; ++size) {
    SCOPED_TRACE(testing::Message() << "team of " << size);
    ThreadTeam team(size);
    const ThreadTeamScope scope(&team);
    body();
  }
}

namespace {

void ForEach(const std::vector<int64_t>& instruction_sets,
             const std::function<void()>& body) {
  for (const int64_t target : instruction_sets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace

void ForEachInstructionSet(const std::function<void()>& body) {
  ForEach(hwy::SupportedAndGeneratedTargets(), body);
}

void ForEachFusingInstructionSet(const std::function<void()>& body) {
  std::vector<int64_t> fusing = hwy::SupportedAndGeneratedTargets();
  // Better instruction sets have smaller numbers.
  std::erase_if(fusing, [](int64_t target) { return target > HWY_AVX2; });
  ForEach(fusing, body);
}

void ExpectInvalid(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown, wanted '" << part << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << error.what();
  }
}

double Dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    sum += static_cast<double>(a.at<float>(i)) * b.at<float>(i);
  }
  return sum;
}

}  // namespace lockstep::kernels
