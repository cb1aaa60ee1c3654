#include "reference/data/sharding/element_log.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/base/file_testing.h"
#include "reference/data/sharding/auto_shard_testing.h"

namespace lockstep {
namespace {

Dataset WithLog(const Dataset& batches, const std::string& log) {
  return batches.WithOptions({.element_log = log});
}

TEST(ElementLogTest, HasOneLinePerExample) {
  const TestFolder folder;
  const Dataset batches = WithLog(Dataset::Range(7).Batch(5), folder / "log");
  for (const int64_t worker : {0, 1}) {
    const Dataset parts =
        AutoShard(batches, {.workers = 2, .worker = worker, .replicas = 4});
    EXPECT_FALSE(ReadAll(parts).empty());
    if (worker == 1) ReadAll(parts.Take(1));
  }
  EXPECT_EQ(folder.names(), (Texts{"log-0-of-2", "log-1-of-2"}));
  EXPECT_EQ(ReadWholeFile(folder / "log-0-of-2"),
            "0\t0\t0\t0\n0\t0\t0\t1\n0\t0\t1\t2\n0\t0\t1\t3\n"
            "0\t1\t0\t5\n0\t1\t1\t6\n");
  EXPECT_EQ(ReadWholeFile(folder / "log-1-of-2"),
            "0\t0\t2\t4\n"
            "1\t0\t2\t4\n");
}

TEST(ElementLogTest, IsWrittenBeforeThePartIsReturned) {
  const TestFolder folder;
  const Dataset batches = WithLog(Dataset::Range(6).Batch(2), folder / "log");
  const auto first_steps = [&](int count) {
    DatasetIterator parts = AutoShard(batches, {}).MakeIterator();
    for (int i = 0; i < count; ++i) parts.GetNext();
    return ReadWholeFile(folder / "log-0-of-1");
  };
  EXPECT_EQ(first_steps(2), "0\t0\t0\t0\n0\t0\t0\t1\n0\t1\t0\t2\n0\t1\t0\t3\n");
  EXPECT_EQ(first_steps(1), "0\t0\t0\t0\n0\t0\t0\t1\n");
}

TEST(ElementLogTest, WritesNumbersShortTextsAndChecksums) {
  using data_internal::LoggedExample;
  const Structure part = Structure::Tuple(
      {Tensor::FromVector<std::string>({"cat", "a\nb", std::string(81, 'x')}),
       Tensor::FromVector<int64_t>({7, 8}),
       Tensor::FromVector<uint8_t>({'1', '2', '3', '4', '5', '6', '7', '8', '9',
                                    0, 0, 0, 0, 0, 0, 0, 0, 0})
           .Reshape(Shape{2, 9})});
  // The checksum of "123456789" is the published check value of CRC-32C.
  EXPECT_EQ(LoggedExample(part, 0), "(cat, 7, #e3069283)");
  EXPECT_EQ(LoggedExample(part[1], 1), "8");
  EXPECT_EQ(LoggedExample(part[1], 2), "");
  EXPECT_EQ(LoggedExample(part[0], 1).size(), 9u);
  EXPECT_EQ(LoggedExample(part[0], 2)[0], '#');
  EXPECT_NE(LoggedExample(part[0], 1), LoggedExample(part[0], 2));
}

TEST(ElementLogTest, UnwritableFileIsAnError) {
  const TestFolder folder;
  ExpectError(
      [&] {
        ReadAll(AutoShard(
            WithLog(Dataset::Range(4).Batch(2), folder / "no/log"), {}));
      },
      Code::kNotFound, "[ElementLog] cannot open");
  ExpectError(
      [&] {
        const Dataset parts(data_internal::MakeElementLog(
            Dataset::Range(4).Batch(2).node(), {.file = "/dev/full"}));
        ReadAll(parts);
      },
      Code::kResourceExhausted, "[ElementLog] cannot write /dev/full");
}

}  // namespace
}  // namespace lockstep
