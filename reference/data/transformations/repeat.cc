#include "reference/data/transformations/repeat.h"

#include <memory>
#include <utility>

namespace lockstep::data_internal {
namespace {

template <typename Item>
class RepeatStream final : public Stream<Item> {
 public:
  RepeatStream(NodePtr input, int64_t count)
      : input_(std::move(input)), passes_left_(count) {}

  int64_t Next(std::span<Item> out) override {
    while (passes_left_ != 0) {
      if (pass_ == nullptr) {
        pass_ = Open<Item>(*input_);
        pass_is_empty_ = true;
      }
      if (const int64_t read = pass_->Next(out); read > 0) {
        pass_is_empty_ = false;
        return read;
      }
      pass_ = nullptr;
      EndPass();
    }
    return 0;
  }

 private:
  // Repeating an empty pass for ever would never come back.
  void EndPass() {
    if (passes_left_ > 0) {
      --passes_left_;
    } else if (pass_is_empty_) {
      passes_left_ = 0;
    }
  }

  NodePtr input_;
  int64_t passes_left_;  // negative: no end
  StreamPtr<Item> pass_;
  bool pass_is_empty_ = true;
};

class RepeatNode final : public SelectionNode<RepeatNode> {
 public:
  RepeatNode(NodePtr input, int64_t count)
      : SelectionNode(std::move(input)), count_(count) {}

  int64_t cardinality() const override {
    const int64_t one_pass = input().cardinality();
    if (count_ == 0 || one_pass == 0) return 0;
    if (count_ < 0) return kInfiniteCardinality;
    if (one_pass < 0) return one_pass;
    int64_t all = 0;
    return __builtin_mul_overflow(one_pass, count_, &all) ? kInfiniteCardinality
                                                          : all;
  }

  template <typename Item>
  StreamPtr<Item> MakeStream() const {
    return std::make_unique<RepeatStream<Item>>(input_node(), count_);
  }

 private:
  int64_t count_;
};

}  // namespace

NodePtr MakeRepeat(NodePtr input, int64_t count) {
  return std::make_shared<RepeatNode>(std::move(input), count);
}

}  // namespace lockstep::data_internal
