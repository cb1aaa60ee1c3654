#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "benchmarks/micro/layers/layer_run.h"
#include "benchmarks/micro/layers/layer_work.h"
#include "benchmarks/micro/layers/prepared_layers.h"
#include "reference/base/error.h"
#include "reference/device/kernel_scope.h"

namespace lockstep::benchmarks {
namespace {

using testing::ElementsAre;

LayerWork StemPool(LayerPass pass) {
  return {.kind = LayerKind::kMaxPool,
          .pass = pass,
          .x = Shape{64, 114, 114, 64},
          .windows = {.pool = {3, 3}, .strides = {2, 2}},
          .dtype = DType::kBFloat16};
}

LayerWork Norm(LayerPass pass) {
  return {.kind = LayerKind::kBatchNorm, .pass = pass, .x = Shape{2, 3, 5, 7}};
}

TEST(LayerWorkTest, ANameSaysWhatIsDoneAndByWhom) {
  EXPECT_EQ(EntryNameOf(StemPool(LayerPass::kBackward), kOwn),
            "MaxPool2D/pass:backward/x:64x114x114x64/pool:3x3/strides:2x2/"
            "dtype:bfloat16/device:gpu/by:own");
  EXPECT_EQ(EntryNameOf(Norm(LayerPass::kForward), kCudnnPersistent),
            "BatchNorm/pass:forward/x:2x3x5x7/dtype:float32/device:gpu/"
            "by:cudnn_persistent");
  const LayerWork softmax{.kind = LayerKind::kSoftmax, .x = Shape{64, 10}};
  EXPECT_EQ(EntryNameOf(softmax, kCudnn),
            "Softmax/pass:forward/x:64x10/dtype:float32/device:gpu/by:cudnn");
}

TEST(LayerWorkTest, APoolingShrinksImagesAndNothingElseDoes) {
  EXPECT_EQ(OutputShapeOf(StemPool(LayerPass::kForward)),
            (Shape{64, 56, 56, 64}));
  EXPECT_EQ(OutputShapeOf(Norm(LayerPass::kForward)), (Shape{2, 3, 5, 7}));
}

TEST(LayerWorkTest, BytesAreThoseOfInputsAndOutputs) {
  // 64 images of 114 * 114 and of 56 * 56 pixels, 64 channels, 2 bytes.
  const int64_t pool = 64 * 64 * 2 * (114 * 114 + 56 * 56);
  EXPECT_EQ(BytesOf(StemPool(LayerPass::kForward)), pool);
  EXPECT_EQ(BytesOf(StemPool(LayerPass::kBackward)), pool);
  EXPECT_EQ(BytesOf(Norm(LayerPass::kForward)), 210 * 4 * 2);   // x, y
  EXPECT_EQ(BytesOf(Norm(LayerPass::kBackward)), 210 * 4 * 3);  // x, dy, dx
}

TEST(LayerWorkTest, AGraphHasAsManyRunsAsMoveAGigabyte) {
  EXPECT_EQ(BytesOf(StemPool(LayerPass::kForward)), 132'153'344);
  EXPECT_EQ(RunsOf(StemPool(LayerPass::kForward)), 7);
  EXPECT_EQ(RunsOf(Norm(LayerPass::kForward)), 100);
  LayerWork large = Norm(LayerPass::kForward);
  large.x = Shape{64, 112, 112, 256};
  EXPECT_EQ(RunsOf(large), 5);
}

TEST(LayerWorkTest, CudnnHasSeveralWaysForSome) {
  EXPECT_THAT(CudnnWaysOf(StemPool(LayerPass::kForward)), ElementsAre(kCudnn));
  EXPECT_THAT(CudnnWaysOf(StemPool(LayerPass::kBackward)),
              ElementsAre(kCudnn, kCudnnDeterministic));
  EXPECT_THAT(CudnnWaysOf(Norm(LayerPass::kForward)),
              ElementsAre(kCudnn, kCudnnPersistent));
}

TEST(LayerWorkTest, TheWorkloadsLayersAreThereOnceInEveryForm) {
  const std::vector<LayerWork> works = WorkloadLayers();
  std::set<std::string> names;
  for (const LayerWork& work : works) names.insert(EntryNameOf(work, kOwn));
  EXPECT_EQ(names.size(), works.size());
  // 5 max pools, 1 mean pool, 4 normalizations and 3 softmaxes.
  EXPECT_EQ(works.size(), size_t{13 * 2 * 2});
  EXPECT_EQ(std::ranges::count(works, LayerKind::kBatchNorm, &LayerWork::kind),
            4 * 2 * 2);
}

LayerInputs InputsOf(const LayerWork& work) {
  return MakeLayerInputs(work, Device::Host());
}

TEST(LayerInputsTest, NoTwoElementsOfAWindowAreEqual) {
  constexpr int64_t kSize = 300;  // more than the pattern's period
  const LayerWork work{.kind = LayerKind::kMaxPool,
                       .x = Shape{1, kSize, kSize, 2},
                       .windows = {.pool = {3, 3}, .strides = {2, 2}}};
  const Tensor x = InputsOf(work).x;
  for (int64_t row = 0; row + 3 <= kSize; ++row) {
    for (int64_t column = 0; column + 3 <= kSize; ++column) {
      std::set<float> window;
      for (int64_t i = 0; i < 9; ++i) {
        const int64_t pixel = (row + i / 3) * kSize + column + i % 3;
        window.insert(x.at<float>(pixel * 2 + 1));
      }
      ASSERT_EQ(window.size(), 9u) << row << ", " << column;
    }
  }
}

TEST(LayerInputsTest, SixteenBitsHoldThem) {
  for (LayerWork work : WorkloadLayers()) {
    if (work.dtype != DType::kBFloat16) continue;
    // Elements depend on their place alone: a few images show what all are.
    work.x = work.x.WithDim(0, 1);
    const LayerInputs narrow = InputsOf(work);
    work.dtype = DType::kFloat32;
    const LayerInputs wide = InputsOf(work);
    EXPECT_TRUE(BitwiseEqual(narrow.x.Cast(DType::kFloat32), wide.x));
    EXPECT_TRUE(BitwiseEqual(narrow.dy.Cast(DType::kFloat32), wide.dy));
  }
}

TEST(LayerInputsTest, TheGradientHasTheShapeOfTheResult) {
  const LayerWork work{.kind = LayerKind::kAvgPool, .x = Shape{2, 4, 6, 3}};
  EXPECT_EQ(InputsOf(work).dy.shape(), (Shape{2, 2, 3, 3}));
  EXPECT_FALSE(InputsOf(work).gamma.defined());
}

TEST(LayerInputsTest, SumsOfANormalizationAreExactInFloat32) {
  const LayerWork work{.kind = LayerKind::kBatchNorm,
                       .x = Shape{4, 8, 8, 3},
                       .dtype = DType::kBFloat16};
  const LayerInputs inputs = InputsOf(work);
  EXPECT_EQ(inputs.gamma.shape(), Shape{3});
  EXPECT_EQ(inputs.beta.dtype(), DType::kFloat32);
  for (const Tensor& tensor : {inputs.x, inputs.dy}) {
    const Tensor values = tensor.Cast(DType::kFloat32);
    std::set<float> different;
    for (const float value : values.span<float>()) {
      EXPECT_EQ(value, std::round(value));
      EXPECT_LE(std::abs(value), 4);  // 16 * 64 * 56 * 56 is below 2^24
      different.insert(value);
    }
    EXPECT_EQ(different.size(), 7u);
  }
}

}  // namespace

// These run the host's kernels; a GPU's get the same calls.

namespace {

using Floats = std::vector<float>;

LayerWork Work(LayerKind kind, LayerPass pass, const Shape& x) {
  return {.kind = kind, .pass = pass, .x = x};
}

Tensor Image(const Floats& values, const Shape& shape) {
  return Tensor::FromVector(values, shape);
}

TEST(OwnLayerTest, AMaxPoolGivesMaximaAndSendsGradientsBackToThem) {
  LayerInputs inputs;
  inputs.x = Image({1, 4, 3, 2}, Shape{1, 2, 2, 1});
  inputs.dy = Image({5}, Shape{1, 1, 1, 1});
  const auto forward =
      OwnLayer(Work(LayerKind::kMaxPool, LayerPass::kForward, inputs.x.shape()),
               inputs)();
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(forward[0].ToVector<float>(), Floats{4});
  const auto backward = OwnLayer(
      Work(LayerKind::kMaxPool, LayerPass::kBackward, inputs.x.shape()),
      inputs)();
  EXPECT_EQ(backward[0].ToVector<float>(), (Floats{0, 5, 0, 0}));
}

TEST(OwnLayerTest, AnAvgPoolGivesMeansAndSharesGradients) {
  LayerInputs inputs;
  inputs.x = Image({1, 4, 3, 4}, Shape{1, 2, 2, 1});
  inputs.dy = Image({8}, Shape{1, 1, 1, 1});
  const Shape& x = inputs.x.shape();
  EXPECT_EQ(
      OwnLayer(Work(LayerKind::kAvgPool, LayerPass::kForward, x), inputs)()[0]
          .ToVector<float>(),
      Floats{3});
  EXPECT_EQ(
      OwnLayer(Work(LayerKind::kAvgPool, LayerPass::kBackward, x), inputs)()[0]
          .ToVector<float>(),
      (Floats{2, 2, 2, 2}));
}

TEST(OwnLayerTest, ASoftmaxIsOfRows) {
  LayerInputs inputs;
  inputs.x = Image({0, 0, 1, 1}, Shape{2, 2});
  inputs.dy = Image({4, 0, 0, 0}, Shape{2, 2});
  const Shape& x = inputs.x.shape();
  EXPECT_EQ(
      OwnLayer(Work(LayerKind::kSoftmax, LayerPass::kForward, x), inputs)()[0]
          .ToVector<float>(),
      (Floats{0.5, 0.5, 0.5, 0.5}));
  // y * (dy - sum(dy * y)): 0.5 * (4 - 2), 0.5 * (0 - 2).
  EXPECT_EQ(
      OwnLayer(Work(LayerKind::kSoftmax, LayerPass::kBackward, x), inputs)()[0]
          .ToVector<float>(),
      (Floats{1, -1, 0, 0}));
}

class OwnBatchNormTest : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    inputs_.x = Image({-1, 1}, Shape{2, 1, 1, 1}).Cast(GetParam());
    inputs_.dy = Image({2, 3}, Shape{2, 1, 1, 1}).Cast(GetParam());
    inputs_.gamma = Image({4}, Shape{1});
    inputs_.beta = Image({5}, Shape{1});
  }
  std::vector<Tensor> Results(LayerPass pass) {
    LayerWork work = Work(LayerKind::kBatchNorm, pass, inputs_.x.shape());
    work.dtype = GetParam();
    return OwnLayer(work, inputs_)();
  }
  // Variance 1: what epsilon does to it is below bfloat16's digits.
  const double inverse_ = 1 / std::sqrt(1 + kBatchNormEpsilon);
  LayerInputs inputs_;
};

