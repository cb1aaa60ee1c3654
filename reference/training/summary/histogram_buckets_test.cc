#include "reference/training/summary/histogram_buckets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep::summary_internal {
namespace {

double CountOf(const std::vector<Bucket>& buckets) {
  return std::accumulate(
      buckets.begin(), buckets.end(), 0.0,
      [](double sum, const Bucket& bucket) { return sum + bucket.count; });
}

void ExpectBucket(const Bucket& bucket, double left, double right,
                  double count) {
  EXPECT_DOUBLE_EQ(bucket.left, left);
  EXPECT_DOUBLE_EQ(bucket.right, right);
  EXPECT_EQ(bucket.count, count);
}

TEST(HistogramBucketsTest, DivideTheRangeEvenly) {
  const auto buckets =
      HistogramBuckets(Tensor::FromVector<float>({0, 1, 2, 2.5f, 30, 29}));
  ASSERT_EQ(buckets.size(), 30u);
  ExpectBucket(buckets[0], 0, 1, 1);
  ExpectBucket(buckets[1], 1, 2, 1);
  ExpectBucket(buckets[2], 2, 3, 2);
  ExpectBucket(buckets[3], 3, 4, 0);
  ExpectBucket(buckets[29], 29, 30, 2);  // includes its right edge
  EXPECT_EQ(CountOf(buckets), 6);
}

TEST(HistogramBucketsTest, EqualElementsAreInTheLast) {
  const auto buckets = HistogramBuckets(Tensor::FromVector<int32_t>({7, 7, 7}));
  ASSERT_EQ(buckets.size(), 30u);
  ExpectBucket(buckets[0], 7, 7, 0);
  ExpectBucket(buckets[29], 7, 7, 3);
}

TEST(HistogramBucketsTest, EmptyTensor) {
  const auto buckets = HistogramBuckets(Tensor::Zeros(Shape{0}));
  ASSERT_EQ(buckets.size(), 30u);
  ExpectBucket(buckets[29], 0, 0, 0);
}

TEST(HistogramBucketsTest, IgnoresNonFiniteElements) {
  const auto buckets = HistogramBuckets(
      Tensor::FromVector<float>({NAN, 1, INFINITY, 2, -INFINITY}));
  EXPECT_EQ(CountOf(buckets), 2);
  EXPECT_EQ(buckets[0].left, 1);
  EXPECT_EQ(buckets[29].right, 2);
}

TEST(HistogramBucketsTest, RangeOfAllDoubles) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const auto buckets =
      HistogramBuckets(Tensor::FromVector<double>({-kMost, kMost}));
  EXPECT_EQ(buckets[0].count, 1);
  EXPECT_EQ(buckets[29].count, 1);
  EXPECT_EQ(buckets[29].right, kMost);
}

TEST(HistogramBucketsTest, StringsHaveNone) {
  EXPECT_EQ(
      CodeOf([] { HistogramBuckets(Tensor::FromVector<std::string>({"a"})); }),
      Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::summary_internal
