// How it works. The first pass that reads a cache to its end fills it; later
// ones read from memory. The order of the items depends on the shuffles before
// the cache, so the cache keeps their orders with the items (orders_).
//
// A reader that opens the cache before it is filled reads the input as a
// separate pass (Pass::At), in the orders that it takes from its own pass.
// Several may do so at once, each with other orders: the first complete one is
// kept (Offer), unless it lost an item to an error or a state was restored
// since.
//
// The state of a cache is its orders, not its items (pass.h), so another
// process can fill its own cache in the same order although its shuffles are
// further on. Restore sets flags, which the next Open resolves:
//
//   saved cache   items here        Open
//   filled        of these orders   gives them
//   filled        none, or others   reads the input in the saved orders
//   not filled    none              reads the input in the next pass's orders
//   not filled    some: in doubt    takes the next pass's orders, and gives the
//                                   items if they have these, else reads
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

using Orders = std::vector<ShuffleOrder>;

template <typename Item>
class CacheMemory final : public PassMemory {
 public:
  explicit CacheMemory(NodePtr input) : input_(std::move(input)) {}

  // The items if the cache is filled, else the pass that may fill it.
  struct Opening {
    Items<Item> items;
    PassPtr pass = nullptr;
    Orders orders = {};
    int64_t restores = 0;
  };

  // For a reader that opens the cache in `pass`.
  Opening Open(const PassPtr& pass) {
    const std::lock_guard lock(mutex_);
    if (items_ && !is_in_doubt_) return {.items = items_};
    const Orders orders =
        is_filled_elsewhere_ ? orders_ : pass->OpenAll(*input_);
    is_in_doubt_ = false;
    if (items_ && orders_ == orders) return {.items = items_};
    items_ = nullptr;
    return {nullptr, Pass::At(*input_, orders), orders, restores_};
  }

  // Offers the items of a complete pass. The first one is kept, as another may
  // have another order.
  void Offer(std::vector<Item> items, const Opening& opening) {
    const std::lock_guard lock(mutex_);
    if (items_ || opening.restores != restores_) return;
    items_ = std::make_shared<const std::vector<Item>>(std::move(items));
    orders_ = opening.orders;
  }

  void Save(PassState& state) const override {
    const std::lock_guard lock(mutex_);
    const bool filled = is_filled_elsewhere_ || (items_ && !is_in_doubt_);
    Orders orders = filled ? orders_ : NoOrders();
    state.push_back(filled ? 1 : 0);
    for (const ShuffleOrder& order : orders) {
      state.insert(state.end(), {order.seed, order.pass});
    }
  }

  void Restore(std::span<const uint64_t>& state, PassScope scope) override {
    const bool filled = state.front() != 0;
    Orders orders = NoOrders();
    state = state.subspan(1);
    for (ShuffleOrder& order : orders) {
      order = {state[0], state[1]};
      state = state.subspan(2);
    }
    if (scope == PassScope::kCounts) return;
    const std::lock_guard lock(mutex_);
    ++restores_;
    is_filled_elsewhere_ = filled;
    is_in_doubt_ = items_ && !filled;
    if (!filled || orders_ == orders) return;
    items_ = nullptr;
    orders_ = std::move(orders);
  }

 private:
  Orders NoOrders() const { return Orders(CountShuffles(*input_)); }

  const NodePtr input_;
  mutable std::mutex mutex_;
  Items<Item> items_;
  Orders orders_;  // of the pass that fills the cache
  // A restored state is of a cache that was filled, in orders_.
  bool is_filled_elsewhere_ = false;
  // A restored state is of a cache that was not filled: `items_` are valid only
  // if the next pass has the same orders.
  bool is_in_doubt_ = false;
  int64_t restores_ = 0;
};

template <typename Item>
class CachingReader final : public Reader<Item> {
 public:
  using Memory = CacheMemory<Item>;

  CachingReader(ReaderPtr<Item> input, std::shared_ptr<Memory> memory,
                typename Memory::Opening opening)
      : input_(std::move(input)),
        memory_(std::move(memory)),
        opening_(std::move(opening)) {}

  int64_t Next(std::span<Item> out) override {
    if (memory_ == nullptr) return 0;
    const int64_t read = Read(out);
    seen_.insert(seen_.end(), out.begin(), out.begin() + read);
    if (read == 0) {
      if (complete_) memory_->Offer(std::move(seen_), opening_);
      memory_ = nullptr;
    }
    return read;
  }

 private:
  // A pass that lost an item to an error must not fill the cache.
  int64_t Read(std::span<Item> out) {
    try {
      return input_->Next(out);
    } catch (...) {
      complete_ = false;
      throw;
    }
  }

  ReaderPtr<Item> input_;
  std::shared_ptr<Memory> memory_;
  typename Memory::Opening opening_;
  std::vector<Item> seen_;
  bool complete_ = true;
};

class CacheNode final : public SelectionNode<CacheNode> {
 public:
  explicit CacheNode(NodePtr input)
      : SelectionNode("Cache", std::move(input), NodeKind::kCache) {
    if (table() != nullptr) {
      rows_ = std::make_shared<CacheMemory<int64_t>>(inputs().front());
    } else {
      elements_ = std::make_shared<CacheMemory<Structure>>(inputs().front());
    }
  }

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<CacheNode>(std::move(inputs.front()));
  }
  NodePtr KeepForm(const std::string& name, NodePtr form) const override {
    const std::lock_guard lock(forms_mutex_);
    return forms_.try_emplace(name, std::move(form)).first->second;
  }

  PassMemory* memory() const override {
    return rows_ ? static_cast<PassMemory*>(rows_.get()) : elements_.get();
  }

  template <typename Item>
  ReaderPtr<Item> MakeReader(const PassPtr& pass) const {
    const std::shared_ptr<CacheMemory<Item>>& memory = Memory<Item>();
    auto opening = memory->Open(pass);
    if (opening.items) {
      return std::make_unique<ItemsReader<Item>>(std::move(opening.items));
    }
    auto items = Open<Item>(input(), opening.pass);
    return std::make_unique<CachingReader<Item>>(std::move(items), memory,
                                                 std::move(opening));
  }

 private:
  template <typename Item>
  const std::shared_ptr<CacheMemory<Item>>& Memory() const {
    if constexpr (std::is_same_v<Item, int64_t>) return rows_;
    if constexpr (std::is_same_v<Item, Structure>) return elements_;
  }

  // Row numbers if the elements are rows of a table, else elements.
  std::shared_ptr<CacheMemory<int64_t>> rows_;
  std::shared_ptr<CacheMemory<Structure>> elements_;

  mutable std::mutex forms_mutex_;
  mutable std::map<std::string, NodePtr> forms_;
};

}  // namespace

NodePtr MakeCache(NodePtr input) {
  return std::make_shared<CacheNode>(std::move(input));
}

}  // namespace lockstep::data_internal