TEST_P(OwnBatchNormTest, NormalizesByTheMomentsOfTheBatch) {
  const auto results = Results(LayerPass::kForward);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].dtype(), GetParam());
  const auto y = results[0].Cast(DType::kFloat32).ToVector<float>();
  EXPECT_NEAR(y[0], 5 - 4 * inverse_, 1e-4);
  EXPECT_NEAR(y[1], 5 + 4 * inverse_, 1e-4);
  EXPECT_EQ(results[1].ToVector<float>(), Floats{0});
}

TEST_P(OwnBatchNormTest, GivesTheGradientsOfItsThreeInputs) {
  const auto results = Results(LayerPass::kBackward);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].dtype(), GetParam());
  EXPECT_NEAR(results[1].at<float>(0), (3 - 2) * inverse_, 1e-6);
  EXPECT_EQ(results[2].at<float>(0), 5);
  // dy less its mean and its part along x: -0.5 + 0.5, but for epsilon.
  const auto dx = results[0].Cast(DType::kFloat32).ToVector<float>();
  EXPECT_NEAR(dx[0], 0, 1e-4);
  EXPECT_NEAR(dx[1], 0, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Types, OwnBatchNormTest,
                         testing::Values(DType::kFloat32, DType::kBFloat16),
                         [](const auto& type) {
                           return std::string(DTypeName(type.param));
                         });

