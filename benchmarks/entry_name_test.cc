#include "benchmarks/entry_name.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

TEST(EntryNameTest, KeepsTheOrderOfItsParts) {
  EXPECT_EQ(EntryName("Train")
                .With("workload", "fashion_mnist_cnn")
                .With("replicas", 2)
                .With("device", "cpu")
                .str(),
            "Train/workload:fashion_mnist_cnn/replicas:2/device:cpu");
}

TEST(EntryNameTest, PathMayHaveSlashes) {
  EXPECT_EQ(EntryName("input/rebatch").With("device", "cpu").str(),
            "input/rebatch/device:cpu");
}

TEST(EntryNameTest, RefusesWhatWouldReadAsAnotherPart) {
  EXPECT_THROW(EntryName(""), Error);
  EXPECT_THROW(EntryName("a b"), Error);
  EXPECT_THROW(EntryName("a").With("b", "c/d"), Error);
  EXPECT_THROW(EntryName("a").With("b:c", "d"), Error);
  EXPECT_THROW(EntryName("a").With("", "d"), Error);
  EXPECT_THROW(EntryName("a").With("b", ""), Error);
}

}  // namespace
}  // namespace lockstep::benchmarks
