// Rows and columns, or one number for both: Size2D(3) is 3 x 3.
#ifndef LOCKSTEP_REFERENCE_LAYERS_SIZE2D_H_
#define LOCKSTEP_REFERENCE_LAYERS_SIZE2D_H_

#include <array>
#include <cstdint>

namespace lockstep {

struct Size2D {
  Size2D(int64_t both) : rows(both), columns(both) {}  // NOLINT: as in Keras
  Size2D(int64_t rows, int64_t columns) : rows(rows), columns(columns) {}

  std::array<int64_t, 2> ToArray() const { return {rows, columns}; }

  int64_t rows;
  int64_t columns;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_SIZE2D_H_