const LayerWork kExact{.kind = LayerKind::kMaxPool, .x = Shape{1, 2, 2, 1}};
// Of 16 rows: (sqrt(16) + 16) roundings.
const LayerWork kNorm{.kind = LayerKind::kBatchNorm, .x = Shape{4, 2, 2, 2}};
constexpr double kNormTolerance = 20 * 0x1p-24;

Tensor Values(const std::vector<float>& values) {
  return Tensor::FromVector(values);
}

TEST(LayerDifferenceTest, TolerancesCountRoundings) {
  EXPECT_EQ(LayerTolerance(kExact, DType::kFloat32), 0);
  EXPECT_EQ(LayerTolerance(kExact, DType::kBFloat16), 0);
  EXPECT_EQ(LayerTolerance(kNorm, DType::kFloat32), kNormTolerance);
  EXPECT_EQ(LayerTolerance(kNorm, DType::kBFloat16), kNormTolerance + 0x1p-7);
}

TEST(LayerDifferenceTest, AGradientOfSoftmaxBeginsWithARoundedResult) {
  LayerWork work{.kind = LayerKind::kSoftmax, .x = Shape{64, 10}};
  EXPECT_EQ(LayerTolerance(work, DType::kFloat32), 42 * 0x1p-24);
  work.pass = LayerPass::kBackward;
  EXPECT_EQ(LayerTolerance(work, DType::kFloat32), 84 * 0x1p-24);
  EXPECT_EQ(LayerTolerance(work, DType::kBFloat16), 84 * 0x1p-24 + 0x1p-6);
}

