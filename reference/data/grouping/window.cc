#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/grouping/group_reader.h"
#include "reference/data/grouping/grouping.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

NodePtr Call(const WindowNodeFunction& function, const NodePtr& window) {
  const HostScope scope;
  return function(window);
}

class WindowReader final : public GroupReader {
 public:
  WindowReader(NodePtr input, const PassPtr& pass, const WindowOptions& options,
               WindowNodeFunction function)
      : input_(std::move(input)),
        elements_(input_->OpenElements(pass)),
        options_(options),
        function_(std::move(function)) {}

 protected:
  NodePtr NextDataset() override {
    while (to_skip_ > 0 && Read()) {
      ahead_.pop_front();
      --to_skip_;
    }
    const int64_t span = (options_.size - 1) * options_.stride + 1;
    while (std::ssize(ahead_) < span && Read()) {
    }
    std::vector<Structure> window;
    for (int64_t i = 0; i < std::min<int64_t>(span, std::ssize(ahead_));
         i += options_.stride) {
      window.push_back(ahead_[i]);
    }
    if (window.empty() ||
        (options_.drop_remainder && std::ssize(window) < options_.size)) {
      return nullptr;
    }
    Advance();
    return Call(function_, MakeGroup(std::move(window), input_));
  }

 private:
  bool Read() {
    Structure element;
    if (elements_->Next({&element, 1}) == 0) return false;
    ahead_.push_back(std::move(element));
    return true;
  }

  // To the first element of the next window.
  void Advance() {
    const int64_t shift = options_.shift.value_or(options_.size);
    const int64_t kept = std::min<int64_t>(shift, std::ssize(ahead_));
    ahead_.erase(ahead_.begin(), ahead_.begin() + kept);
    to_skip_ = shift - kept;
  }

  NodePtr input_;
  ReaderPtr<Structure> elements_;
  WindowOptions options_;
  WindowNodeFunction function_;
  std::deque<Structure> ahead_;  // from the start of the next window on
  int64_t to_skip_ = 0;          // before it
};

class WindowNode final : public DatasetNode {
 public:
  WindowNode(NodePtr input, const WindowOptions& options,
             WindowNodeFunction function)
      : DatasetNode("Window", {std::move(input)}),
        options_(options),
        function_(std::move(function)) {}

  std::string arguments() const override {
    return Arguments()
        .Add("size", options_.size)
        .Add("shift", options_.shift.value_or(options_.size), options_.size)
        .Add("stride", options_.stride, int64_t{1})
        .Add("drop_remainder", options_.drop_remainder, false)
        .text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<WindowNode>(std::move(inputs.front()), options_,
                                        function_);
  }
  SpecStructure MakeSpec() const override {
    std::vector<Structure> window;
    if (std::optional<Structure> first = PeekAtFirst(input())) {
      window.push_back(*std::move(first));
    }
    return Call(function_, MakeGroup(std::move(window), inputs().front()))
        ->element_spec();
  }
  int64_t CountElements() const override {
    return input().cardinality() == 0 ? 0 : kUnknownCardinality;
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<WindowReader>(inputs().front(), pass, options_,
                                          function_);
  }

 private:
  WindowOptions options_;
  WindowNodeFunction function_;
};

void CheckPositive(std::string_view name, int64_t got) {
  if (got >= 1) return;
  throw InvalidArgument("[Window] {} must be positive, got {}", name, got);
}

}  // namespace

NodePtr MakeWindow(NodePtr input, const WindowOptions& options,
                   WindowNodeFunction function) {
  if (!function) throw InvalidArgument("[Window] there is no function");
  CheckPositive("size", options.size);
  CheckPositive("shift", options.shift.value_or(1));
  CheckPositive("stride", options.stride);
  return std::make_shared<WindowNode>(std::move(input), options,
                                      std::move(function));
}

}  // namespace lockstep::data_internal
