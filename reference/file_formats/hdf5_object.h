// Reads the header of an object in an HDF5 file, a group or a dataset.
#ifndef LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_OBJECT_H_
#define LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_OBJECT_H_

#include <cstdint>
#include <optional>

#include "reference/file_formats/hdf5_bytes.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

struct Hdf5Object {
  // Addresses of the tree of a group's members and the heap of their names.
  struct Group {
    uint64_t tree;
    uint64_t heap;
  };

  std::optional<Group> group;
  // The others are of a dataset.
  std::optional<DType> dtype;
  std::optional<Shape> shape;
  uint64_t data = kNoAddress;
  uint64_t data_bytes = 0;

  bool is_dataset() const { return dtype || shape || data != kNoAddress; }
};

// Reads an object header of version 1 and its messages. Errors: DataLoss if it is
// inconsistent or does not fit the file's size; Unimplemented for types that our
// tensors do not have, and for chunked or compressed data.
Hdf5Object ReadHdf5Object(const Hdf5Bytes& bytes, uint64_t address);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_OBJECT_H_
