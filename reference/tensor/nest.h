// A nest: a leaf, a tuple of nests, or a dictionary of nests.
//
//   Structure element = Structure::Tuple({images, labels});
//   Tensor labels = element[1];                      // or element[1].leaf()
//   Structure doubled = element.Map<Tensor>(Double); // leaf by leaf
//   auto named = Structure::Dict({{"x", x}, {"y", y}});
//   Tensor again = named["x"];                       // x
//
// Dictionaries keep their keys sorted, as tf.nest visits them.
#ifndef LOCKSTEP_REFERENCE_TENSOR_NEST_H_
#define LOCKSTEP_REFERENCE_TENSOR_NEST_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

enum class NestKind { kLeaf, kTuple, kDict };

template <typename Leaf>
class Nest {
 public:
  Nest() = default;                            // a default leaf
  Nest(Leaf leaf) : leaf_(std::move(leaf)) {}  // NOLINT: a leaf is a nest
  static Nest Tuple(std::vector<Nest> items) {
    Nest nest;
    nest.kind_ = NestKind::kTuple;
    nest.items_ = std::move(items);
    return nest;
  }
  static Nest Dict(std::vector<std::pair<std::string, Nest>> items) {
    std::ranges::sort(items, {}, &std::pair<std::string, Nest>::first);
    Nest nest;
    nest.kind_ = NestKind::kDict;
    for (auto& [key, item] : items) {
      nest.keys_.push_back(std::move(key));
      nest.items_.push_back(std::move(item));
    }
    return nest;
  }

  NestKind kind() const { return kind_; }
  bool is_leaf() const { return kind_ == NestKind::kLeaf; }
  // Errors: InvalidArgument unless is_leaf().
  const Leaf& leaf() const {
    CheckLeaf();
    return leaf_;
  }
  Leaf& leaf() {
    CheckLeaf();
    return leaf_;
  }
  // Converts a leaf implicitly: Tensor x = batch[0]. Not for numbers, with
  // which nest["key"] would be ambiguous.
  operator const Leaf&() const requires std::is_class_v<Leaf> {  // NOLINT
    return leaf();
  }
  // The items of a tuple or dictionary (none for a leaf), and the keys of a
  // dictionary.
  const std::vector<Nest>& items() const { return items_; }
  const std::vector<std::string>& keys() const { return keys_; }
  size_t size() const { return items_.size(); }

  // Errors: InvalidArgument for an index or key that does not exist.
  const Nest& operator[](size_t index) const {
    if (index >= items_.size()) {
      throw InvalidArgument("[Nest] item {} of {} does not exist", index,
                            items_.size());
    }
    return items_[index];
  }
  const Nest& operator[](std::string_view key) const {
    const auto found = std::ranges::find(keys_, key);
    if (found == keys_.end()) {
      throw InvalidArgument("[Nest] there is no key '{}'", key);
    }
    return items_[found - keys_.begin()];
  }

  // Leaves in order.
  std::vector<Leaf> Flatten() const {
    std::vector<Leaf> leaves;
    ForEach([&](const Leaf& leaf) { leaves.push_back(leaf); });
    return leaves;
  }
  template <typename Function>
  void ForEach(const Function& function) const {
    if (is_leaf()) return function(leaf_);
    for (const Nest& item : items_) item.ForEach(function);
  }
  // Calls function(leaf), which may change the leaf in place.
  template <typename Function>
  void Update(const Function& function) {
    if (is_leaf()) return function(leaf_);
    for (Nest& item : items_) item.Update(function);
  }
  // A nest of the same form with function(leaf) as leaves.
  template <typename To, typename Function>
  Nest<To> Map(const Function& function) const {
    if (is_leaf()) return Nest<To>(function(leaf_));
    std::vector<Nest<To>> items;
    items.reserve(items_.size());
    for (const Nest& item : items_) {
      items.push_back(item.template Map<To>(function));
    }
    return Nest<To>::WithForm(kind_, keys_, std::move(items));
  }
  // A nest of this form whose leaves are `leaves`, in order.
  // Errors: InvalidArgument if their number differs.
  template <typename To>
  Nest<To> PackLike(const std::vector<To>& leaves) const {
    size_t next = 0;
    ForEach([&](const Leaf&) { ++next; });
    if (next != leaves.size()) {
      throw InvalidArgument("[Nest] the form has {} leaves, got {}", next,
                            leaves.size());
    }
    next = 0;
    return Map<To>([&](const Leaf&) { return leaves[next++]; });
  }
  // Whether kinds, keys and sizes are equal at all levels.
  template <typename Other>
  bool SameFormAs(const Nest<Other>& other) const {
    if (kind_ != other.kind() || keys_ != other.keys() ||
        items_.size() != other.size()) {
      return false;
    }
    for (size_t i = 0; i < items_.size(); ++i) {
      if (!items_[i].SameFormAs(other.items()[i])) return false;
    }
    return true;
  }

  static Nest WithForm(NestKind kind, std::vector<std::string> keys,
                       std::vector<Nest> items) {
    Nest nest;
    nest.kind_ = kind;
    nest.keys_ = std::move(keys);
    nest.items_ = std::move(items);
    return nest;
  }

 private:
  void CheckLeaf() const {
    if (is_leaf()) return;
    throw InvalidArgument("[Nest] wanted a leaf, got a {} of {} items",
                          kind_ == NestKind::kTuple ? "tuple" : "dictionary",
                          items_.size());
  }

  NestKind kind_ = NestKind::kLeaf;
  Leaf leaf_{};
  std::vector<std::string> keys_;
  std::vector<Nest> items_;
};

// The elements of datasets and arguments of replicas, and their specs.
using Structure = Nest<Tensor>;
using SpecStructure = Nest<TensorSpec>;

// "([1, 2], [3])" for a tuple, "{'a': [1, 2]}" for a dictionary.
template <typename Leaf>
std::string ToString(const Nest<Leaf>& nest) {
  if (nest.is_leaf()) return ToString(nest.leaf());
  const bool dict = nest.kind() == NestKind::kDict;
  std::string text;
  for (size_t i = 0; i < nest.size(); ++i) {
    if (i > 0) text += ", ";
    if (dict) text += "'" + nest.keys()[i] + "': ";
    text += ToString(nest.items()[i]);
  }
  return dict ? "{" + text + "}" : "(" + text + ")";
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_NEST_H_
