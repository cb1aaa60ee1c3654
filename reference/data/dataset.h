// A pipeline of elements, as tf.data.Dataset: cheap to copy, read many times.
//
//   Dataset batches = Dataset::Range(6).Batch(4);
//   for (const Structure& batch : batches) ToString(batch.leaf());
//                                        // "[0, 1, 2, 3]", then "[4, 5]"
//   ToString(batches.element_spec().leaf());  // "int64 (None,)"
//   batches.cardinality();                    // 2
//
//   Dataset training = Dataset::FromTensorSlices(Structure::Tuple({x, y}))
//                          .Shuffle(60000, /*seed=*/1).Batch(128).Repeat();
//
// Nothing runs before iteration. While elements are whole rows of tensors, the
// choosing transformations pass row numbers on and Batch copies each row once
// (neighbouring rows not at all: the batch is a view). An error in a user's
// function surfaces at the element it concerns; the next read goes on behind.
//
// Elements lie with the host, whatever the current device: tensors of a GPU are
// copied when a dataset is made of them, functions make theirs on the host.
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/encoding/compression.h"
#include "reference/base/error.h"
#include "reference/data/dataset_node.h"
#include "reference/data/dataset_options.h"
#include "reference/tensor/nest.h"

namespace lockstep {

// A value that may be absent, as tf.experimental.Optional.
//
//   Optional<Structure> next = iterator.GetNextAsOptional();
//   while (next.has_value()) {
//     Use(next.GetValue());
//     next = iterator.GetNextAsOptional();
//   }
template <typename Value>
class Optional {
 public:
  Optional() = default;  // absent
  explicit Optional(Value value) : value_(std::move(value)) {}

  bool has_value() const { return value_.has_value(); }

  // Errors: InvalidArgument when there is none.
  const Value& GetValue() const& {
    Check();
    return *value_;
  }
  Value&& GetValue() && {
    Check();
    return *std::move(value_);
  }

 private:
  void Check() const {
    if (!value_.has_value()) {
      throw InvalidArgument(
          "[Optional] The given optional does not have a value.");
    }
  }

  std::optional<Value> value_;
};

// Lets range-for walk anything with `bool Next(Element*)`.
struct EndOfElements {};

template <typename Iterator>
class ElementCursor {
 public:
  explicit ElementCursor(Iterator iterator) : iterator_(std::move(iterator)) {
    ++*this;
  }

  const typename Iterator::Element& operator*() const { return element_; }
  ElementCursor& operator++() {
    at_end_ = !iterator_.Next(&element_);
    return *this;
  }
  bool operator==(EndOfElements) const { return at_end_; }

 private:
  Iterator iterator_;
  typename Iterator::Element element_;
  bool at_end_ = false;
};

// One pass over a dataset.
//
//   DatasetIterator iterator = Dataset::Range(2).MakeIterator();
//   iterator.GetNext();   // 0
//   iterator.GetNext();   // 1
//   iterator.GetNext();   // throws OutOfRange, as does every later call
class DatasetIterator {
 public:
  using Element = Structure;

  explicit DatasetIterator(data_internal::ReaderPtr<Structure> reader)
      : reader_(std::move(reader)) {}

  // False at the end, `element` is then as before.
  bool Next(Structure* element) { return reader_->Next({element, 1}) == 1; }

  // Errors: OutOfRange at the end.
  Structure GetNext();
  Optional<Structure> GetNextAsOptional();

 private:
  data_internal::ReaderPtr<Structure> reader_;
};

// Gives element after element, nothing at the end.
using Generator = std::function<std::optional<Structure>()>;
using MapFunction = std::function<Structure(const Structure&)>;
using FilterFunction = std::function<bool(const Structure&)>;
class Dataset;
using FlatMapFunction = std::function<Dataset(const Structure&)>;

class Dataset {
 public:
  // --- Sources (sources/) ---
  // int64 scalars 0..stop-1, or start, start + step, ... before stop.
  // Errors: InvalidArgument for step 0.
  static Dataset Range(int64_t stop) { return Range(0, stop); }
  static Dataset Range(int64_t start, int64_t stop, int64_t step = 1);
  // One element. Errors: InvalidArgument for an undefined tensor.
  static Dataset FromTensors(const Structure& element);
  // One element a row of axis 0 of every leaf. Errors: InvalidArgument for
  // scalars, no leaves, and leaves of different length.
  static Dataset FromTensorSlices(const Structure& tensors);
  // Uniform in 0..2^32-1, as int64 scalars, without end: for a seed the numbers
  // of tf.data.Dataset.random, the same in each pass.
  static Dataset Random(std::optional<int64_t> seed = std::nullopt);
  // `start` is called once a pass. Elements must have the spec given; that,
  // and any exception of the generator that is no Error, is InvalidArgument.
  static Dataset FromGenerator(std::function<Generator()> start,
                               SpecStructure element_spec);
  // The lines of the files, file after file, as string scalars without their
  // line ends ("\n" or "\r\n"). Errors, of a pass, here and below: NotFound
  // for a missing file and others of reading it, DataLoss, with the offset, for
  // a damaged one; the next read goes on with the next file.
  static Dataset FromTextLines(std::vector<std::string> files,
                               Compression compression = Compression::kNone);
  // Errors, of a pass: InvalidArgument for a file whose size does not fit.
  static Dataset FromFixedLengthRecords(
      std::vector<std::string> files, const FixedLengthLayout& layout,
      Compression compression = Compression::kNone);
  // What tf.io.TFRecordWriter, or ours (tf_record_writer.h), wrote.
  static Dataset FromTFRecords(std::vector<std::string> files,
                               Compression compression = Compression::kNone);
  // Names of the files there are now that match the patterns of a shell ("*"
  // takes no leading dot), each once, sorted; shuffled anew each pass unless
  // that is declined. Errors: InvalidArgument where nothing matches.
  static Dataset ListFiles(const std::vector<std::string>& patterns,
                           bool shuffle = true,
                           std::optional<uint64_t> seed = std::nullopt);
  // Elements that are tuples of one element of each; ends with the shortest.
  static Dataset Zip(const std::vector<Dataset>& datasets);

