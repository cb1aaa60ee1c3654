// Tensors on a device whose memory the host cannot touch.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/fake_gpu.h"
#include "reference/tensor/gpu_cast.h"
#include "reference/tensor/tensor.h"

namespace lockstep {
namespace {

class GpuTensorTest : public testing::Test {
 protected:
  Device& gpu() { return gpu_.device(); }

  FakeGpu gpu_;
};

TEST_F(GpuTensorTest, ValuesGoThereAndBack) {
  const Tensor x = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2}, gpu());
  EXPECT_FALSE(x.on_host());
  EXPECT_EQ(&x.device(), &gpu());
  EXPECT_EQ(gpu_.View(x.data<float>())[2], 3);
  EXPECT_EQ(x.ToVector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(x.at<float>(3), 4);
  EXPECT_EQ(ToString(x), "[[1, 2], [3, 4]]");
  EXPECT_EQ(Tensor::Scalar<int64_t>(7, gpu()).item<int64_t>(), 7);
}

TEST_F(GpuTensorTest, ViewsShareItsMemory) {
  const Tensor x =
      Tensor::FromVector<int32_t>({1, 2, 3, 4}, Shape{2, 2}, gpu());
  EXPECT_EQ(x.Row(1).ToVector<int32_t>(), (std::vector<int32_t>{3, 4}));
  EXPECT_EQ(x.Slice(1, 2).data<int32_t>(), x.data<int32_t>() + 2);
  EXPECT_EQ(x.Reshape(Shape{4}).at<int32_t>(1), 2);
  EXPECT_TRUE(x.Row(0).SharesMemoryWith(x));
}

TEST_F(GpuTensorTest, FillsEveryType) {
  EXPECT_EQ(Tensor::Full(Shape{3}, 2.5, gpu()).ToVector<double>(),
            std::vector<double>(3, 2.5));
  EXPECT_EQ(Tensor::Full<uint8_t>(Shape{3}, 9, gpu()).ToVector<uint8_t>(),
            std::vector<uint8_t>(3, 9));
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt32,
                            DType::kInt64, DType::kUInt8, DType::kBool}) {
    const Tensor zeros = Tensor::Zeros(Shape{5}, dtype, gpu());
    EXPECT_TRUE(BitwiseEqual(zeros, Tensor::Zeros(Shape{5}, dtype)));
  }
}

TEST_F(GpuTensorTest, WaitsAndUploadsAreCounted) {
  Tensor x = Tensor::FromVector<float>({1, 2}, Shape{2}, gpu());
  EXPECT_EQ(gpu_.uploads(), 1);
  x.CopyFrom(Tensor::Full(Shape{2}, 5.0f, gpu()).Clone(gpu()));
  EXPECT_EQ(gpu_.uploads(), 1);
  EXPECT_EQ(gpu_.waits(), 0);
  x.at<float>(1);
  EXPECT_EQ(gpu_.waits(), 1);
  gpu().memory()->Synchronize();
  EXPECT_EQ(gpu_.waits(), 2);
}

TEST_F(GpuTensorTest, IsOverwrittenInPlaceFromAnywhere) {
  Tensor x = Tensor::FromVector<float>({1, 2}, Shape{2}, gpu());
  const void* memory = x.raw_data();
  x.CopyFrom(Tensor::FromVector<float>({3, 4}));
  EXPECT_EQ(x.ToVector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(x.raw_data(), memory);
  x.CopyFrom(Tensor::Full(Shape{2}, 5.0f, gpu()));
  EXPECT_EQ(x.ToVector<float>(), (std::vector<float>{5, 5}));
  EXPECT_EQ(x.raw_data(), memory);
  Tensor on_host = Tensor::Zeros(Shape{2});
  on_host.CopyFrom(x);
  EXPECT_EQ(on_host.ToVector<float>(), (std::vector<float>{5, 5}));
  Tensor empty = Tensor::Zeros(Shape{0}, DType::kFloat32, gpu());
  empty.CopyFrom(Tensor::Zeros(Shape{0}));
}

TEST_F(GpuTensorTest, ComparesWithTheHostsBitByBit) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::FromVector<float>({1, nan});
  EXPECT_TRUE(BitwiseEqual(x, x.To(gpu())));
  EXPECT_FALSE(BitwiseEqual(x.To(gpu()), Tensor::FromVector<float>({2, nan})));
}