TEST(LayerDifferenceTest, AMeansGradientHasNoSum) {
  LayerWork work{.kind = LayerKind::kAvgPool,
                 .x = Shape{1, 7, 7, 1},
                 .windows = {.pool = {7, 7}, .strides = {7, 7}}};
  EXPECT_EQ(LayerTolerance(work, DType::kFloat32), 52 * 0x1p-24);
  work.pass = LayerPass::kBackward;
  EXPECT_EQ(LayerTolerance(work, DType::kFloat32), 3 * 0x1p-24);
}

TEST(LayerDifferenceTest, WhatIsNearEnoughIsNoDifference) {
  // 20 roundings of the largest: 4 * 20 * 2^-24 = 80 * 2^-24.
  const Tensor wanted = Values({0, -4});
  EXPECT_EQ(LayerDifference(kNorm, {wanted}, {wanted}), "");
  EXPECT_EQ(LayerDifference(kNorm, {wanted}, {Values({80 * 0x1p-24f, -4})}),
            "");
  EXPECT_EQ(LayerDifference(kNorm, {wanted}, {Values({81 * 0x1p-24f, -4})}),
            "result 0: 4.827976e-06 instead of 0 at element 0, more than "
            "1.2e-06 of the largest, 4");
}

TEST(LayerDifferenceTest, EveryResultIsLookedAt) {
  const Tensor same = Values({1});
  EXPECT_EQ(LayerDifference(kExact, {same, Values({2, 3})},
                            {same, Values({2, 3.5f})}),
            "result 1: 3.5 instead of 3 at element 1, more than 0 of the "
            "largest, 3");
  EXPECT_EQ(LayerDifference(kExact, {same}, {same, same}),
            "2 results instead of 1");
}

