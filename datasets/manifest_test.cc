#include "datasets/manifest.h"

#include <gtest/gtest.h>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

TEST(ManifestTest, EveryEntryIsComplete) {
  ASSERT_EQ(Manifest().size(), 3u);
  for (const ManifestEntry& entry : Manifest()) {
    EXPECT_FALSE(entry.title.empty());
    for (const DatasetFile& file : entry.files) {
      EXPECT_FALSE(file.name.empty());
      EXPECT_EQ(file.sha256.size(), 64u);
      EXPECT_GT(file.bytes, 0);
    }
    for (const std::string& url : entry.urls) {
      EXPECT_TRUE(url.starts_with("http") && url.ends_with('/')) << url;
    }
  }
}

TEST(ManifestTest, FindsByName) {
  const ManifestEntry& entry = FindDataset("fashion_mnist");
  EXPECT_EQ(entry.title, "Fashion-MNIST");
  EXPECT_EQ(entry.files[kTestLabels].name, "t10k-labels-idx1-ubyte");
  EXPECT_EQ(entry.files[kTestLabels].bytes, 10008);
  ExpectError([] { FindDataset("cifar"); }, Code::kNotFound,
              "there is no dataset 'cifar'; there are fashion_mnist, mnist");
}

TEST(ManifestTest, OtherTextIsRefused) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"format": 2, "datasets": {}})",
        R"({"format": 1, "datasets": {"x": {}}})",
        R"({"format": 1, "datasets": {"x": {"title": 3, "urls": [],
            "files": {}}}})"}) {
    ExpectError([&] { ParseManifest(text); }, Code::kInvalidArgument, "");
  }
}

}  // namespace
}  // namespace lockstep
