#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/encoding/crc32c.h"
#include "reference/base/file_testing.h"
#include "reference/data/dataset_testing.h"
#include "reference/data/tf_record_writer.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;

Texts ReadStrings(const Dataset& dataset) {
  Texts texts;
  for (const Structure& element : dataset) {
    texts.push_back(element.leaf().item<std::string>());
  }
  return texts;
}

std::string Compressed(Compression format, const std::string& bytes) {
  if (format == Compression::kNone) return bytes;
  std::string archive;
  const auto append = [&](std::string_view piece) { archive += piece; };
  Deflater deflater(format);
  deflater.Add(bytes, append);
  deflater.Finish(append);
  return archive;
}

constexpr Compression kFormats[] = {Compression::kNone, Compression::kGzip,
                                    Compression::kZlib};

TEST(TextLinesTest, ReadsArchives) {
  const TestFolder folder;
  // Lines that end at, before and after the end of the read buffer.
  std::string text;
  Texts lines;
  for (const int size : {0, 1, (1 << 18) - 3, 70000, 600000, 5}) {
    lines.push_back(std::string(size, static_cast<char>('a' + size % 7)));
    text += lines.back() + (size % 2 == 0 ? "\n" : "\r\n");
  }
  for (const Compression format : kFormats) {
    WriteWholeFile(folder / "a", Compressed(format, text));
    EXPECT_EQ(ReadStrings(Dataset::FromTextLines({folder / "a"}, format)),
              lines);
  }
}

// The files begin correctly.
TEST(TextLinesTest, DamagedArchiveCostsTheRestOfItsFile) {
  const TestFolder folder;
  const std::string archive = Compressed(Compression::kGzip, "one\ntwo\n");
  WriteWholeFile(folder / "a", archive.substr(0, archive.size() - 1));
  WriteWholeFile(folder / "b", archive);
  DatasetIterator lines =
      Dataset::FromTextLines({folder / "a", folder / "b"}, Compression::kGzip)
          .MakeIterator();
  EXPECT_EQ(ToText(lines.GetNext()), "'one'");
  EXPECT_EQ(ToText(lines.GetNext()), "'two'");
  ExpectError([&] { lines.GetNext(); }, Code::kDataLoss,
              "[FromTextLines] " + folder / "a" +
                  ": the archive is truncated at offset " +
                  std::to_string(archive.size() - 1));
  EXPECT_EQ(ToText(lines.GetNext()), "'one'");
}

class FixedLengthTest : public testing::Test {
 protected:
  Dataset Records(const std::string& bytes, const FixedLengthLayout& layout,
                  Compression format = Compression::kNone) const {
    WriteWholeFile(folder_ / "f", Compressed(format, bytes));
    return Dataset::FromFixedLengthRecords({folder_ / "f"}, layout, format);
  }

  const TestFolder folder_;
};

TEST_F(FixedLengthTest, ReadsBetweenHeaderAndFooter) {
  for (const Compression format : kFormats) {
    const auto read = [&](const std::string& bytes,
                          const FixedLengthLayout& layout) {
      return ReadStrings(Records(bytes, layout, format));
    };
    EXPECT_EQ(read("HHaabbccF", {2, 2, 1}), (Texts{"aa", "bb", "cc"}));
    EXPECT_EQ(read("aabb", {.record_bytes = 2}), (Texts{"aa", "bb"}));
    EXPECT_EQ(read("aFFFFF", {.record_bytes = 1, .footer_bytes = 5}),
              (Texts{"a"}));
    EXPECT_EQ(read("HHF", {2, 2, 1}), Texts{});
    EXPECT_EQ(read("", {.record_bytes = 7}), Texts{});
  }
  EXPECT_EQ(ReadStrings(Dataset::FromFixedLengthRecords(
                {folder_ / "f", folder_ / "f"}, {.record_bytes = 1},
                Compression::kZlib)),
            Texts{});
}

