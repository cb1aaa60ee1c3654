#include "datasets/embedded/embedded_fashion_mnist.h"

#include <gtest/gtest.h>

#include <map>

namespace lockstep {
namespace {

std::map<int64_t, int> CountLabels(const ImageExamples& examples) {
  std::map<int64_t, int> counts;
  for (const int64_t label : examples.labels.span<int64_t>()) ++counts[label];
  return counts;
}

TEST(EmbeddedFashionMnistTest, IsBalanced) {
  const ImageData data = LoadEmbeddedFashionMnist();
  EXPECT_EQ(Describe(data.train.images), "uint8 (10000, 28, 28, 1)");
  EXPECT_EQ(Describe(data.test.images), "uint8 (2000, 28, 28, 1)");
  EXPECT_EQ(data.description,
            "Fashion-MNIST, embedded subset (10000 + 2000 images)");
  for (const auto& [label, count] : CountLabels(data.train)) {
    EXPECT_EQ(count, 1000) << label;
  }
  for (const auto& [label, count] : CountLabels(data.test)) {
    EXPECT_EQ(count, 200) << label;
  }
  // The published training set begins with an ankle boot.
  EXPECT_EQ(data.train.labels.at<int64_t>(0), 9);
}

}  // namespace
}  // namespace lockstep
