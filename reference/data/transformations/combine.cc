#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/sources/sources.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

class ZipReader final : public Reader<Structure> {
 public:
  explicit ZipReader(std::vector<ReaderPtr<Structure>> inputs)
      : inputs_(std::move(inputs)) {}

  int64_t Next(std::span<Structure> out) override {
    if (at_end_) return 0;
    std::vector<Structure> items(inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i]->Next({&items[i], 1}) == 0) {
        at_end_ = true;
        return 0;
      }
    }
    out.front() = Structure::Tuple(std::move(items));
    return 1;
  }

 private:
  std::vector<ReaderPtr<Structure>> inputs_;
  bool at_end_ = false;
};

class ZipNode final : public DatasetNode {
 public:
  explicit ZipNode(std::vector<NodePtr> inputs)
      : DatasetNode("Zip", std::move(inputs)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<ZipNode>(std::move(inputs));
  }
  SpecStructure MakeSpec() const override {
    std::vector<SpecStructure> specs;
    for (const NodePtr& input : inputs())
      specs.push_back(input->element_spec());
    return SpecStructure::Tuple(std::move(specs));
  }
  bool DeclaresSpec() const override {
    return std::ranges::all_of(inputs(), [](const NodePtr& input) {
      return input->spec_is_declared();
    });
  }
  int64_t CountElements() const override {
    int64_t shortest = kInfiniteCardinality;
    for (const NodePtr& input : inputs()) {
      const int64_t length = input->cardinality();
      if (length == kUnknownCardinality) return length;
      if (length == kInfiniteCardinality) continue;
      shortest = shortest < 0 ? length : std::min(shortest, length);
    }
    return shortest;
  }
  bool IsLight() const override {
    return std::ranges::all_of(
        inputs(), [](const NodePtr& input) { return input->is_light(); });
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    std::vector<ReaderPtr<Structure>> readers;
    for (const NodePtr& input : inputs()) {
      readers.push_back(input->OpenElements(pass));
    }
    return std::make_unique<ZipReader>(std::move(readers));
  }
};

}  // namespace

NodePtr MakeZip(std::vector<NodePtr> inputs) {
  if (inputs.empty()) throw InvalidArgument("[Zip] there are no datasets");
  return std::make_shared<ZipNode>(std::move(inputs));
}

NodePtr MakeEnumerate(NodePtr input, int64_t start) {
  // With a negative start the distance to the end would overflow int64.
  const int64_t stop = start < 0 ? INT64_MAX + start : INT64_MAX;
  return MakeZip({MakeRange(start, stop, 1), std::move(input)});
}

namespace {

class ConcatenateReader final : public Reader<Structure> {
 public:
  ConcatenateReader(ReaderPtr<Structure> first, NodePtr second, PassPtr pass)
      : current_(std::move(first)),
        second_(std::move(second)),
        pass_(std::move(pass)) {}

  int64_t Next(std::span<Structure> out) override {
    int64_t read = current_->Next(out);
    if (read == 0 && second_ != nullptr) {
      current_ = std::exchange(second_, nullptr)->OpenElements(pass_);
      read = current_->Next(out);
    }
    return read;
  }

 private:
  ReaderPtr<Structure> current_;
  NodePtr second_;  // nullptr once it is current
  PassPtr pass_;
};

class ConcatenateNode final : public DatasetNode {
 public:
  ConcatenateNode(NodePtr first, NodePtr second)
      : DatasetNode("Concatenate", {std::move(first), std::move(second)},
                    NodeKind::kConcatenate) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<ConcatenateNode>(std::move(inputs[0]),
                                             std::move(inputs[1]));
  }
  SpecStructure MakeSpec() const override {
    return MergeSpecs("Concatenate", first().element_spec(),
                      second().element_spec());
  }
  bool DeclaresSpec() const override {
    return first().spec_is_declared() && second().spec_is_declared();
  }
  int64_t CountElements() const override {
    const int64_t a = first().cardinality();
    const int64_t b = second().cardinality();
    if (a == kInfiniteCardinality || b == kInfiniteCardinality) {
      return kInfiniteCardinality;
    }
    return a < 0 || b < 0 ? kUnknownCardinality : a + b;
  }
  bool IsLight() const override {
    return first().is_light() && second().is_light();
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<ConcatenateReader>(first().OpenElements(pass),
                                               inputs()[1], pass);
  }

 private:
  const DatasetNode& first() const { return *inputs()[0]; }
  const DatasetNode& second() const { return *inputs()[1]; }
};

}  // namespace

NodePtr MakeConcatenate(NodePtr first, NodePtr second) {
  const auto both =
      std::make_shared<ConcatenateNode>(std::move(first), std::move(second));
  // Fails here if the specs do not match and no function is needed to know
  // them.
  if (both->spec_is_declared()) both->element_spec();
  return both;
}

namespace {

template <typename Item>
class RepeatReader final : public Reader<Item> {
 public:
  RepeatReader(NodePtr input, int64_t count, PassPtr pass)
      : input_(std::move(input)), passes_left_(count), pass_(std::move(pass)) {}

  int64_t Next(std::span<Item> out) override {
    while (passes_left_ != 0) {
      if (items_ == nullptr) {
        items_ = Open<Item>(*input_, pass_);
        is_empty_ = true;
      }
      if (const int64_t read = items_->Next(out); read > 0) {
        is_empty_ = false;
        return read;
      }
      items_ = nullptr;
      EndPass();
    }
    return 0;
  }

 private:
  // Repeating an empty pass forever would never return.
  void EndPass() {
    if (passes_left_ > 0) {
      --passes_left_;
    } else if (is_empty_) {
      passes_left_ = 0;
    }
  }

  NodePtr input_;
  int64_t passes_left_;  // negative: no end
  PassPtr pass_;         // this is a part of it
  ReaderPtr<Item> items_;
  bool is_empty_ = true;
};

class RepeatNode final : public SelectionNode<RepeatNode> {
 public:
  RepeatNode(NodePtr input, int64_t count)
      : SelectionNode("Repeat", std::move(input), NodeKind::kRepeat),
        count_(count) {}

  int64_t CountElements() const override {
    const int64_t one_pass = input().cardinality();
    if (count_ == 0 || one_pass == 0) return 0;
    if (count_ < 0) return kInfiniteCardinality;
    if (one_pass < 0) return one_pass;
    int64_t all = 0;
    return __builtin_mul_overflow(one_pass, count_, &all) ? kInfiniteCardinality
                                                          : all;
  }

  int64_t passes_over_input() const override { return count_ < 0 ? 1 : count_; }

  std::string arguments() const override {
    return Arguments().Add("count", count_, int64_t{-1}).text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<RepeatNode>(std::move(inputs.front()), count_);
  }

  template <typename Item>
  ReaderPtr<Item> MakeReader(const PassPtr& pass) const {
    return std::make_unique<RepeatReader<Item>>(inputs().front(), count_, pass);
  }

 private:
  int64_t count_;
};

}  // namespace

NodePtr MakeRepeat(NodePtr input, int64_t count) {
  return std::make_shared<RepeatNode>(std::move(input), count);
}

}  // namespace lockstep::data_internal
