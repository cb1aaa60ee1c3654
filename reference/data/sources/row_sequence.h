// Row numbers 0, 1, ..., count - 1.
#ifndef LOCKSTEP_REFERENCE_DATA_SOURCES_ROW_SEQUENCE_H_
#define LOCKSTEP_REFERENCE_DATA_SOURCES_ROW_SEQUENCE_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "reference/data/stream.h"

namespace lockstep::data_internal {

class RowSequence final : public Stream<int64_t> {
 public:
  explicit RowSequence(int64_t count) : count_(count) {}

  int64_t Next(std::span<int64_t> out) override {
    const int64_t read = std::min<int64_t>(std::ssize(out), count_ - next_);
    std::iota(out.begin(), out.begin() + read, next_);
    next_ += read;
    return read;
  }

 private:
  int64_t next_ = 0;
  int64_t count_;
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SOURCES_ROW_SEQUENCE_H_