  // --- Transformations (transformations/) ---
  // Errors: InvalidArgument for size < 1; unlike elements, when read.
  Dataset Batch(int64_t size, bool drop_remainder = false) const;
  // Unequal leaves are filled up with `padding` at the end of each axis to the
  // longest of the batch. Numeric leaves only.
  Dataset PaddedBatch(int64_t size, double padding = 0,
                      bool drop_remainder = false) const;
  // Rows of axis 0 as elements. Errors: InvalidArgument for scalars.
  Dataset Unbatch() const;
  // Keeps `buffer_size` elements and draws among them. Another order each
  // pass, the same sequence of orders for the same seed; without a seed it is
  // random. Errors: InvalidArgument for buffer_size < 1.
  Dataset Shuffle(int64_t buffer_size,
                  std::optional<uint64_t> seed = std::nullopt,
                  bool reshuffle_each_iteration = true) const;
  // `count` < 0: for ever.
  Dataset Repeat(int64_t count = -1) const;
  // `count` < 0: all.
  Dataset Take(int64_t count) const;
  Dataset Skip(int64_t count) const;
  // Elements index, index + num_shards, ... With kShardHint all elements, but
  // under AutoShardPolicy::kHint. Errors: InvalidArgument unless
  // 0 <= index < num_shards.
  Dataset Shard(int64_t num_shards, int64_t index) const;
  // Errors: InvalidArgument for elements of another form, type or rank; from
  // element_spec() where a function of the program makes them.
  Dataset Concatenate(const Dataset& other) const;
  // Without `output_spec`, element_spec() calls `function` with zeros in place
  // of an element (twice where dimensions are unknown) to see what it returns.
  Dataset Map(MapFunction function,
              std::optional<SpecStructure> output_spec = std::nullopt) const;
  Dataset Filter(FilterFunction predicate) const;
  // The elements of function(first element), then of function(second), ...
  // element_spec() calls `function` with the first element.
  Dataset FlatMap(FlatMapFunction function) const;
  // block_length elements of each of cycle_length such datasets in turn, the
  // next one in the place of one that has ended. For files:
  //   Dataset::ListFiles({"train-*"}).Interleave(read, {.cycle_length = 4});
  // Errors: InvalidArgument for lengths below 1.
  Dataset Interleave(FlatMapFunction function,
                     const InterleaveOptions& options) const;
  // Tuples (int64 start + position, element).
  Dataset Enumerate(int64_t start = 0) const;
  // Keeps what the first complete pass yields, in memory, for later passes.
  Dataset Cache() const;
  // Keeps it in `file`.index and `file`.data-*, which TensorFlow reads too,
  // until these are deleted: a program that finds them reads them instead of
  // its input. A pass that was left early or met an error is not kept.
  // Errors, of a pass: NotFound for a missing folder; ResourceExhausted for a
  // full disk; DataLoss for a damaged file; InvalidArgument for a file that
  // holds other elements than element_spec() says.
  Dataset Cache(const std::string& file) const;
  // Makes elements on a thread of its own, up to `buffer_size` ahead (< 0: as
  // the library sees fit). Pipelines so light that handing over would cost
  // more than making run on the caller's thread.
  Dataset Prefetch(int64_t buffer_size) const;
  // The same elements, `count` of them by the program's word. A worker that
  // reads only its files, or hinted shard, is not held to it. Errors:
  // InvalidArgument below -1; FailedPrecondition at a pass of another length.
  Dataset AssertCardinality(int64_t count) const;
  // The same elements; `options` count in place of those given before.
  Dataset WithOptions(const DatasetOptions& options) const;

  SpecStructure element_spec() const { return node_->element_spec(); }
  // Known number, kInfiniteCardinality or kUnknownCardinality.
  int64_t cardinality() const { return node_->cardinality(); }

  DatasetIterator MakeIterator() const;
  // For range-for; each begin() starts a new pass.
  ElementCursor<DatasetIterator> begin() const;
  EndOfElements end() const { return {}; }

  // For code that adds transformations outside this folder.
  explicit Dataset(data_internal::NodePtr node) : node_(std::move(node)) {}
  const data_internal::NodePtr& node() const { return node_; }

 private:
  data_internal::NodePtr node_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_H_
