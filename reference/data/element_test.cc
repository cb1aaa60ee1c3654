#include "reference/data/element.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/dataset_testing.h"
#include "reference/device/fake_gpu.h"

namespace lockstep::data_internal {
namespace {

TensorSpec Float(const Shape& shape) { return {shape, DType::kFloat32}; }

TEST(ElementSpecTest, DescribesNests) {
  const SpecStructure spec = SpecStructure::Tuple(
      {Float({kUnknownDim, 2}), SpecStructure::Dict({{"b", Float({})}})});
  EXPECT_EQ(DescribeSpec(spec), "(float32 (None, 2), {b: float32 ()})");
}

TEST(ElementSpecTest, AddsAndRemovesAxes) {
  const SpecStructure spec = Float({3});
  EXPECT_EQ(PrependAxis(spec, 5).leaf(), Float({5, 3}));
  EXPECT_EQ(RemoveAxis("Test", PrependAxis(spec, 5)).leaf(), Float({3}));
  EXPECT_THROW(RemoveAxis("Test", SpecStructure(Float({}))), Error);
}

TEST(ElementSpecTest, MergingForgetsDifferences) {
  EXPECT_EQ(MergeSpecs("Test", Float({2, 3}), Float({4, 3})).leaf(),
            Float({kUnknownDim, 3}));
  EXPECT_THROW(MergeSpecs("Test", Float({2}), Float({2, 2})), Error);
  EXPECT_THROW(MergeSpecs("Test", Float({2}), TensorSpec{{2}, DType::kInt32}),
               Error);
}

TEST(ElementSpecTest, UndefinedTensorsFail) {
  EXPECT_THROW(CheckElement("Test", Float({}), Tensor()), Error);
}

}  // namespace
}  // namespace lockstep::data_internal

namespace lockstep {

// Reads datasets while the current device is a GPU, whose memory faults on
// access by the host: all elements must be in host memory.

namespace {

using Texts = std::vector<std::string>;

class HostElementTest : public testing::Test {
 protected:
  // As ReadAll. Checks that the elements are in host memory.
  Texts ReadOnGpu(const Dataset& dataset) {
    const DeviceScope on_gpu(gpu_.device());
    Texts texts;
    for (const Structure& element : dataset) {
      element.ForEach([](const Tensor& leaf) { EXPECT_TRUE(leaf.on_host()); });
      texts.push_back(ToText(element));
    }
    return texts;
  }

  Tensor OnGpu(const std::vector<int64_t>& values) {
    return Tensor::FromVector(values).To(gpu_.device());
  }

