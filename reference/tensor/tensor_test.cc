#include "reference/tensor/tensor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

TEST(TensorTest, HasItsValues) {
  const Tensor t = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  EXPECT_EQ(t.shape(), (Shape{2, 2}));
  EXPECT_EQ(t.dtype(), DType::kFloat32);
  EXPECT_EQ(t.bytes(), 16u);
  EXPECT_EQ(t.at<float>(2), 3);
  EXPECT_EQ(t.ToVector<float>(), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(t.span<float>().size(), 4u);
  EXPECT_EQ(Tensor::FromVector<int64_t>({7, 8}).shape(), (Shape{2}));
}

TEST(TensorTest, ScalarsZerosAndFull) {
  EXPECT_EQ(Tensor::Scalar(5.0).item<double>(), 5.0);
  EXPECT_EQ(Tensor::Scalar(true).dtype(), DType::kBool);
  EXPECT_EQ(Tensor::Full(Shape{3}, uint8_t{9}).ToVector<uint8_t>(),
            (std::vector<uint8_t>{9, 9, 9}));
  EXPECT_EQ(Tensor::Zeros(Shape{2}, DType::kInt32).ToVector<int32_t>(),
            (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(Tensor::Zeros(Shape{0, 4}).num_elements(), 0);
}

TEST(TensorTest, UndefinedTensorHasNothing) {
  const Tensor t;
  EXPECT_FALSE(t.defined());
  EXPECT_EQ(t.id(), 0u);
  EXPECT_EQ(Describe(t), "no tensor");
}

TEST(TensorTest, StringsAreElementsToo) {
  const Tensor t = Tensor::FromVector<std::string>({"a",
                                                    "long enough to "
                                                    "be on the heap"});
  EXPECT_EQ(t.at<std::string>(0), "a");
  EXPECT_EQ(t.Slice(1, 2).at<std::string>(0).size(), 29u);
  EXPECT_TRUE(BitwiseEqual(t.Clone(), t));
  EXPECT_EQ(Tensor::Empty(Shape{2}, DType::kString).at<std::string>(1), "");
  EXPECT_EQ(Tensor::Empty(Shape{0}, DType::kString).num_elements(), 0);
}

TEST(TensorTest, CopiesShareMemoryAndId) {
  const Tensor t = Tensor::Scalar(1.0f);
  EXPECT_TRUE(t.unique());
  const Tensor copy = t;
  EXPECT_FALSE(t.unique());
  EXPECT_TRUE(copy.SharesMemoryWith(t));
  EXPECT_EQ(copy.id(), t.id());
}

TEST(TensorTest, ViewsShareMemoryUnderNewIds) {
  const Tensor t = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  const std::vector<Tensor> views = {t.Slice(1, 3), t.Row(1),
                                     t.Reshape(Shape{6}), t.WithNewId()};
  std::set<uint64_t> ids{t.id()};
  for (const Tensor& view : views) {
    EXPECT_TRUE(view.SharesMemoryWith(t));
    EXPECT_TRUE(ids.insert(view.id()).second);
  }
  EXPECT_EQ(views[0].shape(), (Shape{2, 2}));
  EXPECT_EQ(views[0].ToVector<float>(), (Floats{3, 4, 5, 6}));
  EXPECT_EQ(views[1].shape(), (Shape{2}));
  EXPECT_EQ(views[1].ToVector<float>(), (Floats{3, 4}));
  EXPECT_EQ(views[2].at<float>(5), 6);
}

TEST(TensorTest, SlicesMayBeEmptyAndOfEmptyTensors) {
  const Tensor t = Tensor::Zeros(Shape{3, 2});
  EXPECT_EQ(t.Slice(3, 3).shape(), (Shape{0, 2}));
  EXPECT_EQ(Tensor::Zeros(Shape{0, 2}).Slice(0, 0).num_elements(), 0);
  EXPECT_EQ(Tensor::Zeros(Shape{0}).Reshape(Shape{4, 0}).shape(),
            (Shape{4, 0}));
}

TEST(TensorTest, ClonesHaveTheirOwnMemory) {
  const Tensor t = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  Tensor copy = t.Slice(1, 2).Clone();
  EXPECT_FALSE(copy.SharesMemoryWith(t));
  *copy.mutable_data<float>() = 9;
  EXPECT_EQ(t.at<float>(2), 3);
  EXPECT_EQ(copy.ToVector<float>(), (Floats{9, 4}));
}

TEST(TensorTest, IsMadeOnTheCurrentDevice) {
  SetLogicalCpuDevices(2);
  Device& second = FindDevice("CPU:1");
  const Tensor first = Tensor::Scalar(1.0f);
  EXPECT_EQ(&first.Clone(second).device(), &second);
  DeviceScope scope(second);
  EXPECT_EQ(&Tensor::Zeros(Shape{1}).device(), &second);
  EXPECT_EQ(first.device().name(), "CPU:0");
}

TEST(TensorTest, BorrowsMemory) {
  float memory[4] = {1, 2, 3, 4};
  const Tensor t = Tensor::FromBuffer(
      Buffer::Wrap(Device::Current(), memory, sizeof(memory), nullptr, nullptr),
      Shape{2, 2}, DType::kFloat32);
  EXPECT_EQ(t.raw_data(), memory);
  EXPECT_EQ(t.Row(1).at<float>(0), 3);
}

TEST(TensorTest, Casts) {
  const Tensor t = Tensor::FromVector<float>({0, 1.5f, -2.5f});
  EXPECT_EQ(t.Cast(DType::kInt32).ToVector<int32_t>(),
            (std::vector<int32_t>{0, 1, -2}));
  EXPECT_EQ(t.Cast(DType::kFloat64).at<double>(1), 1.5);
  const Tensor flags = t.Cast(DType::kBool);
  EXPECT_FALSE(flags.at<bool>(0));
  EXPECT_TRUE(flags.at<bool>(2));
  EXPECT_EQ(flags.Cast(DType::kFloat32).ToVector<float>(), (Floats{0, 1, 1}));
  EXPECT_EQ(t.Cast(DType::kFloat32).id(), t.id());
  EXPECT_EQ(CodeOf([&] { t.Cast(DType::kString); }), Code::kInvalidArgument);
}

// By hand: towards 0, NaN to 0, out of range to the nearest value.
TEST(TensorTest, CastsOutOfRangeToIntegers) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Tensor t = Tensor::FromVector<double>(
      {kNan, -kNan, kInfinity, -kInfinity, 1e300, -1e300, 255.9, 256, -0.9, -1,
       2147483647.5, 2147483648.0, -2147483648.5, -2147483649.0});
  constexpr int32_t kMax = INT32_MAX, kMin = INT32_MIN;
  EXPECT_EQ(t.Cast(DType::kInt32).ToVector<int32_t>(),
            (std::vector<int32_t>{0, 0, kMax, kMin, kMax, kMin, 255, 256, 0, -1,
                                  kMax, kMax, kMin, kMin}));
  EXPECT_EQ(t.Cast(DType::kUInt8).ToVector<uint8_t>(),
            (std::vector<uint8_t>{0, 0, 255, 0, 255, 0, 255, 255, 0, 0, 255,
                                  255, 0, 0}));
  // 2^31 and 2^63 are the first numbers of float that are too large.
  const Tensor narrow = Tensor::FromVector<float>(
      {static_cast<float>(kNan), 0x1p31f, 0x1.fffffep30f, -0x1p31f, 0x1p63f,
       0x1.fffffep62f, -0x1p63f, -0x1.000002p63f});
  EXPECT_EQ(narrow.Cast(DType::kInt32).ToVector<int32_t>(),
            (std::vector<int32_t>{0, kMax, 2147483520, kMin, kMax, kMax, kMin,
                                  kMin}));
  EXPECT_EQ(
      narrow.Cast(DType::kInt64).ToVector<int64_t>(),
      (std::vector<int64_t>{0, 2147483648, 2147483520, -2147483648, INT64_MAX,
                            9223371487098961920, INT64_MIN, INT64_MIN}));
  const Tensor half = narrow.Cast(DType::kFloat16);  // NaN and infinities
  EXPECT_EQ(half.Cast(DType::kInt64).ToVector<int64_t>(),
            (std::vector<int64_t>{0, INT64_MAX, INT64_MAX, INT64_MIN, INT64_MAX,
                                  INT64_MAX, INT64_MIN, INT64_MIN}));
  // An integer keeps its lowest bits, as in C++.
  EXPECT_EQ(Tensor::Scalar<int64_t>((int64_t{1} << 32) + 7)
                .Cast(DType::kInt32)
                .item<int32_t>(),
            7);
}

TEST(TensorTest, CastsToSixteenBitsRoundOnceAndBack) {
  const Tensor t = Tensor::FromVector<float>({1.00390625f, 1.01171875f, 65520});
  const Tensor b = t.Cast(DType::kBFloat16);
  EXPECT_EQ(b.bytes(), 6u);
  EXPECT_EQ(b.Cast(DType::kFloat32).ToVector<float>(),
            (Floats{1, 1.015625f, 65536}));
  EXPECT_EQ(ToString(b), "[1, 1.015625, 65536]");
  const Tensor h = t.Cast(DType::kFloat16);
  EXPECT_EQ(ToString(h), "[1.0039062, 1.0117188, inf]");
  EXPECT_EQ(h.Cast(DType::kBFloat16).at<BFloat16>(0).bits(), 0x3f80);
  EXPECT_EQ(b.Cast(DType::kInt32).ToVector<int32_t>(),
            (std::vector<int32_t>{1, 1, 65536}));
  EXPECT_TRUE(b.Cast(DType::kBool).at<bool>(2));
  // With float this would first round to the middle of two neighbours.
  const double above_middle = 1.00390625 + std::ldexp(1, -40);
  EXPECT_EQ(ToString(Tensor::Scalar(above_middle).Cast(DType::kBFloat16)),
            "1.0078125");
}

// Every bfloat16, and floats around the middle between it and the next one, in
// full vectors and remainders.
TEST(TensorTest, CastsArraysLikeElements) {
  std::vector<float> floats;
  for (uint32_t high = 0; high < 0x10000; ++high) {
    for (const uint32_t low : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u}) {
      floats.push_back(std::bit_cast<float>(high << 16 | low));
    }
  }
  const Tensor wide = Tensor::FromVector(floats);
  const Tensor narrow = wide.Cast(DType::kBFloat16);
  const Tensor back = narrow.Cast(DType::kFloat32);
  int64_t different = 0;
  for (size_t i = 0; i < floats.size(); ++i) {
    const BFloat16 one(floats[i]);
    different += narrow.at<BFloat16>(i).bits() != one.bits();
    different += std::bit_cast<uint32_t>(back.at<float>(i)) !=
                 std::bit_cast<uint32_t>(static_cast<float>(one));
  }
  EXPECT_EQ(different, 0);
}

TEST(TensorTest, ComparesBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor t = Tensor::FromVector<float>({0, nan});
  EXPECT_TRUE(BitwiseEqual(t, Tensor::FromVector<float>({0, nan})));
  EXPECT_FALSE(BitwiseEqual(t, Tensor::FromVector<float>({-0.0f, nan})));
  EXPECT_FALSE(BitwiseEqual(t, t.Reshape(Shape{2, 1})));
  EXPECT_FALSE(BitwiseEqual(Tensor::Scalar<int32_t>(0), Tensor::Scalar(0.0f)));
  EXPECT_TRUE(BitwiseEqual(Tensor(), Tensor()));
  EXPECT_FALSE(BitwiseEqual(Tensor(), Tensor::Scalar(0.0f)));
  EXPECT_FALSE(BitwiseEqual(Tensor::Scalar(0.0f), Tensor()));
}

TEST(TensorTest, PrintsAsNestedLists) {
  const Tensor t = Tensor::FromVector<int32_t>({1, 2, 3, 4}, Shape{2, 2});
  EXPECT_EQ(ToString(t), "[[1, 2], [3, 4]]");
  EXPECT_EQ(Describe(t), "int32 (2, 2)");
  EXPECT_EQ(ToString(Tensor::Scalar<std::string>("x")), "'x'");
  EXPECT_EQ(ToString(Tensor::Zeros(Shape{0})), "[]");
}

TEST(TensorTest, WrongUseIsATypedError) {
  const Tensor t = Tensor::Zeros(Shape{2, 3});
  for (const auto& [begin, end] :
       std::vector<std::pair<int, int>>{{-1, 1}, {0, 3}, {2, 1}}) {
    EXPECT_EQ(CodeOf([&, b = begin, e = end] { t.Slice(b, e); }),
              Code::kInvalidArgument);
  }
  EXPECT_EQ(CodeOf([&] { t.Row(2); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Tensor::Scalar(1.0f).Row(0); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { t.Reshape(Shape{5}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { t.Reshape(Shape{kUnknownDim}); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { t.item<float>(); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Tensor().item<float>(); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              Tensor::FromVector<float>({1, 2}, Shape{3});
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              Tensor::Empty(Shape{kUnknownDim, 2});
            }),
            Code::kInvalidArgument);
}

TEST(TensorTest, ElementsOfAnotherTypeAreATypedError) {
  Tensor t = Tensor::FromVector<float>({1, 2});
  const std::string words =
      "[Tensor] the elements of float32 (2,) were asked for as float64";
  ExpectError([&] { t.data<double>(); }, Code::kInvalidArgument, words);
  ExpectError([&] { t.mutable_data<double>(); }, Code::kInvalidArgument, words);
  ExpectError([&] { t.ToVector<double>(); }, Code::kInvalidArgument, words);
  ExpectError([&] { t.at<double>(0); }, Code::kInvalidArgument, words);
  ExpectError([] { Tensor::Scalar<int64_t>(1).item<int32_t>(); },
              Code::kInvalidArgument,
              "the elements of int64 () were asked for as int32");
}

TEST(TensorTest, UndefinedTensorsCannotBeUsed) {
  const Tensor none;
  const std::string words = "there is no tensor";
  ExpectError([&] { none.Clone(); }, Code::kInvalidArgument, words);
  ExpectError([&] { none.To(Device::Host()); }, Code::kInvalidArgument, words);
  ExpectError([&] { none.Cast(DType::kInt32); }, Code::kInvalidArgument, words);
  ExpectError([&] { none.Reshape(Shape{1}); }, Code::kInvalidArgument, words);
  ExpectError([&] { none.ToVector<float>(); }, Code::kInvalidArgument, words);
  EXPECT_EQ(ToString(none), "no tensor");
}

TEST(TensorTest, ImpossibleSizesAreATypedError) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  for (const Shape& shape :
       {Shape{kHuge, kHuge}, Shape{kHuge, 1 << 19}, Shape{INT64_MAX}}) {
    EXPECT_EQ(CodeOf([&] { Tensor::Empty(shape); }), Code::kResourceExhausted);
  }
  EXPECT_EQ(Tensor::Empty(Shape{kHuge, 0}).num_elements(), 0);
}

TEST(TensorTest, GoesToAnotherCpuDeviceAsAView) {
  Device other(DeviceKind::kCpu, 1);
  const Tensor numbers = Tensor::FromVector<float>({1, 2, 3});
  EXPECT_EQ(numbers.To(numbers.device()).id(), numbers.id());
  const Tensor moved = numbers.Slice(1, 3).To(other);
  EXPECT_EQ(&moved.device(), &other);
  EXPECT_EQ(moved.raw_data(), numbers.data<float>() + 1);
  EXPECT_FALSE(moved.unique());
  const Tensor words = Tensor::FromVector<std::string>({"a", "b"});
  EXPECT_EQ(words.To(other).at<std::string>(1), "b");
}

TEST(TensorTest, IdsAreUniqueAcrossThreads) {
  std::vector<std::vector<uint64_t>> ids(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : ids) {
      threads.emplace_back([&own] {
        for (int i = 0; i < 100; ++i) {
          own.push_back(Tensor::Empty(Shape{}).id());
        }
      });
    }
  }
  std::set<uint64_t> all;
  for (const auto& own : ids) all.insert(own.begin(), own.end());
  EXPECT_EQ(all.size(), 400u);
  EXPECT_FALSE(all.contains(0));
}

}  // namespace

// Tensors on a device whose memory the host cannot touch.

namespace {

class GpuTensorTest : public testing::Test {
 protected:
  Device& gpu() { return gpu_.device(); }

  FakeGpu gpu_;
};

TEST_F(GpuTensorTest, ValuesRoundTrip) {
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

TEST_F(GpuTensorTest, OverwritesInPlaceFromAnyDevice) {
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

TEST_F(GpuTensorTest, CloneHasItsOwnMemoryOnAnyDevice) {
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

TEST_F(GpuTensorTest, EmptyTensorsAreNeverCopied) {
  const Tensor x = Tensor::FromVector<float>({}, Shape{0, 3}, gpu());
  EXPECT_TRUE(x.ToVector<float>().empty());
  EXPECT_EQ(x.Clone(gpu()).num_elements(), 0);
  EXPECT_EQ(ToString(x), "[]");
  EXPECT_EQ(gpu_.transfers(), 0);
}

TEST_F(GpuTensorTest, StringsStayOnTheHost) {
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

TEST_F(GpuTensorTest, LackOfGpuMemoryIsATypedError) {
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
