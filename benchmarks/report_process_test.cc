#include "benchmarks/report_process.h"

#include <gtest/gtest.h>

#include <string>

#include "benchmarks/training_result.h"
#include "reference/base/error_testing.h"
#include "reference/base/json.h"

namespace lockstep::benchmarks {
namespace {

std::string Program() { return std::getenv("TEST_BINARY"); }

std::string MakeResult() {
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
  return result.dump();
}

TEST(ReportProcessTest, ThePageShowsWhatTheResultHolds) {
  const std::string page =
      MakePerformanceReport(Program(), MakeResult(), "my_result.json");
  EXPECT_NE(page.find("6,450 images/s"), std::string::npos);
  EXPECT_NE(page.find("my_result.json"), std::string::npos);
}

TEST(ReportProcessTest, AFailingReportIsATypedError) {
  ExpectError([] { MakePerformanceReport(Program(), "{", "my_result.json"); },
              Code::kUnavailable, "status 1");
}

}  // namespace
}  // namespace lockstep::benchmarks
