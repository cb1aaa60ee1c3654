#include "conformance/runner/output/report_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <future>

#include "conformance/runner/output/suite_testing.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"

namespace lockstep {
namespace {

class ReportFilesTest : public testing::Test {
 protected:
  void Write(const ReportPaths& paths) {
    ReportFiles(paths).Write(example_.suite, sources_);
  }

  const ExampleSuite example_;
  const Sources sources_ = ExampleSources();
  const TestFolder folder_;
};

TEST_F(ReportFilesTest, WritesWhatIsWanted) {
  Write({});
  EXPECT_TRUE(folder_.names().empty());
  Write({.json = folder_ / "r.json",
         .junit = folder_ / "r.xml",
         .markdown = folder_ / "r.md"});
  EXPECT_EQ(ReadWholeFile(folder_ / "r.json")[0], '{');
  EXPECT_EQ(ReadWholeFile(folder_ / "r.xml")[0], '<');
  EXPECT_EQ(ReadWholeFile(folder_ / "r.md")[0], '#');
  EXPECT_EQ(folder_.names().size(), 3u);
}

TEST_F(ReportFilesTest, WithoutResultsOlderOnesStay) {
  WriteWholeFile(folder_ / "r.json", "older");
  { const ReportFiles interrupted({.json = folder_ / "r.json"}); }
  EXPECT_EQ(ReadWholeFile(folder_ / "r.json"), "older");
}

TEST_F(ReportFilesTest, APipeStaysOne) {
  const std::string path = folder_ / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0666), 0);
  auto read = std::async([&] { return ReadWholeFile(path); });
  Write({.markdown = path});
  EXPECT_EQ(read.get()[0], '#');
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST_F(ReportFilesTest, ABadPlaceIsRefusedBeforeTheRun) {
  const std::string bad = folder_ / "no/such/file";
  for (const ReportPaths& paths :
       {ReportPaths{.json = bad}, ReportPaths{.junit = bad},
        ReportPaths{.markdown = bad}, ReportPaths{.deviations = bad}}) {
    ExpectError([&] { ReportFiles files(paths); }, Code::kNotFound, bad);
  }
}

TEST_F(ReportFilesTest, TwoReportsDoNotFitIntoOneFile) {
  const std::string one = folder_ / "r";
  ExpectError([&] { ReportFiles files({.json = one, .junit = one}); },
              Code::kInvalidArgument, "wanted two");
  ReportFiles both({.json = "/dev/null", .junit = "/dev/null"});
}

}  // namespace
}  // namespace lockstep
