#include "benchmarks/micro/layers/layer_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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

}  // namespace
}  // namespace lockstep::benchmarks
