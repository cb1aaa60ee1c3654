// The sources of datasets, made by Dataset's functions FromTensors,
// FromTensorSlices, Range, FromGenerator, FromTextLines and so on.
#ifndef LOCKSTEP_REFERENCE_DATA_SOURCES_SOURCES_H_
#define LOCKSTEP_REFERENCE_DATA_SOURCES_SOURCES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/encoding/compression.h"
#include "reference/data/dataset_node.h"
#include "reference/data/dataset_options.h"

namespace lockstep::data_internal {

// One element: the tensors given. Errors: InvalidArgument for an undefined
// tensor.
NodePtr MakeTensors(const Structure& element);

// Errors: InvalidArgument, led by `operation`, for an undefined tensor.
void CheckDefined(std::string_view operation, const Structure& tensors);

// One element for each row of axis 0 of all tensors together.
// Errors: InvalidArgument for no leaves, undefined tensors, scalars, and
// tensors of different length.
NodePtr MakeTensorSlices(const Structure& tensors);

// Numbers start, start + step, ... before stop, as int64 scalars.
// Errors: InvalidArgument for step 0 and more than 2^63 - 1 numbers.
NodePtr MakeRange(int64_t start, int64_t stop, int64_t step);

// Endless random numbers 0 to 2^32 - 1, as int64 scalars: in each pass others,
// or the same.
NodePtr MakeRandom(std::optional<int64_t> seed, bool rerandomize);

// Elements from a user's function. `start` is called once per pass, on the
// first read; the function that it returns is called until it returns nothing.
// Errors: InvalidArgument for an empty function.
NodePtr MakeGenerator(
    std::function<std::function<std::optional<Structure>()>()> start,
    SpecStructure element_spec);

// The lines of the files. Errors, here and below: InvalidArgument for a file
// without a name.
NodePtr MakeTextLines(std::vector<std::string> files, Compression compression);

// Errors: InvalidArgument for an impossible layout.
NodePtr MakeFixedLengthRecords(std::vector<std::string> files,
                               const FixedLengthLayout& layout,
                               Compression compression);

NodePtr MakeTFRecords(std::vector<std::string> files, Compression compression);

// Names of the files that match one of the shell patterns, sorted by bytes,
// each once. Errors: InvalidArgument if there are none.
std::vector<std::string> MatchFiles(const std::vector<std::string>& patterns);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SOURCES_SOURCES_H_
