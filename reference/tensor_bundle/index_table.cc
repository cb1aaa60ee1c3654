#include "reference/tensor_bundle/index_table.h"

#include <google/protobuf/io/coded_stream.h>
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <memory>
#include <new>

#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep::tensor_bundle_internal {
namespace {

// TensorFlow's block size; a small checkpoint's index is one block.
constexpr size_t kBlockSize = 256 << 10;

class StringFile : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& bytes) override {
    content.append(bytes.data(), bytes.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

  std::string content;
};

class ViewedFile : public leveldb::RandomAccessFile {
 public:
  explicit ViewedFile(std::string_view bytes) : bytes_(bytes) {}

  leveldb::Status Read(uint64_t offset, size_t size, leveldb::Slice* result,
                       char* /*scratch*/) const override {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      return leveldb::Status::Corruption("block past the end of the file");
    }
    *result = leveldb::Slice(bytes_.data() + offset, size);
    return leveldb::Status::OK();
  }

 private:
  std::string_view bytes_;
};

void CheckStatus(const leveldb::Status& status, const std::string& file) {
  if (status.ok()) return;
  throw DataLoss("[TensorBundle] {} is not an intact table: {}", file,
                 status.ToString());
}

// A table ends with a footer: the offset and size of the metaindex block and of
// the index block, as four varints padded to 40 bytes, then a magic number.
constexpr size_t kHandlesSize = 40;
constexpr size_t kFooterSize = kHandlesSize + 8;

// The footer has no checksum, and LevelDB allocates a block of the size that it
// gives before it reads the block. So check first that both blocks are inside
// the file.
void CheckFooter(std::string_view bytes, const std::string& file) {
  if (bytes.size() < kFooterSize) return;  // LevelDB refuses it
  const size_t end_of_blocks = bytes.size() - kFooterSize;
  google::protobuf::io::CodedInputStream handles(
      reinterpret_cast<const uint8_t*>(bytes.data()) + end_of_blocks,
      kHandlesSize);
  for (int i = 0; i < 2; ++i) {
    uint64_t offset = 0, size = 0;
    const bool is_read =
        handles.ReadVarint64(&offset) && handles.ReadVarint64(&size);
    if (!is_read || offset > end_of_blocks || size > end_of_blocks - offset) {
      throw DataLoss(
          "[TensorBundle] {} is not an intact table: its {} bytes of blocks "
          "cannot contain one of {} bytes at {}",
          file, end_of_blocks, size, offset);
    }
  }
}

IndexEntries ReadTable(const ViewedFile& view, size_t size,
                       const std::string& file) {
  leveldb::Options options;
  options.paranoid_checks = true;
  leveldb::Table* opened = nullptr;
  CheckStatus(leveldb::Table::Open(options, const_cast<ViewedFile*>(&view),
                                   size, &opened),
              file);
  const std::unique_ptr<leveldb::Table> table(opened);
  leveldb::ReadOptions read_options;
  read_options.verify_checksums = true;
  read_options.fill_cache = false;
  const std::unique_ptr<leveldb::Iterator> entry(
      table->NewIterator(read_options));
  IndexEntries entries;
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
    const std::string key = entry->key().ToString();
    if (!entries.empty() && key <= entries.rbegin()->first) {
      throw DataLoss("[TensorBundle] {}: key '{}' comes after '{}'", file, key,
                     entries.rbegin()->first);
    }
    entries.emplace_hint(entries.end(), key, entry->value().ToString());
  }
  CheckStatus(entry->status(), file);
  return entries;
}

}  // namespace

std::string BuildIndexTable(const IndexEntries& entries) {
  leveldb::Options options;
  options.compression = leveldb::kNoCompression;
  options.block_size = kBlockSize;
  StringFile file;
  leveldb::TableBuilder builder(options, &file);
  try {
    for (const auto& [key, value] : entries) builder.Add(key, value);
    builder.Flush();
  } catch (const std::bad_alloc&) {
    builder.Abandon();  // LevelDB requires Finish or Abandon
    throw;
  }
  LOCKSTEP_CHECK(builder.Finish().ok());  // a StringFile does not fail
  return std::move(file.content);
}

IndexEntries ParseIndexTable(std::string_view bytes, const std::string& file) {
  CheckFooter(bytes, file);
  try {
    return ReadTable(ViewedFile(bytes), bytes.size(), file);
  } catch (const std::bad_alloc&) {
    throw DataLoss(
        "[TensorBundle] {} is not an intact table: a block is too large for "
        "the memory",
        file);
  }
}

}  // namespace lockstep::tensor_bundle_internal
