#include "reference/data/sources/file_source.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "reference/base/error.h"
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
  // Closes a file that fails.
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
  size_t next_ = 0;                   // after the one that is open
  std::unique_ptr<RecordFile> file_;  // nullptr: none is open
};

// "files=[a, b]": the first ones if there are many.
std::string FilesText(const std::vector<std::string>& files) {
  constexpr size_t kMost = 4;
  const auto shown = std::span(files).first(std::min(files.size(), kMost));
  const std::string more =
      files.size() > kMost ? fmt::format(", ... {} in all", files.size()) : "";
  return fmt::format("files=[{}{}]", fmt::join(shown, ", "), more);
}

class FileSourceNode final : public SourceNode {
 public:
  FileSourceNode(std::string_view name, std::vector<std::string> files,
                 OpenRecordFile open, Arguments arguments)
      : SourceNode(name),
        files_(std::move(files)),
        open_(std::move(open)),
        arguments_(std::move(arguments)) {}

  std::string arguments() const override {
    const std::string others = arguments_.text();
    return FilesText(files_) + (others.empty() ? "" : ", " + others);
  }
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

  const std::vector<std::string>* files() const override { return &files_; }
  NodePtr WithFiles(std::vector<std::string> files) const override {
    return std::make_shared<FileSourceNode>(name(), std::move(files), open_,
                                            arguments_);
  }

 private:
  std::vector<std::string> files_;
  OpenRecordFile open_;
  Arguments arguments_;
};

}  // namespace

NodePtr MakeFileSource(std::string_view name, std::string_view operation,
                       std::vector<std::string> files, OpenRecordFile open,
                       const Arguments& arguments) {
  for (const std::string& file : files) {
    if (file.empty())
      throw InvalidArgument("[{}] a file has no name", operation);
  }
  return std::make_shared<FileSourceNode>(name, std::move(files),
                                          std::move(open), arguments);
}

}  // namespace lockstep::data_internal
