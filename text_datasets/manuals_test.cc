#include "text_datasets/manuals.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "dataset_files/gzip_testing.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"

namespace lockstep {
namespace {

using Documents = std::vector<std::vector<std::string>>;

const std::string kTexts = "text_datasets/testdata/manuals/";

// FOLDER/PACKAGE/usr/share/doc/NAME.gz, of a text for tests.
void InstallText(const TestFolder& folder, const std::string& package,
                 const std::string& name) {
  const std::string place = folder / package + "/usr/share/doc";
  std::filesystem::create_directories(place);
  WriteWholeFile(place + "/" + name + ".gz",
                 Gzip(ReadWholeFile(kTexts + name)));
}

TEST(ReadManualsTest, HasEachSentenceWhereItComesFirst) {
  const TestFolder folder;
  InstallText(folder, "b-package", "harbor.txt");
  InstallText(folder, "a-package", "boats.txt");
  WriteWholeFile(folder / "b-package/usr/share/doc/no.txt", "A boat is here.");
  const Documents documents = ReadManuals(folder.path());
  ASSERT_EQ(documents.size(), 5u);
  EXPECT_EQ(documents[0], (std::vector<std::string>{
                              "This small guide was made up for a test.",
                              "Nothing in it is true."}));
  // Without "A boat has one owner.", of documents[1].
  EXPECT_EQ(documents[2],
            (std::vector<std::string>{"Oars are lent in pairs.",
                                      "The price is 5.50 a day..."}));
  // Without sentences of documents[0], in capitals here, and of documents[1].
  EXPECT_EQ(documents[4], (std::vector<std::string>{"No boat leaves at night.",
                                                    "Ropes are kept dry."}));
}

TEST(ReadManualsTest, SaysHowToGetThem) {
  const TestFolder folder;
  ExpectError([&] { ReadManuals(folder.path()); }, Code::kNotFound,
              "`./bazelw run //text_datasets:fetch` gets some");
  ExpectError([&] { ReadManuals(folder / "none"); }, Code::kNotFound,
              "[ReadManuals] " + folder.path() + "/none has no package");
}

TEST(SplitDocumentsTest, KeepsDocumentsWhole) {
  Documents documents;
  for (int i = 0; i < 300; ++i) {
    documents.push_back({std::to_string(i) + "a", std::to_string(i) + "b"});
  }
  const DocumentData data = SplitDocuments(documents, {.test_share = 0.1});
  // Five standard deviations of sqrt(300 * 0.1 * 0.9) = 5.2.
  EXPECT_NEAR(static_cast<double>(data.test.size()), 30, 26);
  std::set<std::vector<std::string>> parts(data.train.begin(),
                                           data.train.end());
  parts.insert(data.test.begin(), data.test.end());
  EXPECT_EQ(parts.size(), 300u);
  EXPECT_EQ(data.train.size() + data.test.size(), 300u);
  EXPECT_EQ(CodeOf([&] { SplitDocuments(documents, {.test_share = 2}); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
