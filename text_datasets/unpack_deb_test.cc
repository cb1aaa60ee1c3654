#include "text_datasets/unpack_deb.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "text_datasets/text_manifest.h"

namespace lockstep {
namespace {

TEST(UnpackDebTest, HasTheFilesOfThePackage) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "made/DEBIAN");
  std::filesystem::create_directories(folder / "made/usr/share");
  WriteWholeFile(folder / "made/DEBIAN/control",
                 "Package: made\nVersion: 1\nArchitecture: all\n"
                 "Maintainer: Lockstep <lockstep@example.com>\n"
                 "Description: for a test\n");
  WriteWholeFile(folder / "made/usr/share/words", "a b\n");
  const std::string command =
      "cd " + folder.path() + " && dpkg-deb --build made made.deb > log 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  UnpackDeb(folder / "made.deb", folder / "out/made");
  EXPECT_EQ(ReadWholeFile(folder / "out/made/usr/share/words"), "a b\n");
  WriteWholeFile(folder / "wrong.deb", "no package");
  EXPECT_EQ(CodeOf([&] { UnpackDeb(folder / "wrong.deb", folder / "wrong"); }),
            Code::kDataLoss);
}

TEST(TextManifestTest, EveryEntryIsComplete) {
  ASSERT_EQ(TextManifest().size(), 2u);
  for (const char* name : {"debian_12_messages", "debian_12_manuals"}) {
    const ManifestEntry& entry = FindDataset(TextManifest(), name);
    ASSERT_EQ(entry.files.size(), 5u);
    for (const DatasetFile& file : entry.files) {
      EXPECT_TRUE(file.name.ends_with(".deb"));
      EXPECT_EQ(file.suffix, "");
      EXPECT_EQ(file.sha256.size(), 64u);
      EXPECT_GT(file.bytes, 0);
      EXPECT_TRUE(file.folder.starts_with("pool/main/") &&
                  file.folder.ends_with('/'));
    }
    EXPECT_TRUE(entry.urls.empty()) << "DebianMirrors has them";
    EXPECT_FALSE(entry.license.empty());
  }
}

}  // namespace
}  // namespace lockstep