TEST(LayerDifferenceTest, NarrowNumbersAreCompared) {
  const Tensor one = Values({1}).Cast(DType::kBFloat16);
  EXPECT_EQ(LayerDifference(kExact, {one}, {one}), "");
  EXPECT_EQ(
      LayerDifference(kExact, {one}, {Values({1.5f}).Cast(DType::kBFloat16)}),
      "result 0: 1.5 instead of 1 at element 0, more than 0 of the "
      "largest, 1");
}

TEST(LayerDifferenceTest, ANanIsAlwaysWrong) {
  const Tensor nan = Values({NAN});
  EXPECT_NE(LayerDifference(kNorm, {Values({1})}, {nan}), "");
  EXPECT_NE(LayerDifference(kNorm, {nan}, {nan}), "");
}

TEST(LayerDifferenceTest, OtherShapesAndTypesDiffer) {
  EXPECT_EQ(LayerDifference(kExact, {Values({1, 2})}, {Values({1})}),
            "result 0: float32 (1,) instead of float32 (2,)");
  EXPECT_EQ(LayerDifference(kExact, {Values({1})},
                            {Values({1}).Cast(DType::kBFloat16)}),
            "result 0: bfloat16 (1,) instead of float32 (1,)");
}

}  // namespace

// On the host, where a stand-in is cuDNN.

namespace {

const LayerWork kWork{.kind = LayerKind::kSoftmax, .x = Shape{2, 3}};

float error = 0;  // that the stand-in makes
int runs = 0;

// Ours, but for `error` in the first element of all.
LayerRun StandIn(const LayerWork& work, const LayerInputs& inputs,
                 const std::string&) {
  return [run = OwnLayer(work, inputs)] {
    ++runs;
    std::vector<Tensor> results = run();
    results[0].mutable_data<float>()[0] += error;
    return results;
  };
}

class PreparedLayersTest : public testing::Test {
 protected:
  PreparedLayersTest() {
    error = 0;
    runs = 0;
  }

  void ExpectError(Code code, const std::string& part) {
    try {
      layers_.Prepare(kWork, kCudnn);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& thrown) {
      EXPECT_EQ(thrown.code(), code);
      EXPECT_NE(std::string(thrown.what()).find(part), std::string::npos)
          << thrown.what();
    }
  }

  PreparedLayers layers_{Device::Host()};

 private:
  const KernelScope<LayerRun(const LayerWork&, const LayerInputs&,
                             const std::string&)>
      scope_{CudnnLayer, &StandIn};
};

TEST_F(PreparedLayersTest, WhatComputesTheSameIsGiven) {
  const LayerRun own = layers_.Prepare(kWork, kOwn);
  EXPECT_EQ(runs, 0);
  const LayerRun other = layers_.Prepare(kWork, kCudnn);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(BitwiseEqual(own()[0], other()[0]));
}

TEST_F(PreparedLayersTest, TheComparisonIsMadeOnce) {
  layers_.Prepare(kWork, kCudnn);
  layers_.Prepare(kWork, kCudnn);
  EXPECT_EQ(runs, 1);
  layers_.Prepare(kWork, kCudnnPersistent);
  EXPECT_EQ(runs, 2);
}

TEST_F(PreparedLayersTest, EachPassIsCompared) {
  LayerWork backward = kWork;
  backward.pass = LayerPass::kBackward;
  layers_.Prepare(kWork, kCudnn);
  layers_.Prepare(backward, kCudnn);
  EXPECT_EQ(runs, 2);
}

TEST_F(PreparedLayersTest, WhatDiffersIsRefusedEachTime) {
  error = 0.25;
  ExpectError(Code::kInternal, "[PreparedLayers] cudnn differs from ours: ");
  ExpectError(Code::kInternal, "result 0: ");
  EXPECT_EQ(runs, 1);
}

TEST_F(PreparedLayersTest, WithoutCudnnThereIsOwnAlone) {
  CudnnLayer.Set(nullptr);
  EXPECT_EQ(layers_.Prepare(kWork, kOwn)().size(), 1u);
  ExpectError(Code::kUnimplemented, "CudnnLayer");
}

}  // namespace
}  // namespace lockstep::benchmarks
