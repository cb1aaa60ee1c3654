#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/data/sources/sources.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

// A text file that is read line by line.
class TextFile {
 public:
  // Errors: NotFound and others of opening.
  explicit TextFile(const std::string& name)
      : name_(name), file_(std::fopen(name.c_str(), "re")) {
    if (file_ == nullptr) {
      throw SystemError(errno, "[FromTextLines] cannot open {}", name_);
    }
  }
  ~TextFile() {
    std::free(line_);
    std::fclose(file_);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  // The next line, good until the next call; nothing at the end.
  std::optional<std::string_view> ReadLine() {
    errno = 0;
    const ssize_t length = getline(&line_, &room_, file_);
    if (length < 0) {
      if (std::feof(file_)) return std::nullopt;
      throw SystemError(errno, "[FromTextLines] cannot read {}", name_);
    }
    std::string_view line(line_, length);
    if (line.ends_with('\n')) {
      line.remove_suffix(1);
      if (line.ends_with('\r')) line.remove_suffix(1);
    }
    return line;
  }

 private:
  std::string name_;
  std::FILE* file_;
  char* line_ = nullptr;  // getline's
  size_t room_ = 0;
};

class TextLinesReader final : public Reader<Structure> {
 public:
  explicit TextLinesReader(std::vector<std::string> files)
      : files_(std::move(files)) {}

  int64_t Next(std::span<Structure> out) override {
    while (file_ != nullptr || next_ < files_.size()) {
      if (file_ == nullptr) file_ = std::make_unique<TextFile>(files_[next_++]);
      if (const auto line = ReadLine()) {
        out.front() =
            Tensor::Scalar<std::string>(std::string(*line), CurrentHost());
        return 1;
      }
      file_ = nullptr;
    }
    return 0;
  }

 private:
  // A file that fails is left.
  std::optional<std::string_view> ReadLine() {
    try {
      return file_->ReadLine();
    } catch (...) {
      file_ = nullptr;
      throw;
    }
  }

  std::vector<std::string> files_;
  size_t next_ = 0;                 // behind the one that is read
  std::unique_ptr<TextFile> file_;  // nullptr: to be opened
};

class TextLinesNode final : public SourceNode {
 public:
  explicit TextLinesNode(std::vector<std::string> files)
      : SourceNode(NodeKind::kTextLines), files_(std::move(files)) {}

  SpecStructure element_spec() const override {
    return TensorSpec{Shape{}, DType::kString};
  }
  bool spec_is_declared() const override { return true; }
  int64_t cardinality() const override {
    return files_.empty() ? 0 : kUnknownCardinality;
  }
  ReaderPtr<Structure> OpenElements() const override {
    return std::make_unique<TextLinesReader>(files_);
  }

  const std::vector<std::string>& files() const { return files_; }

 private:
  std::vector<std::string> files_;
};

}  // namespace

NodePtr MakeTextLines(std::vector<std::string> files) {
  for (const std::string& file : files) {
    if (file.empty()) {
      throw InvalidArgument("[FromTextLines] a file has no name");
    }
  }
  return std::make_shared<TextLinesNode>(std::move(files));
}

NodePtr MakeFileShard(const DatasetNode& lines, int64_t num_shards,
                      int64_t index) {
  LOCKSTEP_CHECK(lines.kind() == NodeKind::kTextLines);
  const auto& files = static_cast<const TextLinesNode&>(lines).files();
  if (std::ssize(files) < num_shards) {
    throw InvalidArgument(
        "[AutoShard] the dataset has {} file(s), which is not enough for {} "
        "workers: each needs one under the policy FILE",
        files.size(), num_shards);
  }
  std::vector<std::string> own;
  for (int64_t i = index; i < std::ssize(files); i += num_shards) {
    own.push_back(files[i]);
  }
  return std::make_shared<TextLinesNode>(std::move(own));
}

}  // namespace lockstep::data_internal
