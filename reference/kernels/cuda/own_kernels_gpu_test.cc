// Compares our GPU kernels with the host's on the cases of kernel_cases.h.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reference/device/gpu_testing.h"
#include "reference/kernels/movement/movement.h"
#include "reference/kernels/normalization/softmax.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/kernels/reduction/weighted_sums.h"
#include "reference/kernels/testing/kernel_cases.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

class OwnKernelsTest : public GpuTest {
 protected:
  // Computes each case on the GPU and compares.
  void Compare(const std::vector<KernelCase>& cases) {
    for (const KernelCase& test : cases) {
      const Tensors wanted = test.compute(test.inputs);
      Tensors inputs;
      for (const Tensor& input : test.inputs) {
        inputs.push_back(input.To(gpu()));
      }
      EXPECT_EQ(Difference(test.compute(inputs), wanted, test.ulps), "")
          << test.name;
    }
  }
};

TEST_F(OwnKernelsTest, Elementwise) { Compare(ElementwiseCases()); }
TEST_F(OwnKernelsTest, Broadcasting) { Compare(BroadcastCases()); }
TEST_F(OwnKernelsTest, Casts) { Compare(CastCases()); }
TEST_F(OwnKernelsTest, Movement) { Compare(MovementCases()); }
TEST_F(OwnKernelsTest, Reductions) { Compare(ReductionCases()); }
TEST_F(OwnKernelsTest, SoftmaxAndItsLosses) { Compare(SoftmaxCases()); }
TEST_F(OwnKernelsTest, InPlace) { Compare(InPlaceCases()); }
TEST_F(OwnKernelsTest, Metrics) { Compare(MetricCases()); }
TEST_F(OwnKernelsTest, Optimizers) { Compare(OptimizerCases()); }
TEST_F(OwnKernelsTest, StepsOfOptimizers) { Compare(StepCases()); }

TEST_F(OwnKernelsTest, SumsAreDeterministic) {
  const Tensor x = Fractions(Shape{300'007}, 30).To(gpu());
  const Tensor first = ReduceSum(x);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(BitwiseEqual(ReduceSum(x), first));
  }
}

// 1/3, 1/4, 1/5...: another order of additions gives other last bits.
TEST_F(OwnKernelsTest, ShapeDeterminesTheOrderOfSums) {
  struct Sum {
    int64_t rows, columns;
    int axis;
    int lanes;
    size_t piece;
  };
  // Rows are summed by 256 lanes in pieces of 4096 or more, columns by 8 lanes
  // in pieces of 64 or more, at most 256 pieces: 79 is 20011 / 256, rounded up.
  for (const Sum& sum :
       {Sum{1, 3000, 1, 256, 4096}, Sum{1, 100'003, 1, 256, 4096},
        Sum{3, 20'011, 1, 256, 4096}, Sum{60, 33, 0, 8, 64},
        Sum{2000, 5, 0, 8, 64}, Sum{20'011, 3, 0, 8, 79}}) {
    std::vector<double> x(sum.rows * sum.columns);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = 1 / (3 + static_cast<double>(i));
    }
    const bool along_rows = sum.axis == 1;
    std::vector<double> wanted;
    for (int64_t kept = 0; kept < (along_rows ? sum.rows : sum.columns);
         ++kept) {
      std::vector<double> terms;
      for (int64_t i = 0; i < (along_rows ? sum.columns : sum.rows); ++i) {
        terms.push_back(along_rows ? x[kept * sum.columns + i]
                                   : x[i * sum.columns + kept]);
      }
      wanted.push_back(cuda::OrderedSum(terms, sum.lanes, sum.piece));
    }
    const Tensor given =
        Tensor::FromVector(x, Shape{sum.rows, sum.columns}, gpu());
    EXPECT_EQ(ReduceSum(given, std::array{sum.axis}).ToVector<double>(), wanted)
        << sum.rows << " x " << sum.columns;
  }
}

TEST_F(OwnKernelsTest, IndexOutOfRangeGivesZeros) {
  const Tensor table =
      Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2}, gpu());
  const Tensor rows = Tensor::FromVector<int32_t>({1, 2, -1}, Shape{3}, gpu());
  EXPECT_EQ(Gather(table, rows).ToVector<float>(),
            (std::vector<float>{3, 4, 0, 0, 0, 0}));
  const Tensor ones = Tensor::Full(Shape{3, 2}, 1.0f, gpu());
  EXPECT_EQ(GatherBackward(Shape{2, 2}, rows, ones).ToVector<float>(),
            (std::vector<float>{0, 0, 1, 1}));
}

TEST_F(OwnKernelsTest, LabelOtherThanZeroOrOneGivesNaN) {
  const Tensor labels = Tensor::FromVector<float>({1, 2}, Shape{2}, gpu());
  const Tensor scores = Tensor::FromVector<float>({1, 0}, Shape{2}, gpu());
  const Tensor sums = ConfusionSums(labels, scores, 0.5, Tensor(), 1);
  for (const float sum : sums.ToVector<float>()) EXPECT_TRUE(std::isnan(sum));
}

TEST_F(OwnKernelsTest, LabelOutOfRangeGivesNaN) {
  const Tensor logits = Tensor::Zeros(Shape{3, 2}, DType::kFloat32, gpu());
  const Tensor labels =
      Tensor::FromVector<int32_t>({1, 2, -1}, Shape{3}, gpu());
  const auto [loss, softmax] = SparseSoftmaxCrossEntropy(logits, labels);
  const Tensor gradient = SparseSoftmaxCrossEntropyBackward(
      softmax, labels, Tensor::Full(Shape{3}, 1.0f, gpu()));
  EXPECT_NEAR(loss.at<float>(0), std::log(2.0), 1e-6);
  EXPECT_EQ(gradient.Row(0).ToVector<float>(),
            (std::vector<float>{0.5f, -0.5f}));
  for (const int64_t row : {1, 2}) {
    EXPECT_TRUE(std::isnan(loss.at<float>(row)));
    EXPECT_TRUE(std::isnan(gradient.at<float>(2 * row)));
    EXPECT_TRUE(std::isnan(gradient.at<float>(2 * row + 1)));
  }
}

}  // namespace
}  // namespace lockstep::kernels
