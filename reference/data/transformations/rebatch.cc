#include "reference/data/rebatch.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/data/element.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/ragged/ragged.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

int64_t CountRows(const Structure& batch) {
  int64_t rows = -1;
  const auto fail = [&] {
    throw InvalidArgument(
        "[Unbatch] all components need the same number of rows, got {}",
        DescribeSpec(SpecOfElement(batch)));
  };
  batch.ForEach([&](const Tensor& leaf) {
    if (leaf.rank() == 0) fail();
  });
  for (const int64_t count : RowCounts(batch)) {
    if (rows >= 0 && count != rows) fail();
    rows = count;
  }
  return std::max<int64_t>(rows, 0);
}

class UnbatchReader final : public Reader<Structure> {
 public:
  explicit UnbatchReader(ReaderPtr<Structure> input)
      : input_(std::move(input)) {}

  int64_t Next(std::span<Structure> out) override {
    while (next_ == end_) {
      if (input_->Next({&batch_, 1}) == 0) return 0;
      next_ = end_ = 0;
      end_ = CountRows(batch_);
    }
    const int64_t count = std::min<int64_t>(std::ssize(out), end_ - next_);
    for (int64_t i = 0; i < count; ++i, ++next_) {
      out[i] = MapComponents(
          batch_, [&](const Tensor& leaf) { return leaf.Row(next_); },
          [&](const Structure& ragged) { return RaggedRow(ragged, next_); });
    }
    return count;
  }

 private:
  ReaderPtr<Structure> input_;
  Structure batch_;
  int64_t next_ = 0;
  int64_t end_ = 0;
};

class UnbatchNode final : public DatasetNode {
 public:
  explicit UnbatchNode(NodePtr input)
      : DatasetNode("Unbatch", {std::move(input)}) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<UnbatchNode>(std::move(inputs.front()));
  }
  SpecStructure MakeSpec() const override {
    return RemoveAxis("Unbatch", input().element_spec());
  }
  bool DeclaresSpec() const override { return input().spec_is_declared(); }
  int64_t CountElements() const override {
    const int64_t batches = input().cardinality();
    return batches <= 0 ? batches : kUnknownCardinality;
  }
  bool IsLight() const override { return input().is_light(); }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<UnbatchReader>(input().OpenElements(pass));
  }
};

}  // namespace

NodePtr MakeUnbatch(NodePtr input) {
  return std::make_shared<UnbatchNode>(std::move(input));
}

namespace {

// Whether a warning about unequal rows was logged, in any pass.
using Warned = std::shared_ptr<std::atomic<bool>>;

// The parts share the memory of the batch.
class RebatchReader final : public Reader<Structure> {
 public:
  RebatchReader(ReaderPtr<Structure> batches, const Division& division,
                Warned warned)
      : batches_(std::move(batches)),
        division_(division),
        warned_(std::move(warned)),
        next_part_(division.end()) {}

  int64_t Next(std::span<Structure> out) override {
    if (next_part_ == division_.end() && !ReadNext()) return 0;
    if (division_.parts == 1) {
      next_part_ = 1;
      out.front() = std::exchange(batch_, Structure());
      return 1;
    }
    int64_t count = 0;
    while (count < std::ssize(out) && next_part_ < division_.end()) {
      out[count++] = SubBatch(batch_, division_.parts, next_part_++);
    }
    if (next_part_ == division_.end()) batch_ = Structure();
    return count;
  }

 private:
  bool ReadNext() {
    if (batches_->Next({&batch_, 1}) == 0) return false;
    CheckBatched(batch_);
    if (division_.parts > 1) WarnOfUnequalRows();
    next_part_ = division_.first;
    return true;
  }

  void WarnOfUnequalRows() const {
    std::optional<int64_t> first, other;
    for (const int64_t rows : RowCounts(batch_)) {
      if (!first) first = rows;
      if (!other && rows != *first) other = rows;
    }
    if (!other || warned_->exchange(true)) return;
    LogWarning(
        "[DistributeDataset] components of an element have {} and {} rows: "
        "each is divided by its own number, so a replica's rows of one may not "
        "match its rows of the other (is the dataset batched? Batch(n) does "
        "it)",
        *first, *other);
  }

  ReaderPtr<Structure> batches_;
  Division division_;
  Warned warned_;
  Structure batch_;
  int64_t next_part_;
};

class RebatchNode final : public DatasetNode {
 public:
  RebatchNode(NodePtr input, const Division& division)
      : DatasetNode("Rebatch", {std::move(input)}), division_(division) {}

  std::string arguments() const override {
    Arguments arguments;
    arguments.Add("parts", division_.parts);
    if (division_.kept < division_.parts) {
      arguments.Add("first", division_.first).Add("kept", division_.kept);
    }
    return arguments.text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<RebatchNode>(std::move(inputs.front()), division_);
  }
  SpecStructure MakeSpec() const override {
    return SubBatchSpec(input().element_spec(), division_.parts);
  }
  bool DeclaresSpec() const override { return input().spec_is_declared(); }
  int64_t CountElements() const override {
    const int64_t batches = input().cardinality();
    int64_t parts = 0;
    if (batches < 0) return batches;
    return __builtin_mul_overflow(batches, division_.kept, &parts)
               ? kInfiniteCardinality
               : parts;
  }
  bool IsLight() const override { return input().is_light(); }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    // Parts that are all kept are views of one batch. Otherwise making the whole
    // batch would copy rows that are dropped.
    if (division_.kept < division_.parts) {
      if (auto parts = input().OpenParts(pass, division_)) return parts;
    }
    return std::make_unique<RebatchReader>(input().OpenElements(pass),
                                           division_, warned_);
  }

 private:
  Division division_;
  Warned warned_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

NodePtr MakeRebatch(NodePtr input, const Division& division) {
  LOCKSTEP_CHECK(division.first >= 0 && division.kept >= 1 &&
                 division.end() <= division.parts);
  return std::make_shared<RebatchNode>(std::move(input), division);
}

}  // namespace lockstep::data_internal
