#include "reference/training/summary/summary_writer.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "reference/base/encoding/crc32c.h"
#include "reference/base/error_testing.h"
#include "reference/base/failing_system_calls.h"
#include "reference/base/file_testing.h"
#include "reference/base/log.h"
#include "reference/training/summary/event.pb.h"

namespace lockstep {
namespace {

template <typename Number>
Number Take(std::string_view& bytes) {
  Number number;
  std::memcpy(&number, bytes.data(), sizeof(number));
  bytes.remove_prefix(sizeof(number));
  return number;
}

// The events of a file, up to an incomplete record. Checks all checksums.
std::vector<summary::Event> EventsOf(const std::string& path) {
  const std::string file = ReadWholeFile(path);
  std::string_view left = file;
  std::vector<summary::Event> events;
  while (left.size() >= 12) {
    const std::string_view length_bytes = left.substr(0, 8);
    const auto length = Take<uint64_t>(left);
    EXPECT_EQ(Take<uint32_t>(left), MaskCrc32c(Crc32c(length_bytes)));
    if (left.size() < length + 4) break;
    const std::string_view data = left.substr(0, length);
    left.remove_prefix(length);
    EXPECT_EQ(Take<uint32_t>(left), MaskCrc32c(Crc32c(data)));
    events.emplace_back();
    EXPECT_TRUE(events.back().ParseFromString(std::string(data)));
  }
  return events;
}

TEST(SummaryWriterTest, FirstRecordIsTheVersion) {
  const TestFolder folder;
  const auto before = std::chrono::system_clock::now();
  const SummaryWriter writer(folder / "logs/train");
  const auto events = EventsOf(writer.path());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  const auto now = std::chrono::duration<double>(before.time_since_epoch());
  EXPECT_NEAR(events[0].wall_time(), now.count(), 60);
}

TEST(SummaryWriterTest, EachWriterHasAFile) {
  const TestFolder folder;
  const SummaryWriter one(folder.path()), two(folder.path());
  const auto names = folder.names();
  ASSERT_EQ(names.size(), 2u);
  EXPECT_NE(one.path(), two.path());
  EXPECT_EQ(names[0].find("events.out.tfevents.1"), 0u) << names[0];
  EXPECT_EQ(names[0].substr(names[0].size() - 3), ".v2");
}

TEST(SummaryWriterTest, ScalarIsATensorForThePlugin) {
  const TestFolder folder;
  SummaryWriter writer(folder.path());
  writer.Scalar("epoch_loss", 7, 0.25);
  writer.Scalar("epoch_loss", 8, NAN);
  EXPECT_EQ(EventsOf(writer.path()).size(), 1u);
  writer.Flush();
  const auto events = EventsOf(writer.path());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].step(), 7);
  ASSERT_EQ(events[1].summary().value_size(), 1);
  const summary::Summary::Value& value = events[1].summary().value(0);
  EXPECT_EQ(value.tag(), "epoch_loss");
  EXPECT_EQ(value.tensor().dtype(), summary::DT_FLOAT);
  EXPECT_TRUE(value.tensor().has_tensor_shape());
  EXPECT_EQ(value.tensor().float_val(0), 0.25f);
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "scalars");
  EXPECT_EQ(value.metadata().data_class(), summary::DATA_CLASS_SCALAR);
  EXPECT_TRUE(std::isnan(events[2].summary().value(0).tensor().float_val(0)));
}

TEST(SummaryWriterTest, HistogramIsRowsOfThree) {
  const TestFolder folder;
  SummaryWriter writer(folder.path());
  writer.Histogram("dense/kernel", 1, Tensor::FromVector<float>({0, 30}));
  writer.Flush();
  const auto events = EventsOf(writer.path());
  const summary::Summary::Value& value = events.at(1).summary().value(0);
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "histograms");
  EXPECT_EQ(value.tensor().tensor_shape().dim(0).size(), 30);
  EXPECT_EQ(value.tensor().tensor_shape().dim(1).size(), 3);
  ASSERT_EQ(value.tensor().double_val_size(), 90);
  EXPECT_EQ(value.tensor().double_val(87), 29);
  EXPECT_EQ(value.tensor().double_val(88), 30);
  EXPECT_EQ(value.tensor().double_val(89), 1);
}

TEST(SummaryWriterTest, TextIsAListOfOneString) {
  const TestFolder folder;
  SummaryWriter writer(folder.path());
  writer.Text("run", 0, "**bold**");
  writer.Flush();
  const auto events = EventsOf(writer.path());
  const summary::Summary::Value& value = events.at(1).summary().value(0);
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "text");
  EXPECT_EQ(value.tensor().string_val(0), "**bold**");
}

TEST(SummaryWriterTest, DestructorWritesTheRest) {
  const TestFolder folder;
  std::string path;
  {
    SummaryWriter writer(folder.path());
    writer.Scalar("a", 0, 1);
    path = writer.path();
  }
  EXPECT_EQ(EventsOf(path).size(), 2u);
}

TEST(SummaryWriterTest, FullDiskLosesNothing) {
  const TestFolder folder;
  SummaryWriter writer(folder.path());
  writer.Scalar("a", 0, 1);
  {
    const FailingSystemCalls faults(1, ENOSPC);
    ExpectError([&] { writer.Flush(); }, Code::kResourceExhausted,
                writer.path());
  }
  writer.Scalar("a", 1, 2);
  {
    const FailingSystemCalls faults(2, EIO);  // of fsync
    ExpectError([&] { writer.Flush(); }, Code::kUnavailable, writer.path());
  }
  writer.Flush();
  EXPECT_EQ(EventsOf(writer.path()).size(), 3u);
  const FailingSystemCalls faults(1, EIO);
  writer.Flush();  // which has nothing to do
  EXPECT_FALSE(faults.happened());
}

TEST(SummaryWriterTest, FailureInTheDestructorIsAWarning) {
  const TestFolder folder;
  const LogCapture capture;
  std::optional<SummaryWriter> writer(folder.path());
  writer->Scalar("a", 0, 1);
  const FailingSystemCalls faults(1, EIO);
  writer.reset();
  ASSERT_EQ(capture.lines().size(), 1u);
  EXPECT_NE(capture.lines()[0].find("is not complete"), std::string::npos);
}

TEST(SummaryWriterTest, InvalidFolders) {
  const TestFolder folder;
  WriteWholeFile(folder / "file", "");
  EXPECT_EQ(CodeOf([&] { SummaryWriter(folder / "file/logs"); }),
            Code::kUnavailable);
  EXPECT_EQ(CodeOf([] { SummaryWriter(""); }), Code::kInvalidArgument);
  const FailingSystemCalls faults(1, EACCES);
  ExpectError([&] { SummaryWriter(folder.path()); }, Code::kUnavailable,
              "events.out.tfevents");
}

TEST(SummaryWriterTest, FlushedRecordsSurviveTheProcess) {
  for (int which = 1;; ++which) {
    const TestFolder folder;
    const bool killed = KilledAt(which, [&] {
      SummaryWriter writer(folder.path());
      for (int step = 0; step < 3; ++step) {
        writer.Scalar("a", step, 1);
        writer.Flush();
      }
    });
    const auto names = folder.names();
    // The file is created, written, and synced with its folder; then there are three
    // writes, each with a sync.
    size_t written = 0;
    for (const int write : {2, 5, 7, 9}) written += write < which;
    const size_t events =
        names.empty() ? 0 : EventsOf(folder / names[0]).size();
    EXPECT_EQ(events, written) << which;
    if (killed) continue;
    EXPECT_EQ(which, 11);
    break;
  }
}

}  // namespace
}  // namespace lockstep
