// The IDX format of MNIST and its successors: a dense array.
//
//   00 00, one byte element type, one byte number of dimensions,
//   each dimension as a big-endian 32-bit number, then the elements
//
//   Tensor labels = ReadIdxFile("train-labels-idx1-ubyte.gz");  // uint8 (60000,)
//
// Plain or compressed by gzip. Allocates no more than the input can fill,
// whatever the header claims.
#ifndef LOCKSTEP_IMAGE_DATASETS_IDX_H_
#define LOCKSTEP_IMAGE_DATASETS_IDX_H_

#include <string>
#include <string_view>

#include "reference/base/encoding/sha256.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// `origin` leads error messages. `content_hash`, if given, is updated with all
// bytes of the (uncompressed) content. Errors, each with an offset into the
// content: DataLoss for a wrong magic number, a truncated file, a header that
// claims more than the file can have, trailing bytes, a damaged archive;
// Unimplemented for int8 and int16 elements, which tensors do not support.
Tensor ParseIdx(std::string_view bytes, const std::string& origin,
                Sha256* content_hash = nullptr);

// Errors also: NotFound, Unavailable.
Tensor ReadIdxFile(const std::string& path, Sha256* content_hash = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_IDX_H_
