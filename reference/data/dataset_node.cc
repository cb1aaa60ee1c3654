#include "reference/data/dataset_node.h"

#include <algorithm>
#include <utility>

namespace lockstep::data_internal {

RowStream::RowStream(TablePtr table, StreamPtr<int64_t> rows)
    : table_(std::move(table)), rows_(std::move(rows)) {}

int64_t RowStream::Next(std::span<Structure> out) {
  if (next_ == end_) {
    next_ = 0;
    end_ = rows_->Next(numbers_);
  }
  const int64_t count = std::min<int64_t>(std::ssize(out), end_ - next_);
  for (int64_t i = 0; i < count; ++i) out[i] = table_->Row(numbers_[next_++]);
  return count;
}

}  // namespace lockstep::data_internal
