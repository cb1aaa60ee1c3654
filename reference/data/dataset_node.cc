#include "reference/data/dataset_node.h"

#include <algorithm>
#include <utility>

#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep::data_internal {

RowReader::RowReader(TablePtr table, ReaderPtr<int64_t> rows)
    : table_(std::move(table)), rows_(std::move(rows)) {}

int64_t RowReader::Next(std::span<Structure> out) {
  if (next_ == end_) {
    next_ = end_ = 0;  // an error must not bring the last rows back
    end_ = rows_->Next(numbers_);
  }
  const int64_t count = std::min<int64_t>(std::ssize(out), end_ - next_);
  for (int64_t i = 0; i < count; ++i) out[i] = table_->Row(numbers_[next_++]);
  return count;
}

namespace {

// Computes an answer once; -1 means not yet. Two threads may both compute it:
// they get the same answer.
template <typename Ask>
bool Once(std::atomic<int8_t>& answer, const Ask& ask) {
  if (answer < 0) answer = ask() ? 1 : 0;
  return answer == 1;
}

}  // namespace

SpecStructure DatasetNode::element_spec() const {
  {
    const std::lock_guard lock(spec_mutex_);
    if (spec_) return *spec_;
  }
  // Without the lock: MakeSpec may call a function of the program that needs
  // it.
  SpecStructure spec = MakeSpec();
  const std::lock_guard lock(spec_mutex_);
  if (!spec_) spec_ = std::move(spec);
  return *spec_;
}

bool DatasetNode::spec_is_declared() const {
  return Once(spec_is_declared_, [this] { return DeclaresSpec(); });
}

int64_t DatasetNode::cardinality() const {
  if (cardinality_ == kNotCounted) cardinality_ = CountElements();
  return cardinality_;
}

bool DatasetNode::is_light() const {
  return Once(is_light_, [this] { return IsLight(); });
}

std::optional<Structure> PeekAtFirst(const DatasetNode& pipeline) {
  const ReaderPtr<Structure> reader =
      pipeline.OpenElements(Pass::Peek(pipeline));
  Structure element;
  if (reader->Next({&element, 1}) == 0) return std::nullopt;
  return element;
}

}  // namespace lockstep::data_internal
