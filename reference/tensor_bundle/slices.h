// Tensors that are stored in slices, as TensorFlow stores variables that
// parameter servers keep in shards.
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_SLICES_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_SLICES_H_

#include <optional>
#include <string>
#include <vector>

#include "reference/tensor/tensor.h"
#include "reference/tensor_bundle/tensor_bundle.pb.h"

namespace lockstep::tensor_bundle_internal {

// The key under which a slice of the tensor of this key is stored: a 0 byte,
// then key and extents so that their bytes order as they do.
std::string SliceKey(const std::string& key,
                     const tensor_bundle::TensorSliceProto& slice);

// Whether a key is a slice's.
bool IsSliceKey(const std::string& key);

// Rows begin..begin+count-1 of a tensor, under the slice's key.
struct RowsInSlice {
  std::string key;
  int64_t begin = 0;
  int64_t count = 0;
};

// The slices of a tensor of this shape in the order of their rows; nullopt
// unless each has whole rows and all rows are in one of them.
std::optional<std::vector<RowsInSlice>> FindRows(
    const std::string& key, const Shape& shape,
    const tensor_bundle::BundleEntryProto& entry);

}  // namespace lockstep::tensor_bundle_internal

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_SLICES_H_
