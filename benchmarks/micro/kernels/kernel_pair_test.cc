#include "benchmarks/micro/kernels/kernel_pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "reference/kernels/cpu/onednn_engine.h"

namespace lockstep::benchmarks {
namespace {

Tensor Values(const std::vector<float>& values) {
  return Tensor::FromVector(values);
}

TEST(KernelPairTest, BothComputeTheSame) {
  const kernels_internal::OneDnnThread single;
  for (const KernelPair& pair : WorkloadKernels()) {
    const KernelRuns runs = pair.make();
    const auto own = runs.own();
    EXPECT_FALSE(own.empty()) << pair.name;
    if (!runs.onednn) continue;
    const auto onednn = runs.onednn();
    ASSERT_EQ(own.size(), onednn.size()) << pair.name;
    for (size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(Describe(own[i]), Describe(onednn[i])) << pair.name;
    }
    EXPECT_EQ(KernelDifference(own, onednn, pair.tolerance), "") << pair.name;
  }
}

TEST(KernelPairTest, NamesTellPairsApart) {
  std::set<std::string> names;
  for (const KernelPair& pair : WorkloadKernels()) {
    EXPECT_TRUE(names.insert(pair.name).second) << pair.name;
  }
}

TEST(KernelPairTest, ADifferenceIsFound) {
  const Tensor one = Values({1}), four = Values({3, -4});
  EXPECT_EQ(KernelDifference({one, four}, {one, four}, 0), "");
  EXPECT_EQ(KernelDifference({one, four}, {one, Values({2, -4})}, 0.25), "");
  EXPECT_EQ(KernelDifference({one, four}, {one, Values({2, -4})}, 0.125),
            "result 1: 2 instead of 3 at element 0, more than 0.12 of the "
            "largest, 4");
  EXPECT_NE(KernelDifference({one}, {Values({NAN})}, 1), "");
}

// Why ReLU and the maximum are ours whatever the gain: see
// docs/algorithms.md. When this fails, oneDNN has become as careful.
TEST(OneDnnTest, ReluAndMaximumLoseNaN) {
  const kernels_internal::OneDnnThread single;
  const Tensor x = Tensor::Full(Shape{1, 2, 2, 16}, NAN);
  const Tensor y = Tensor::Zeros(Shape{1, 2, 2, 16});
  const Tensor pooled = Tensor::Zeros(Shape{1, 1, 1, 16});
  OneDnnSequence calls;
  const auto in =
      calls.Wrap(x, ImageDims(x.shape()), dnnl::memory::format_tag::nhwc);
  const auto out =
      calls.Wrap(y, ImageDims(y.shape()), dnnl::memory::format_tag::nhwc);
  const auto largest = calls.Wrap(pooled, ImageDims(pooled.shape()),
                                  dnnl::memory::format_tag::nhwc);
  calls.AddFunction(dnnl::algorithm::eltwise_relu, in, out);
  const dnnl::memory::dims two{2, 2}, none{0, 0};
  const auto pool =
      kernels_internal::DescribePrimitive<kernels_internal::OneDnnPooling>(
          {}, dnnl::prop_kind::forward_inference, dnnl::algorithm::pooling_max,
          in.get_desc(), largest.get_desc(), two, two, none, none, none);
  calls.Add(kernels_internal::OneDnnPooling(pool),
            {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, largest}});
  calls.Run();
  EXPECT_EQ(y.at<float>(0), 0);
  EXPECT_FALSE(std::isnan(pooled.at<float>(0)));
}

}  // namespace
}  // namespace lockstep::benchmarks
