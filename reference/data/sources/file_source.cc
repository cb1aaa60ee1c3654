#include "reference/data/sources/file_source.h"

#include <cstdint>
#include <span>
#include <utility>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/data/sources/sources.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

class FilesReader final : public Reader<Structure> {
 public:
  FilesReader(std::vector<std::string> files, OpenRecordFile open)
      : files_(std::move(files)), open_(std::move(open)) {}

  int64_t Next(std::span<Structure> out) override {
    while (file_ != nullptr || next_ < files_.size()) {
      if (file_ == nullptr) file_ = open_(files_[next_++]);
      Tensor record = EmptyOnHost(Shape{}, DType::kString);
      if (Read(record.mutable_data<std::string>())) {
        out.front() = std::move(record);
        return 1;
      }
      file_ = nullptr;
    }
    return 0;
  }

 private:
  // A file that fails is left.
  bool Read(std::string* record) {
    try {
      return file_->Next(record);
    } catch (...) {
      file_ = nullptr;
      throw;
    }
  }

  std::vector<std::string> files_;
  OpenRecordFile open_;
  size_t next_ = 0;                   // behind the one that is read
  std::unique_ptr<RecordFile> file_;  // nullptr: to be opened
};

class FileSourceNode final : public SourceNode {
 public:
  FileSourceNode(NodeKind kind, std::vector<std::string> files,
                 OpenRecordFile open)
      : SourceNode(kind), files_(std::move(files)), open_(std::move(open)) {}

  SpecStructure MakeSpec() const override {
    return TensorSpec{Shape{}, DType::kString};
  }
  bool DeclaresSpec() const override { return true; }
  int64_t CountElements() const override {
    return files_.empty() ? 0 : kUnknownCardinality;
  }
  ReaderPtr<Structure> OpenElements(const PassPtr&) const override {
    return std::make_unique<FilesReader>(files_, open_);
  }

  const std::vector<std::string>& files() const { return files_; }

  NodePtr Shard(int64_t num_shards, int64_t index) const {
    std::vector<std::string> own;
    for (int64_t i = index; i < std::ssize(files_); i += num_shards) {
      own.push_back(files_[i]);
    }
    return std::make_shared<FileSourceNode>(kind(), std::move(own), open_);
  }

 private:
  std::vector<std::string> files_;
  OpenRecordFile open_;
};

const FileSourceNode& AsFileSource(const DatasetNode& node) {
  LOCKSTEP_CHECK(ReadsFiles(node.kind()));
  return static_cast<const FileSourceNode&>(node);
}

}  // namespace

NodePtr MakeFileSource(NodeKind kind, std::string_view operation,
                       std::vector<std::string> files, OpenRecordFile open) {
  LOCKSTEP_CHECK(ReadsFiles(kind));
  for (const std::string& file : files) {
    if (file.empty())
      throw InvalidArgument("[{}] a file has no name", operation);
  }
  return std::make_shared<FileSourceNode>(kind, std::move(files),
                                          std::move(open));
}

const std::vector<std::string>& FilesOf(const DatasetNode& source) {
  return AsFileSource(source).files();
}

NodePtr MakeFileShard(const DatasetNode& source, int64_t num_shards,
                      int64_t index) {
  return AsFileSource(source).Shard(num_shards, index);
}

}  // namespace lockstep::data_internal
