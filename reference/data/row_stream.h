// The elements behind a stream of row numbers.
#ifndef LOCKSTEP_REFERENCE_DATA_ROW_STREAM_H_
#define LOCKSTEP_REFERENCE_DATA_ROW_STREAM_H_

#include <array>
#include <cstdint>
#include <span>

#include "reference/data/stream.h"
#include "reference/data/table.h"

namespace lockstep::data_internal {

class RowStream final : public Stream<Structure> {
 public:
  RowStream(TablePtr table, StreamPtr<int64_t> rows);

  int64_t Next(std::span<Structure> out) override;

 private:
  TablePtr table_;
  StreamPtr<int64_t> rows_;
  std::array<int64_t, 256> numbers_;
  int64_t next_ = 0;
  int64_t end_ = 0;
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_ROW_STREAM_H_
