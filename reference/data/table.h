// Elements that can be had in any order by number: what makes shuffling and
// batching cheap. A transformation that only reorders passes numbers on; a
// batch gathers its rows straight from the source, each copied once.
#ifndef LOCKSTEP_REFERENCE_DATA_TABLE_H_
#define LOCKSTEP_REFERENCE_DATA_TABLE_H_

#include <cstdint>
#include <memory>
#include <span>

#include "reference/tensor/nest.h"

namespace lockstep::data_internal {

class Table {
 public:
  virtual ~Table() = default;

  // Element `row`. REQUIRES: the row exists.
  virtual Structure Row(int64_t row) const = 0;

  // The elements `rows` stacked along a new first axis. Neighbouring rows may
  // come as a view of the source. REQUIRES: the rows exist.
  virtual Structure Gather(std::span<const int64_t> rows) const = 0;

  // Bytes that one row adds to a batch.
  virtual int64_t row_bytes() const = 0;
};

using TablePtr = std::shared_ptr<const Table>;

// rows[i + 1] == rows[i] + 1 for all i.
inline bool AreConsecutive(std::span<const int64_t> rows) {
  if (rows.back() - rows.front() != std::ssize(rows) - 1) return false;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] != rows[i - 1] + 1) return false;
  }
  return true;
}

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TABLE_H_
