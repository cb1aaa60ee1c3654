#include "benchmarks/micro/cudnn_layers/cudnn_calls.h"

#include <gtest/gtest.h>

#include <string_view>

#include "benchmarks/micro/cudnn_layers/tensor_descriptor.h"
#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

void ExpectCode(cudnnStatus_t status, Code code) {
  try {
    CheckSupported(status, "[Test]");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_TRUE(std::string_view(error.what()).starts_with("[Test]: CUDNN_"))
        << error.what();
  }
}

TEST(CheckSupportedTest, WhatTheLibraryHasNotIsUnimplemented) {
  ExpectCode(CUDNN_STATUS_NOT_SUPPORTED, Code::kUnimplemented);
  ExpectCode(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, Code::kUnimplemented);
}

TEST(CheckSupportedTest, WhatWentWrongIsInternal) {
  ExpectCode(CUDNN_STATUS_BAD_PARAM, Code::kInternal);
  ExpectCode(CUDNN_STATUS_EXECUTION_FAILED, Code::kInternal);
}

TEST(CheckSupportedTest, SuccessThrowsNothing) {
  EXPECT_NO_THROW(CheckSupported(CUDNN_STATUS_SUCCESS, "[Test]"));
}

}  // namespace

// The descriptors that cuDNN gets, which it checks without a GPU.

namespace {

struct Description {
  cudnnDataType_t type;
  int n, c, h, w;  // sizes
  int n_step, c_step, h_step, w_step;

  bool operator==(const Description&) const = default;
};

Description Ask(cudnnTensorDescriptor_t descriptor) {
  Description d{};
  EXPECT_EQ(
      cudnnGetTensor4dDescriptor(descriptor, &d.type, &d.n, &d.c, &d.h, &d.w,
                                 &d.n_step, &d.c_step, &d.h_step, &d.w_step),
      CUDNN_STATUS_SUCCESS);
  return d;
}

TEST(DescriptorsTest, ImagesHaveTheirChannelsLast) {
  const TensorDescriptor images(Shape{2, 5, 7, 3}, DType::kBFloat16);
  EXPECT_EQ(Ask(images.get()),
            (Description{CUDNN_DATA_BFLOAT16, 2, 3, 5, 7, 105, 1, 21, 3}));
}

TEST(DescriptorsTest, RowsAreImagesOfOnePixel) {
  const TensorDescriptor rows(Shape{64, 10}, DType::kFloat32);
  const Description d = Ask(rows.get());
  EXPECT_EQ(d.type, CUDNN_DATA_FLOAT);
  EXPECT_EQ(d.n, 64);
  EXPECT_EQ(d.c, 10);
  EXPECT_EQ(d.h * d.w, 1);
  EXPECT_EQ(d.n_step, 10);
}

TEST(DescriptorsTest, OtherTypesAreRefused) {
  EXPECT_THROW(TensorDescriptor(Shape{2, 2}, DType::kInt32), Error);
}

TEST(DescriptorsTest, CudnnPoolsToTheShapesThatOursHave) {
  for (const LayerWork& work : WorkloadLayers()) {
    if (!work.is_pool()) continue;
    const CudnnPool pool(work, CUDNN_POOLING_MAX);
    EXPECT_EQ(pool.OutputShape(), OutputShapeOf(work))
        << EntryNameOf(work, kCudnn);
  }
}

TEST(DescriptorsTest, OneNumberAChannelIsFloat32) {
  const LayerWork work{.kind = LayerKind::kBatchNorm,
                       .x = Shape{2, 5, 7, 3},
                       .dtype = DType::kBFloat16};
  for (const auto mode :
       {CUDNN_BATCHNORM_SPATIAL, CUDNN_BATCHNORM_SPATIAL_PERSISTENT}) {
    const CudnnBatchNorm norm(work, mode, 1e-5);
    const Description d = Ask(norm.channels_descriptor());
    EXPECT_EQ(d.type, CUDNN_DATA_FLOAT);
    EXPECT_EQ(d.c, 3);
    EXPECT_EQ(d.n * d.h * d.w, 1);
  }
}

}  // namespace
}  // namespace lockstep::benchmarks