TEST_F(FixedLengthTest, RefusesSizesThatDoNotFit) {
  ExpectError(
      [&] {
        ReadAll(Records("HHaabbccF", {4, 2, 1}));
      },
      Code::kInvalidArgument,
      "9 bytes minus a header of 2 and a footer of 1 are not a multiple "
      "of 4");
  ExpectError(
      [&] {
        ReadAll(Records("HH", {4, 20, 1}));
      },
      Code::kInvalidArgument, "2 bytes minus a header of 20");
}

// The length of an archive's content is known only at its end.
TEST_F(FixedLengthTest, ArchiveEndingWithinARecordIsDamaged) {
  DatasetIterator records =
      Records("HHaabbccF", {4, 2, 1}, Compression::kGzip).MakeIterator();
  EXPECT_EQ(ToText(records.GetNext()), "'aabb'");
  ExpectError([&] { records.GetNext(); }, Code::kDataLoss,
              ": ends at offset 9, within what begins at 6");
  EXPECT_FALSE(records.GetNextAsOptional().has_value());
  for (const std::string bytes : {"", "H", "HHH"}) {
    ExpectError(
        [&] {
          ReadAll(Records(bytes, {1, 2, 2}, Compression::kGzip));
        },
        Code::kDataLoss,
        "ends at offset " + std::to_string(bytes.size()) + ", within");
  }
}

// Allocates nothing for bytes that are missing.
TEST_F(FixedLengthTest, HugeRecordOfASmallFileTakesNoMemory) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  for (const FixedLengthLayout& layout :
       {FixedLengthLayout{kHuge, 0, 0}, FixedLengthLayout{1, kHuge, 0},
        FixedLengthLayout{kHuge, 0, kHuge}}) {
    ExpectError([&] { ReadAll(Records("abc", layout, Compression::kGzip)); },
                Code::kDataLoss, "ends at offset 3");
  }
}

TEST_F(FixedLengthTest, RefusesImpossibleLayouts) {
  ExpectError(
      [&] {
        Records("", {0, 0, 0});
      },
      Code::kInvalidArgument,
      "[FromFixedLengthRecords] record_bytes must be in 1..");
  ExpectError(
      [&] {
        Records("", {1, -1, 0});
      },
      Code::kInvalidArgument, "header_bytes must be in 0..");
  ExpectError(
      [&] {
        Records("", {1, 0, -1});
      },
      Code::kInvalidArgument,
      "footer_bytes must be in 0..1099511627776, got -1");
  ExpectError(
      [&] {
        Records("", {INT64_MAX, 0, 1});
      },
      Code::kInvalidArgument, "record_bytes must be in");
}

Texts TensorFlowsRecords() {
  std::string bytes;
  for (int i = 0; i < 512; ++i) bytes.push_back(static_cast<char>(i % 256));
  return {"", "a", "record two", bytes};
}

std::string TensorFlowsFile(const std::string& name) {
  return "reference/data/sources/testdata/" + name;
}

TEST(TFRecordsTest, ReadsTensorFlowsFiles) {
  const auto read = [](const std::string& name, Compression format) {
    return ReadStrings(Dataset::FromTFRecords({TensorFlowsFile(name)}, format));
  };
  EXPECT_EQ(read("records.tfrecord", Compression::kNone), TensorFlowsRecords());
  EXPECT_EQ(read("records.gzip.tfrecord", Compression::kGzip),
            TensorFlowsRecords());
  EXPECT_EQ(read("records.zlib.tfrecord", Compression::kZlib),
            TensorFlowsRecords());
}

void WriteRecords(const std::string& file, const Texts& records,
                  Compression format) {
  TFRecordWriter writer(file, format);
  for (const std::string& record : records) writer.Write(record);
  writer.Close();
}

TEST(TFRecordsTest, WritesTensorFlowsBytes) {
  const TestFolder folder;
  WriteRecords(folder / "a", TensorFlowsRecords(), Compression::kNone);
  EXPECT_EQ(ReadWholeFile(folder / "a"),
            ReadWholeFile(TensorFlowsFile("records.tfrecord")));
}