  FakeGpu gpu_;
};

Dataset Words() {
  return Dataset::FromTensorSlices(
      Structure(Tensor::FromVector<std::string>({"a", "b", "c", "d", "e"})));
}

// As in a program without GPUs.
Structure Doubled(const Structure& element) {
  const Tensor& from = element.leaf();
  Tensor doubled = Tensor::Zeros(from.shape(), DType::kInt64);
  for (int64_t i = 0; i < from.num_elements(); ++i) {
    doubled.mutable_data<int64_t>()[i] = 2 * from.at<int64_t>(i);
  }
  return doubled;
}

// 0 to `count` - 1, as a vector.
Structure Counting(const Structure& count) {
  std::vector<int64_t> numbers(count.leaf().item<int64_t>());
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  return Tensor::FromVector(numbers);
}

TEST_F(HostElementTest, SourcesYieldHostElements) {
  EXPECT_EQ(ReadOnGpu(Dataset::Range(3)), (Texts{"0", "1", "2"}));
  EXPECT_EQ(ReadOnGpu(Words().Take(1)), Texts{"'a'"});
  const Dataset generated = Dataset::FromGenerator(
      [] {
        return [next = int64_t{0}]() mutable -> std::optional<Structure> {
          if (next == 2) return std::nullopt;
          return Structure(Tensor::Scalar<int64_t>(next++));
        };
      },
      TensorSpec{Shape{}, DType::kInt64});
  EXPECT_EQ(ReadOnGpu(generated.Batch(2)), Texts{"[0, 1]"});
}

TEST_F(HostElementTest, TransformationsRunOnTheHost) {
  const Dataset five = Dataset::Range(5);
  const Dataset doubled = five.Map(Doubled);
  EXPECT_EQ(ReadOnGpu(five.Batch(3)), (Texts{"[0, 1, 2]", "[3, 4]"}));
  EXPECT_EQ(ReadOnGpu(five.Shard(2, 1).Batch(2)), Texts{"[1, 3]"});
  EXPECT_EQ(ReadOnGpu(doubled.Batch(5)), Texts{"[0, 2, 4, 6, 8]"});
  EXPECT_EQ(ReadOnGpu(doubled.Prefetch(1).Batch(5)), Texts{"[0, 2, 4, 6, 8]"});
  EXPECT_EQ(ReadOnGpu(five.Map(Counting).PaddedBatch(3).Take(1)),
            Texts{"[[0, 0], [0, 0], [0, 1]]"});
  EXPECT_EQ(ReadOnGpu(Words().Shuffle(1).Batch(2).Skip(2)), Texts{"['e']"});
  EXPECT_EQ(ReadOnGpu(five.Batch(2).Unbatch().Enumerate(7).Skip(4)),
            Texts{"(11, 4)"});
  EXPECT_EQ(ReadOnGpu(doubled.Cache().Repeat(2).Batch(10)),
            Texts{"[0, 2, 4, 6, 8, 0, 2, 4, 6, 8]"});
  EXPECT_EQ(ReadOnGpu(five.Concatenate(doubled).Batch(7).Take(1)),
            Texts{"[0, 1, 2, 3, 4, 0, 2]"});
  EXPECT_EQ(ReadOnGpu(Dataset::Zip({five, doubled}).Batch(2).Take(1)),
            Texts{"([0, 1], [0, 2])"});
  EXPECT_EQ(ReadOnGpu(five.Filter([](const Structure& element) {
              const Structure doubled = Doubled(element);
              return doubled.leaf().item<int64_t>() > 4;
            })),
            (Texts{"3", "4"}));
}

TEST_F(HostElementTest, GathersRowsOfImages) {
  const Tensor images = Tensor::FromVector<int64_t>(
      {1, 2, 3, 4, 5, 6}, Shape{3, 2}, Device::Host());
  const Dataset batches = Dataset::FromTensorSlices(images).Shuffle(3, 1);
  EXPECT_EQ(ReadOnGpu(batches.Batch(3)).size(), 1u);
  EXPECT_EQ(ReadOnGpu(Dataset::FromTensorSlices(images).Shard(2, 0).Batch(2)),
            Texts{"[[1, 2], [5, 6]]"});
}

TEST_F(HostElementTest, ProbesMapOnTheHost) {
  const DeviceScope on_gpu(gpu_.device());
  const Dataset doubled = Dataset::Range(5).Batch(2).Map(Doubled);
  EXPECT_EQ(ToString(doubled.element_spec().leaf()), "int64 (None,)");
}

TEST_F(HostElementTest, CopiesGpuTensors) {
  const Tensor rows = OnGpu({1, 2, 3});
  EXPECT_EQ(ReadOnGpu(Dataset::FromTensors(rows)), Texts{"[1, 2, 3]"});
  EXPECT_EQ(ReadOnGpu(Dataset::FromTensorSlices(rows).Shard(2, 0).Batch(2)),
            Texts{"[1, 3]"});
  const auto to_gpu = [this](const Structure& element) {
    return Structure(element.leaf().To(gpu_.device()));
  };
  EXPECT_EQ(ReadOnGpu(Dataset::Range(2).Map(to_gpu).Batch(2)), Texts{"[0, 1]"});
  const Dataset generated = Dataset::FromGenerator(
      [&] {
        return [left = 2, rows]() mutable -> std::optional<Structure> {
          if (left-- == 0) return std::nullopt;
          return Structure(rows);
        };
      },
      TensorSpec{Shape{3}, DType::kInt64});
  EXPECT_EQ(ReadOnGpu(generated.Batch(2)), Texts{"[[1, 2, 3], [1, 2, 3]]"});
}

}  // namespace
}  // namespace lockstep
