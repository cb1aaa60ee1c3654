#include "benchmarks/output_file.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"

namespace lockstep::benchmarks {
namespace {

TEST(OutputFileTest, EachWriteReplacesTheOneBefore) {
  const TestFolder folder;
  WriteWholeFile(folder / "r.json", "of an older run");
  OutputFile file(folder / "r.json");
  EXPECT_EQ(ReadWholeFile(folder / "r.json"), "of an older run");
  file.Write("one epoch");
  file.Write("two");
  EXPECT_EQ(ReadWholeFile(folder / "r.json"), "two");
  EXPECT_EQ(file.path(), folder / "r.json");
}

TEST(OutputFileTest, RunsThatWantOneNameEachGetTheirOwn) {
  const TestFolder folder;
  const FreeName name{folder / "made/results", "scaling-1", ".json"};
  OutputFile first(name), second(name), third(name);
  for (OutputFile* file : {&second, &first, &third}) file->Write("so far");
  first.Write("first");
  second.Write("second");
  EXPECT_EQ(second.path(), folder / "made/results/scaling-1.json");
  EXPECT_EQ(first.path(), folder / "made/results/scaling-1-2.json");
  EXPECT_EQ(third.path(), folder / "made/results/scaling-1-3.json");
  EXPECT_EQ(ReadWholeFile(first.path()), "first");
  EXPECT_EQ(ReadWholeFile(second.path()), "second");
  EXPECT_EQ(ReadWholeFile(third.path()), "so far");
}

TEST(OutputFileTest, ABadPlaceIsRefusedAtOnce) {
  const TestFolder folder;
  WriteWholeFile(folder / "file", "x");
  const auto open = [](const auto& place) { OutputFile file(place); };
  EXPECT_EQ(CodeOf([&] { open(folder / "no/such/r.json"); }), Code::kNotFound);
  EXPECT_EQ(CodeOf([&] {
              open(FreeName{folder / "file", "r", ".json"});
            }),
            Code::kUnavailable);
}

TEST(OutputFileTest, ADeviceHasNoNameOfItsOwn) {
  OutputFile file("/dev/null");
  EXPECT_TRUE(file.written_through());
  file.Write("gone");
  file.Write("again");
}

}  // namespace
}  // namespace lockstep::benchmarks