TEST(TFRecordsTest, ReadsWhatWasWritten) {
  const TestFolder folder;
  const Texts records = {"", std::string(1 << 20, 'x'), "y",
                         std::string(200000, '\0')};
  for (const Compression format : kFormats) {
    WriteRecords(folder / "a", records, format);
    WriteRecords(folder / "none", {}, format);
    const std::vector<std::string> files{folder / "a", folder / "none",
                                         folder / "a"};
    Texts twice = records;
    twice.insert(twice.end(), records.begin(), records.end());
    EXPECT_EQ(ReadStrings(Dataset::FromTFRecords(files, format)), twice);
  }
}

TEST(TFRecordsTest, FileAppearsOnClose) {
  const TestFolder folder;
  {
    TFRecordWriter writer(folder / "a");
    writer.Write("one");
  }
  EXPECT_TRUE(folder.names().empty());
  TFRecordWriter writer(folder / "a");
  writer.Close();
  EXPECT_EQ(ReadWholeFile(folder / "a"), "");
  ExpectError([&] { writer.Write("x"); }, Code::kFailedPrecondition,
              "[Write] " + folder / "a" + " is closed");
  ExpectError([&] { writer.Close(); }, Code::kFailedPrecondition, "[Close]");
  ExpectError([&] { TFRecordWriter(folder / "no/a"); }, Code::kNotFound,
              "no/a");
}

class DamagedRecordsTest : public testing::Test {
 protected:
  DamagedRecordsTest() {
    WriteRecords(folder_ / "whole", {"first", "second"}, Compression::kNone);
    bytes_ = ReadWholeFile(folder_ / "whole");
  }

  // Reads `bytes`, with the message of the first error in its place.
  Texts Read(const std::string& bytes) const {
    WriteWholeFile(folder_ / "a", bytes);
    DatasetIterator records =
        Dataset::FromTFRecords({folder_ / "a", folder_ / "whole"})
            .MakeIterator();
    Texts texts;
    Structure record;
    while (true) {
      try {
        if (!records.Next(&record)) return texts;
        texts.push_back(record.leaf().item<std::string>());
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), Code::kDataLoss);
        texts.push_back(e.what());
      }
    }
  }

  // Expects that `error` costs the rest of the file after its first record.
  void ExpectFirstAnd(const std::string& error, const std::string& bytes) {
    const std::string message =
        "[FromTFRecords] " + folder_ / "a" + ": " + error;
    const Texts texts = Read(bytes);
    ASSERT_EQ(texts.size(), 4u) << testing::PrintToString(texts);
    EXPECT_EQ(texts[0], "first");
    EXPECT_EQ(texts[1].substr(0, message.size()), message);
    EXPECT_EQ(texts[2], "first");
    EXPECT_EQ(texts[3], "second");
  }

  const TestFolder folder_;
  std::string bytes_;  // 21 and 22 of them
};

TEST_F(DamagedRecordsTest, ReportsEveryPrefixAsTruncated) {
  ASSERT_EQ(bytes_.size(), 43u);
  for (size_t size = 22; size < bytes_.size(); ++size) {
    ExpectFirstAnd(
        "the record at offset 21 is truncated at " + std::to_string(size),
        bytes_.substr(0, size));
  }
}

TEST_F(DamagedRecordsTest, FindsEveryChangedBit) {
  for (size_t at = 21; at < bytes_.size(); ++at) {
    std::string damaged = bytes_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    ExpectFirstAnd(std::string("the record at offset 21 is damaged: the "
                               "checksum of its ") +
                       (at < 33 ? "length" : "data"),
                   damaged);
  }
}

// As in a hostile file: the checksum is valid, the data are missing.
TEST_F(DamagedRecordsTest, HugeLengthTakesNoMemory) {
  for (const uint64_t length :
       {uint64_t{1} << 45, uint64_t{1} << 63, ~uint64_t{0}}) {
    std::string header(12, '\0');
    std::memcpy(header.data(), &length, 8);
    const uint32_t checksum = MaskCrc32c(Crc32c(header.substr(0, 8)));
    std::memcpy(header.data() + 8, &checksum, 4);
    ExpectFirstAnd("the record at offset 21 is truncated at ",
                   bytes_.substr(0, 21) + header + "abc");
  }
}

