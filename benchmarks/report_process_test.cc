#include "benchmarks/report_process.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "benchmarks/training_result.h"
#include "reference/base/error.h"
#include "reference/base/json.h"

namespace lockstep::benchmarks {
namespace {

std::string Folder() { return testing::TempDir(); }

std::string Program() { return std::getenv("TEST_BINARY"); }

std::string WriteResult() {
  TrainingResult run;
  run.workload = "fashion_mnist_cnn";
  run.global_batch_size = 64;
  run.blocks = {6400, 6500};
  Json result;
  result["context"] = {{"date", "2026-01-02T03:04:05+00:00"},
                       {"workload", run.workload},
                       {"complete", true},
                       {"data",
                        {{"name", "fashion_mnist"},
                         {"source", "full"},
                         {"train_images", 60000},
                         {"test_images", 10000}}}};
  result["benchmarks"] = {ToJson(run, {run})};
  const std::string path = Folder() + "/result.json";
  WriteJsonFile(path, result);
  return path;
}

TEST(ReportProcessTest, ThePageShowsWhatTheResultFileHolds) {
  const std::string html = Folder() + "/page.html";
  MakePerformanceReport(Program(), WriteResult(), html);
  std::ostringstream page;
  page << std::ifstream(html).rdbuf();
  EXPECT_NE(page.str().find("6,450 images/s"), std::string::npos);
}

TEST(ReportProcessTest, AFailingReportIsATypedError) {
  try {
    MakePerformanceReport(Program(), Folder() + "/absent.json",
                          Folder() + "/page.html");
    FAIL() << "a missing result made a page";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnavailable);
    EXPECT_NE(std::string(error.what()).find("status 1"), std::string::npos);
  }
}

}  // namespace
}  // namespace lockstep::benchmarks