TEST_F(GpuTensorTest, GoesToItsOwnDeviceAsItself) {
  const Tensor x = Tensor::Full(Shape{2}, 1.0f, gpu());
  EXPECT_EQ(x.To(gpu()).id(), x.id());
  EXPECT_TRUE(x.To(gpu()).SharesMemoryWith(x));
  const Tensor host = Tensor::Zeros(Shape{2});
  EXPECT_EQ(host.ToHost().id(), host.id());
}

TEST_F(GpuTensorTest, ACloneHasItsOwnMemoryOnAnyDevice) {
  FakeGpu other(1);
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{2}, gpu());
  for (Device* device : {&gpu(), &other.device(), &Device::Host()}) {
    const Tensor copy = x.Clone(*device);
    EXPECT_EQ(&copy.device(), device);
    EXPECT_FALSE(copy.SharesMemoryWith(x));
    EXPECT_EQ(copy.ToVector<float>(), (std::vector<float>{1, 2}));
  }
  EXPECT_EQ(&x.To(other.device()).device(), &other.device());
}

TEST_F(GpuTensorTest, IsMadeOnTheCurrentDevice) {
  const DeviceScope scope(gpu());
  EXPECT_EQ(&Tensor::FromVector<float>({1}).device(), &gpu());
  EXPECT_EQ(&Tensor::Scalar(1.0f).device(), &gpu());
}

TEST_F(GpuTensorTest, AnEmptyTensorIsNeverCopied) {
  const Tensor x = Tensor::FromVector<float>({}, Shape{0, 3}, gpu());
  EXPECT_TRUE(x.ToVector<float>().empty());
  EXPECT_EQ(x.Clone(gpu()).num_elements(), 0);
  EXPECT_EQ(ToString(x), "[]");
  EXPECT_EQ(gpu_.transfers(), 0);
}

TEST_F(GpuTensorTest, StringsStayWithTheHost) {
  const Tensor words =
      Tensor::FromVector<std::string>({"a", "b"}, Shape{2}, gpu());
  EXPECT_TRUE(words.on_host());
  EXPECT_EQ(words.To(gpu()).at<std::string>(1), "b");
  EXPECT_EQ(words.Clone(gpu()).at<std::string>(0), "a");
  EXPECT_TRUE(Tensor::Zeros(Shape{1}, DType::kString, gpu()).on_host());
}

TEST_F(GpuTensorTest, CastsByTheBackendsKernel) {
  const Tensor x = Tensor::Full(Shape{2}, 1.5f, gpu());
  EXPECT_EQ(x.Cast(DType::kFloat32).id(), x.id());
  try {
    x.Cast(DType::kInt32);
    FAIL() << "cast without a kernel";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnimplemented);
  }
  const auto kept = gpu::Cast.Set(+[](const Tensor& from, DType dtype) {
    return from.ToHost().Cast(dtype).To(from.device());
  });
  const Tensor y = x.Cast(DType::kInt32);
  gpu::Cast.Set(kept);
  EXPECT_FALSE(y.on_host());
  EXPECT_EQ(y.ToVector<int32_t>(), (std::vector<int32_t>{1, 1}));
}

TEST_F(GpuTensorTest, MoreThanTheGpuHasIsATypedError) {
  try {
    Tensor::Zeros(Shape{1 << 30}, DType::kFloat32, gpu());
    FAIL() << "got 4 GiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
  }
  EXPECT_EQ(Tensor::Full(Shape{2}, 1.0f, gpu()).at<float>(1), 1);
}

}  // namespace
}  // namespace lockstep
