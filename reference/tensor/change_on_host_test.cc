#include "reference/tensor/change_on_host.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

void AddOne(Tensor& tensor) {
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    ++tensor.mutable_data<int32_t>()[i];
  }
}

TEST(ChangeOnHostTest, ChangesTheHostsTensorsInPlace) {
  Tensor x = Tensor::FromVector<int32_t>({1, 2});
  const int32_t* where = x.data<int32_t>();
  ChangeOnHost(x, AddOne);
  EXPECT_EQ(x.data<int32_t>(), where);
  EXPECT_EQ(x.ToVector<int32_t>(), (std::vector<int32_t>{2, 3}));
}

TEST(ChangeOnHostTest, LeavesAGpusTensorsOnTheGpu) {
  FakeGpu gpu;
  Tensor x = Tensor::FromVector<int32_t>({1, 2}, Shape{2}, gpu.device());
  ChangeOnHost(x, AddOne);
  EXPECT_EQ(&x.device(), &gpu.device());
  EXPECT_EQ(x.ToVector<int32_t>(), (std::vector<int32_t>{2, 3}));
}

}  // namespace
}  // namespace lockstep
