#include "reference/data/transformations/cache.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

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
  // The first complete pass decides, as another may have another order.
  void Offer(std::vector<Item> items) {
    std::lock_guard lock(mutex_);
    if (items_ != nullptr) return;
    items_ = std::make_shared<const std::vector<Item>>(std::move(items));
  }

 private:
  mutable std::mutex mutex_;
  Items items_;
};

template <typename Item>
class CachingStream final : public Stream<Item> {
 public:
  CachingStream(StreamPtr<Item> input,
                std::shared_ptr<CacheMemory<Item>> memory)
      : input_(std::move(input)), memory_(std::move(memory)) {}

  int64_t Next(std::span<Item> out) override {
    if (memory_ == nullptr) return 0;
    const int64_t read = Read(out);
    seen_.insert(seen_.end(), out.begin(), out.begin() + read);
    if (read == 0) {
      if (complete_) memory_->Offer(std::move(seen_));
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

  StreamPtr<Item> input_;
  std::shared_ptr<CacheMemory<Item>> memory_;
  std::vector<Item> seen_;
  bool complete_ = true;
};

template <typename Item>
class CachedStream final : public Stream<Item> {
 public:
  explicit CachedStream(typename CacheMemory<Item>::Items items)
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
  using SelectionNode::SelectionNode;

  template <typename Item>
  StreamPtr<Item> MakeStream() const {
    const auto& memory = Memory<Item>();
    if (auto items = memory->items()) {
      return std::make_unique<CachedStream<Item>>(std::move(items));
    }
    return std::make_unique<CachingStream<Item>>(Open<Item>(input()), memory);
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

}  // namespace lockstep::data_internal
