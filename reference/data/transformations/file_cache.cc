#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "reference/base/atomic_file.h"
#include "reference/base/error.h"
#include "reference/base/files/folder.h"
#include "reference/data/element.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor_bundle/bundle_files.h"
#include "reference/tensor_bundle/tensor_bundle.h"

namespace lockstep::data_internal {
namespace {

using tensor_bundle_internal::BundleExists;

// The key of a component of an element with `components` components. Padded, so
// that the keys sort in the order of the elements.
std::string KeyOf(int64_t element, size_t component, size_t components) {
  const size_t digits = fmt::formatted_size("{}", components - 1);
  return fmt::format("{:7}_{:{}}", element, component, digits);
}

class SavingReader final : public Reader<Structure> {
 public:
  SavingReader(ReaderPtr<Structure> input, std::string prefix)
      : input_(std::move(input)), prefix_(std::move(prefix)) {
    writer_.emplace(prefix_);
  }

  // A pass that lost an element to an error must not fill the cache.
  int64_t Next(std::span<Structure> out) override {
    if (ended_) return 0;
    try {
      const int64_t read = input_->Next(out);
      for (const Structure& element : out.first(read)) Write(element);
      if (read == 0) End();
      return read;
    } catch (...) {
      writer_.reset();
      throw;
    }
  }

 private:
  void Write(const Structure& element) {
    if (!writer_) return;
    const std::vector<Tensor> components = element.Flatten();
    if (components.empty()) {
      throw InvalidArgument(
          "[Cache] elements without a tensor cannot be written to a file");
    }
    for (size_t i = 0; i < components.size(); ++i) {
      writer_->Add(KeyOf(written_, i, components.size()), components[i]);
    }
    ++written_;
  }

  // Keeps the first complete pass, as another may have another order.
  void End() {
    ended_ = true;
    if (!writer_) return;
    const FolderLock lock(FolderOf(prefix_));
    if (!BundleExists(prefix_)) writer_->Finish();
    writer_.reset();
  }

  ReaderPtr<Structure> input_;
  const std::string prefix_;
  std::optional<TensorBundleWriter> writer_;  // of a pass that may be kept
  int64_t written_ = 0;
  bool ended_ = false;
};

class BundleReader final : public Reader<Structure> {
 public:
  BundleReader(const std::string& prefix, SpecStructure spec)
      : reader_(prefix),
        spec_(std::move(spec)),
        components_(spec_.Flatten().size()) {
    const size_t tensors = reader_.keys().size();
    if (components_ > 0) count_ = static_cast<int64_t>(tensors / components_);
    const bool whole =
        count_ * components_ == tensors &&
        (count_ == 0 || reader_.Contains(KeyOf(count_ - 1, 0, components_)));
    if (whole) return;
    throw InvalidArgument(
        "[Cache] {} holds {} tensors, wanted {} per element; is it another "
        "dataset's cache?",
        prefix, tensors, components_);
  }

  int64_t Next(std::span<Structure> out) override {
    const int64_t read = std::min<int64_t>(std::ssize(out), count_ - next_);
    for (Structure& element : out.first(read)) element = Element(next_++);
    return read;
  }

 private:
  Structure Element(int64_t index) const {
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < components_; ++i) {
      tensors.push_back(reader_.Read(KeyOf(index, i, components_)));
    }
    Structure element = spec_.PackLike(tensors);
    CheckElement("Cache", spec_, element);
    return element;
  }

  const TensorBundleReader reader_;
  const SpecStructure spec_;
  const size_t components_;
  int64_t count_ = 0;
  int64_t next_ = 0;
};

class FileCacheNode final : public DatasetNode {
 public:
  FileCacheNode(NodePtr input, std::string prefix)
      : DatasetNode("FileCache", {std::move(input)}),
        prefix_(std::move(prefix)) {}

  std::string arguments() const override {
    return Arguments().Add("file", prefix_).text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<FileCacheNode>(std::move(inputs.front()), prefix_);
  }
  SpecStructure MakeSpec() const override { return input().element_spec(); }
  bool DeclaresSpec() const override { return input().spec_is_declared(); }
  int64_t CountElements() const override { return input().cardinality(); }

  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    if (BundleExists(prefix_)) {
      return std::make_unique<BundleReader>(prefix_, element_spec());
    }
    return std::make_unique<SavingReader>(input().OpenElements(pass), prefix_);
  }

 private:
  const std::string prefix_;
};

}  // namespace

NodePtr MakeFileCache(NodePtr input, std::string prefix) {
  return std::make_shared<FileCacheNode>(std::move(input), std::move(prefix));
}

}  // namespace lockstep::data_internal
