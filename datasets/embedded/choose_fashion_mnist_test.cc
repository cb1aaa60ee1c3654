#include "datasets/embedded/choose_fashion_mnist.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

// A data folder of this test alone, with nothing in it yet.
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

TEST(ChooseFashionMnistTest, FullIsNeverReplacedAndTheErrorNamesTheCommand) {
  ExpectError([] { ChooseFashionMnist("full", EmptyFolder()); },
              Code::kNotFound, "//datasets:fetch");
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

TEST(ChooseFashionMnistTest, AnotherWordIsRefused) {
  ExpectError([] { ChooseFashionMnist("half"); }, Code::kInvalidArgument,
              "got 'half'");
}

}  // namespace
}  // namespace lockstep
