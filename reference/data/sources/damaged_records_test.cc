// Damaged TFRecord files yield the records before the damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reference/base/encoding/compression.h"
#include "reference/base/error.h"
#include "reference/base/file_testing.h"
#include "reference/base/fuzzing/damage.h"
#include "reference/base/fuzzing/rounds.h"
#include "reference/data/dataset.h"
#include "reference/data/tf_record_writer.h"

namespace lockstep {
namespace {

using Records = std::vector<std::string>;

class DamagedRecordFilesTest : public testing::TestWithParam<Compression> {
 protected:
  void Write(const Records& records) {
    TFRecordWriter writer(file_, GetParam());
    for (const std::string& record : records) writer.Write(record);
    writer.Close();
  }

  // Reads up to the first error, which must say that the file is damaged.
  Records Read() {
    Records records;
    DatasetIterator iterator =
        Dataset::FromTFRecords({file_}, GetParam()).MakeIterator();
    try {
      for (Structure record; iterator.Next(&record);) {
        records.push_back(record.leaf().item<std::string>());
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kDataLoss) << error.what();
      EXPECT_NE(std::string(error.what()).find(file_), std::string::npos)
          << error.what();
    }
    return records;
  }

  const TestFolder folder_;
  const std::string file_ = folder_ / "records";
};

// Records of many lengths whose text shows their number.
Records NumberedRecords() {
  Records records;
  for (int i = 0; i < 12; ++i) {
    records.push_back(std::to_string(i) + ":" + std::string(i * i, 'a' + i));
  }
  return records;
}

// A file may end after any record: truncation there cannot be detected.
TEST_P(DamagedRecordFilesTest, YieldAPrefixOfTheirRecords) {
  const Records written = NumberedRecords();
  Write(written);
  const std::string whole = ReadWholeFile(file_);
  EXPECT_EQ(Read(), written);
  ForDamagedCopies(whole, 200 * TestRounds(), [&](const std::string& damaged) {
    WriteWholeFile(file_, damaged);
    const Records read = Read();
    ASSERT_LE(read.size(), written.size());
    EXPECT_TRUE(std::equal(read.begin(), read.end(), written.begin()));
  });
}

INSTANTIATE_TEST_SUITE_P(Compressions, DamagedRecordFilesTest,
                         testing::Values(Compression::kNone, Compression::kGzip,
                                         Compression::kZlib));

}  // namespace
}  // namespace lockstep