TEST(FileSourcesTest, MissingFileCostsThatFile) {
  const TestFolder folder;
  WriteRecords(folder / "b", {"x"}, Compression::kNone);
  DatasetIterator records =
      Dataset::FromTFRecords({folder / "a", folder / "b"}).MakeIterator();
  ExpectError([&] { records.GetNext(); }, Code::kNotFound,
              "[FromTFRecords] cannot open " + folder / "a");
  EXPECT_EQ(ToText(records.GetNext()), "'x'");
  ExpectError(
      [&] {
        ReadAll(Dataset::FromFixedLengthRecords({folder / "a"}, {1, 0, 0}));
      },
      Code::kNotFound, "[FromFixedLengthRecords] cannot open");
  ExpectError(
      [] {
        Dataset::FromTFRecords({"a", ""});
      },
      Code::kInvalidArgument, "[FromTFRecords] a file has no name");
}

TEST(FileSourcesTest, UnreadableFileOfAGlobCostsThatFile) {
  const TestFolder folder;
  WriteRecords(folder / "a", {"x"}, Compression::kNone);
  std::filesystem::create_directory(folder / "b");
  WriteRecords(folder / "c", {"y"}, Compression::kNone);
  const auto read = [](const Structure& file) {
    return Dataset::FromTFRecords({file.leaf().item<std::string>()});
  };
  DatasetIterator records = Dataset::ListFiles({folder / "*"}, false)
                                .Interleave(read, {.cycle_length = 1})
                                .MakeIterator();
  EXPECT_EQ(ToText(records.GetNext()), "'x'");
  ExpectError([&] { records.GetNext(); }, Code::kUnavailable, folder / "b");
  EXPECT_EQ(ToText(records.GetNext()), "'y'");
  EXPECT_FALSE(records.GetNextAsOptional().has_value());
}

class ListFilesTest : public testing::Test {
 protected:
  ListFilesTest() {
    for (const char* name : {"b", "a", "B", ".h", "c1", "c10", "c2"}) {
      WriteWholeFile(folder_ / name, "");
    }
  }

  Texts Names(const Dataset& files) const {
    Texts names = ReadStrings(files);
    for (std::string& name : names)
      name = name.substr(folder_.path().size() + 1);
    return names;
  }

  const TestFolder folder_;
};

TEST_F(ListFilesTest, AreSortedByBytesAndUnique) {
  EXPECT_EQ(Names(Dataset::ListFiles({folder_ / "*"}, /*shuffle=*/false)),
            (Texts{"B", "a", "b", "c1", "c10", "c2"}));
  EXPECT_EQ(Names(Dataset::ListFiles(
                {folder_ / "c*", folder_ / "[ac]1", folder_ / "none*"},
                /*shuffle=*/false)),
            (Texts{"c1", "c10", "c2"}));
}

TEST_F(ListFilesTest, ReshufflesBySeedEachPass) {
  const auto list = [&] {
    return Dataset::ListFiles({folder_ / "*"}, /*shuffle=*/true, /*seed=*/3);
  };
  const Dataset files = list();
  const Texts first = Names(files);
  const Texts second = Names(files);
  EXPECT_NE(first, second);
  const Dataset same = list();
  EXPECT_EQ(Names(same), first);
  EXPECT_EQ(Names(same), second);
  Texts sorted = first;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, (Texts{"B", "a", "b", "c1", "c10", "c2"}));
  EXPECT_EQ(files.cardinality(), 6);
}

TEST_F(ListFilesTest, RefusesPatternsWithoutMatch) {
  ExpectError(
      [&] {
        Dataset::ListFiles({folder_ / "z*", "/none/*"});
      },
      Code::kInvalidArgument,
      "[ListFiles] no files matched pattern: " + folder_ / "z*" + ", /none/*");
  ExpectError([] { Dataset::ListFiles({}); }, Code::kInvalidArgument,
              "no files matched");
}

}  // namespace
}  // namespace lockstep
