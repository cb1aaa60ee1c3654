#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/base/atomic_file.h"
#include "reference/base/error.h"
#include "reference/base/files/folder.h"
#include "reference/data/element.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor_bundle/bundle_files.h"
#include "reference/tensor_bundle/tensor_bundle.h"

namespace lockstep::data_internal {
namespace {

// What a complete pass has left behind; shared by all passes.
template <typename Item>
class CacheMemory {
 public:
  using Items = std::shared_ptr<const std::vector<Item>>;

  Items items() const {
    std::lock_guard lock(mutex_);
    return items_;
  }
  // The first complete pass decides, as another may have another order; it
  // began in `start`.
  void Offer(std::vector<Item> items, PassState start) {
    std::lock_guard lock(mutex_);
    if (items_ != nullptr) return;
    items_ = std::make_shared<const std::vector<Item>>(std::move(items));
    start_ = std::move(start);
  }
  // Of the pass that was kept.
  const PassState& start() const { return start_; }

 private:
  mutable std::mutex mutex_;
  Items items_;
  PassState start_;
};

template <typename Item>
class CachingReader final : public Reader<Item> {
 public:
  // `start`: in what state the pass began.
  CachingReader(ReaderPtr<Item> input,
                std::shared_ptr<CacheMemory<Item>> memory, PassState start)
      : input_(std::move(input)),
        memory_(std::move(memory)),
        start_(std::move(start)) {}

  int64_t Next(std::span<Item> out) override {
    if (memory_ == nullptr) return 0;
    const int64_t read = Read(out);
    seen_.insert(seen_.end(), out.begin(), out.begin() + read);
    if (read == 0) {
      if (complete_) memory_->Offer(std::move(seen_), std::move(start_));
      memory_ = nullptr;
    }
    return read;
  }

 private:
  // A pass that lost an item to an error must not become everybody's.
  int64_t Read(std::span<Item> out) {
    try {
      return input_->Next(out);
    } catch (...) {
      complete_ = false;
      throw;
    }
  }

  ReaderPtr<Item> input_;
  std::shared_ptr<CacheMemory<Item>> memory_;
  PassState start_;
  std::vector<Item> seen_;
  bool complete_ = true;
};

template <typename Item>
class CachedReader final : public Reader<Item> {
 public:
  explicit CachedReader(typename CacheMemory<Item>::Items items)
      : items_(std::move(items)) {}

  int64_t Next(std::span<Item> out) override {
    const int64_t read =
        std::min<int64_t>(std::ssize(out), std::ssize(*items_) - next_);
    std::copy_n(items_->begin() + next_, read, out.begin());
    next_ += read;
    return read;
  }

 private:
  typename CacheMemory<Item>::Items items_;
  int64_t next_ = 0;
};

class CacheNode final : public SelectionNode<CacheNode> {
 public:
  explicit CacheNode(NodePtr input)
      : SelectionNode(NodeKind::kCache, std::move(input)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<CacheNode>(std::move(inputs.front()));
  }

  template <typename Item>
  ReaderPtr<Item> MakeReader() const {
    const auto& memory = Memory<Item>();
    if (auto items = memory->items()) {
      return std::make_unique<CachedReader<Item>>(std::move(items));
    }
    PassState start;
    input().SavePasses(start);
    return std::make_unique<CachingReader<Item>>(Open<Item>(input()), memory,
                                                 std::move(start));
  }

  // Another process fills its cache by a pass like the one that filled this.
  void SavePasses(PassState& state) const override {
    if (rows_->items() == nullptr && elements_->items() == nullptr) {
      return DatasetNode::SavePasses(state);
    }
    const PassState& start =
        rows_->items() != nullptr ? rows_->start() : elements_->start();
    state.insert(state.end(), start.begin(), start.end());
  }

 private:
  template <typename Item>
  const std::shared_ptr<CacheMemory<Item>>& Memory() const {
    if constexpr (std::is_same_v<Item, int64_t>) return rows_;
    if constexpr (std::is_same_v<Item, Structure>) return elements_;
  }

  std::shared_ptr<CacheMemory<int64_t>> rows_ =
      std::make_shared<CacheMemory<int64_t>>();
  std::shared_ptr<CacheMemory<Structure>> elements_ =
      std::make_shared<CacheMemory<Structure>>();
};

}  // namespace

NodePtr MakeCache(NodePtr input) {
  return std::make_shared<CacheNode>(std::move(input));
}

namespace {

using tensor_bundle_internal::BundleExists;

// Component `component` of element `element`, of `components` in all. Padded,
// so that the order of the names is that of the elements.
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

  // A pass that lost an element to an error must not become everybody's.
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
          "[Cache] elements without a tensor cannot be kept in a file");
    }
    for (size_t i = 0; i < components.size(); ++i) {
      writer_->Add(KeyOf(written_, i, components.size()), components[i]);
    }
    ++written_;
  }

  // The first complete pass decides, as another may have another order.
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
        "[Cache] {} holds {} tensors, wanted {} an element; is it another "
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
      : DatasetNode(NodeKind::kFileCache, {std::move(input)}),
        prefix_(std::move(prefix)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<FileCacheNode>(std::move(inputs.front()), prefix_);
  }
  SpecStructure element_spec() const override { return input().element_spec(); }
  bool spec_is_declared() const override { return input().spec_is_declared(); }
  int64_t cardinality() const override { return input().cardinality(); }

  ReaderPtr<Structure> OpenElements() const override {
    if (BundleExists(prefix_)) {
      return std::make_unique<BundleReader>(prefix_, element_spec());
    }
    return std::make_unique<SavingReader>(input().OpenElements(), prefix_);
  }

 private:
  const std::string prefix_;
};

}  // namespace

NodePtr MakeFileCache(NodePtr input, std::string prefix) {
  return std::make_shared<FileCacheNode>(std::move(input), std::move(prefix));
}

}  // namespace lockstep::data_internal
