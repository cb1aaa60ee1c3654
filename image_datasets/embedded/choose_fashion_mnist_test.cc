#include "image_datasets/embedded/choose_fashion_mnist.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "reference/data/dataset_testing.h"

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

// A new, empty data folder for this test.
LoadOptions EmptyFolder() {
  const std::string folder =
      testing::TempDir() + "/" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  return {.data_dir = folder};
}

TEST(ChooseFashionMnistTest, AutoFallsBackOnTheEmbeddedSubset) {
  const ChosenImages chosen = ChooseFashionMnist("auto", EmptyFolder());
  EXPECT_EQ(chosen.source, "embedded");
  EXPECT_EQ(chosen.data.train.size(), 10000);
  EXPECT_EQ(chosen.data.test.size(), 2000);
}

TEST(ChooseFashionMnistTest, MissingFullNamesTheCommand) {
  ExpectError([] { ChooseFashionMnist("full", EmptyFolder()); },
              Code::kNotFound, "//image_datasets:fetch");
}

TEST(ChooseFashionMnistTest, AutoDoesNotHideDamage) {
  const LoadOptions options = EmptyFolder();
  const std::string folder = options.data_dir + "/fashion_mnist";
  std::filesystem::create_directories(folder);
  for (const char* name :
       {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
        "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
    std::ofstream(folder + "/" + name) << "no IDX";
  }
  ExpectError([&] { ChooseFashionMnist("auto", options); }, Code::kDataLoss,
              "idx3-ubyte");
}

TEST(ChooseFashionMnistTest, RefusesOtherWords) {
  ExpectError([] { ChooseFashionMnist("half"); }, Code::kInvalidArgument,
              "got 'half'");
}

}  // namespace
}  // namespace lockstep
