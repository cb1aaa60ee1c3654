// A pipeline of elements, as tf.data.Dataset: cheap to copy, read many times.
//
//   Dataset batches = Dataset::Range(6).Batch(4);
//   for (const Structure& batch : batches) ToString(batch.leaf());
//                                        // "[0, 1, 2, 3]", then "[4, 5]"
//   ToString(batches.element_spec().leaf());  // "int64 (None,)"
//   batches.cardinality();                    // 2
//
//   Dataset::FromTensorSlices({x, y}).Shuffle(60000, /*seed=*/1).Batch(128);
//
// Nothing runs before iteration. While elements are whole rows of tensors,
// transformations that select or reorder pass row numbers on, and Batch copies
// each row once. A batch of neighbouring rows is a view and copies nothing. An
// error in a user's function is thrown in place of the element that it
// concerns; the next read continues after that element.
//
// Elements are in host memory, whatever the current device: tensors of a GPU
// are copied when a dataset is made of them, and functions run on the host.
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/encoding/compression.h"
#include "reference/data/dataset_iterator.h"
#include "reference/data/dataset_node.h"
#include "reference/data/dataset_options.h"
#include "reference/data/functions.h"
#include "reference/data/grouping/group_options.h"
#include "reference/data/mixing/sample_options.h"
#include "reference/data/saved/save_options.h"
#include "reference/tensor/nest.h"

namespace lockstep {

class Dataset;
using FlatMapFunction = std::function<Dataset(const Structure&)>;
using WindowFunction = std::function<Dataset(const Dataset& window)>;
using ReduceFunction =
    std::function<Dataset(int64_t key, const Dataset& window)>;

class Dataset {
 public:
  // --- Sources (sources/) ---
  // int64 scalars 0..stop-1, or start, start + step, ... before stop.
  // Errors: InvalidArgument for step 0.
  static Dataset Range(int64_t stop) { return Range(0, stop); }
  static Dataset Range(int64_t start, int64_t stop, int64_t step = 1);
  // One element. Errors: InvalidArgument for an undefined tensor.
  static Dataset FromTensors(const Structure& element);
  // One element per row of axis 0 of every leaf; a tuple of {x, y}. Errors:
  // InvalidArgument for scalars, no leaves, and leaves of different length.
  static Dataset FromTensorSlices(const Structure& tensors);
  static Dataset FromTensorSlices(std::initializer_list<Structure> tuple);
  // Endless int64 scalars, uniform in 0..2^32-1; with a seed those of tf.data.
  // By default each pass has others only without a seed.
  static Dataset Random(
      std::optional<int64_t> seed = std::nullopt,
      std::optional<bool> rerandomize_each_iteration = std::nullopt);
  // `start` is called once per pass. Errors, of a pass: InvalidArgument for an
  // element that does not have the spec given, and for an exception of the
  // generator that is not an Error.
  static Dataset FromGenerator(std::function<Generator()> start,
                               SpecStructure element_spec);
  // The lines of the files, file after file, as string scalars without their
  // line ends ("\n" or "\r\n"). Errors, of a pass, here and below: NotFound for
  // a missing file; DataLoss, with the offset, for a damaged one; others of
  // reading a file. The next read continues with the next file.
  static Dataset FromTextLines(std::vector<std::string> files,
                               Compression compression = Compression::kNone);
  // Errors, of a pass: InvalidArgument for a file whose size does not fit.
  static Dataset FromFixedLengthRecords(
      std::vector<std::string> files, const FixedLengthLayout& layout,
      Compression compression = Compression::kNone);
  // The records of files by tf.io.TFRecordWriter or tf_record_writer.h.
  static Dataset FromTFRecords(std::vector<std::string> files,
                               Compression compression = Compression::kNone);
  // Names of the files that match the shell patterns now, each once and sorted
  // ("*" does not match a leading dot). With `shuffle` each pass has another
  // order. Errors: InvalidArgument if nothing matches.
  static Dataset ListFiles(const std::vector<std::string>& patterns,
                           bool shuffle = true,
                           std::optional<int64_t> seed = std::nullopt);
  // Tuples of one element of each dataset; ends with the shortest.
  static Dataset Zip(const std::vector<Dataset>& datasets);
  // For each int64 scalar of `choice` the next element of the dataset that it
  // numbers. Where that dataset has ended: the end, or with `stop_on_empty`
  // false nothing. Errors, here and below: InvalidArgument without datasets, and
  // for elements of different form, type or rank; here also for a choice of
  // another type and, when read, for a number that is none of a dataset's.
  static Dataset ChooseFromDatasets(const std::vector<Dataset>& datasets,
                                    const Dataset& choice,
                                    bool stop_on_empty = true);
  // Each element from a dataset chosen at random. Errors: also InvalidArgument
  // unless there are no weights or one for each dataset, and for a negative one.
  static Dataset SampleFromDatasets(const std::vector<Dataset>& datasets,
                                    const SampleOptions& options = {});

  // --- Transformations (transformations/) ---
  // Errors: InvalidArgument for size < 1; when read, for unequal shapes or
  // types.
  Dataset Batch(int64_t size, bool drop_remainder = false) const;
  // Pads numeric leaves at the end of each axis to the longest of the batch.
  Dataset PaddedBatch(int64_t size, double padding = 0,
                      bool drop_remainder = false) const;
  // Rows of axis 0 as elements. Errors: InvalidArgument for scalars.
  Dataset Unbatch() const;
  // Draws each element at random from a buffer of `buffer_size`. Each pass has
  // another order; the same seed gives the same sequence of orders, those of
  // tf.data. Without a seed one is chosen at random. Errors: InvalidArgument for
  // buffer_size < 1.
  Dataset Shuffle(int64_t buffer_size,
                  std::optional<int64_t> seed = std::nullopt,
                  bool reshuffle_each_iteration = true) const;
  // `count` < 0: forever.
  Dataset Repeat(int64_t count = -1) const;
  // `count` < 0: all.
  Dataset Take(int64_t count) const;
  Dataset Skip(int64_t count) const;
  // Elements index, index + num_shards, ... With kShardHint all elements,
  // unless AutoShardPolicy::kHint is in effect. Errors: InvalidArgument unless
  // 0 <= index < num_shards.
  Dataset Shard(int64_t num_shards, int64_t index) const;
  // Errors: InvalidArgument for elements of different form, type or rank; from
  // element_spec() if a function of the program makes them.
  Dataset Concatenate(const Dataset& other) const;
  // For instance Map(parse, {.num_parallel_calls = kAutotune}). Errors:
  // InvalidArgument for a negative number.
  Dataset Map(MapFunction function, const MapOptions& options) const;
  Dataset Map(MapFunction function,
              std::optional<SpecStructure> output_spec = std::nullopt) const;
  Dataset Filter(FilterFunction predicate) const;
  // The elements before the first one for which `predicate` is false.
  Dataset TakeWhile(FilterFunction predicate) const;
  // The outputs of `function`, called with a state, at first `initial_state`,
  // and each element. The running sum of numbers:
  //   Scan(zero, [](const Structure& sum, const Structure& x) -> ScanStep {
  //     const Tensor next = Add(sum, x);
  //     return {.state = next, .output = next};
  //   });
  // element_spec() as for Map, with `initial_state`. Errors, when read:
  // InvalidArgument for a state of another form or type. An error leaves the
  // state as it was.
  Dataset Scan(const Structure& initial_state, ScanFunction function,
               std::optional<SpecStructure> output_spec = std::nullopt) const;
  // The first of all equal elements, each one tensor. Keeps a copy of each.
  // Errors: InvalidArgument for types other than int32, int64 and string, and
  // for tuples; when read, or from element_spec(), if a function makes them.
  Dataset Unique() const;
  // The elements whose making throws no error. Errors: the input's after a
  // million in a row, as it probably throws the same forever (TensorFlow
  // would not return).
  Dataset IgnoreErrors() const;
  // The elements of function(first element), then of function(second), ...
  // element_spec() calls `function` with the first element.
  Dataset FlatMap(FlatMapFunction function) const;
  // Takes block_length elements from each of cycle_length such datasets in
  // turn. The next dataset replaces one that has ended. For files:
  //   Dataset::ListFiles({"train-*"}).Interleave(read, {.cycle_length = 4});
  // Errors: InvalidArgument for lengths below 1, a negative number of calls, and
  // more calls than cycle_length.
  Dataset Interleave(FlatMapFunction function,
                     const InterleaveOptions& options) const;
  // The elements of function(first window), then of function(second), ...
  //   Range(5).Window({.size = 3}, [](const Dataset& window) {
  //     return window.Batch(3);
  //   });                                  // [0, 1, 2], [3, 4]
  // In TensorFlow windows are elements, for flat_map. Here elements are tensors
  // only, so Window is both. A window of tuples is one dataset, of tuples.
  // element_spec() calls `function` with the first element as a window. Errors:
  // InvalidArgument for numbers below 1.
  Dataset Window(const WindowOptions& options, WindowFunction function) const;
  // The elements of reduce(key, window) for each `window_size` elements with
  // the same key; in the end for what is left, smallest key first.
  // element_spec() as for Window. Errors, when read: InvalidArgument for a size
  // below 1.
  Dataset GroupByWindow(KeyFunction key, ReduceFunction reduce,
                        std::function<int64_t(int64_t key)> window_size) const;
  Dataset GroupByWindow(KeyFunction key, ReduceFunction reduce,
                        int64_t window_size) const;
  // PaddedBatches of elements of similar length. Errors: InvalidArgument unless
  // boundaries increase and there is one batch size, above 0, more than of them.
  Dataset BucketBySequenceLength(KeyFunction length,
                                 const BucketOptions& options) const;
  // Tuples (int64 start + position, element).
  Dataset Enumerate(int64_t start = 0) const;
  // Keeps the elements of the first complete pass in memory for later passes.
  Dataset Cache() const;
  // Keeps them in `file`.index and `file`.data-*, in TensorFlow's format, and
  // reads these files instead of the input once they exist. A pass that was
  // left early or threw an error is not kept.
  // Errors, of a pass: those of files; DataLoss for a damaged one;
  // InvalidArgument for elements that do not match element_spec().
  Dataset Cache(const std::string& file) const;
  // Makes up to `buffer_size` elements ahead (< 0: the library chooses) on
  // another thread, or on the caller's if that is cheaper than handing them
  // over.
  Dataset Prefetch(int64_t buffer_size) const;
  // Asserts that there are `count` elements. Not checked by a worker that reads
  // only its own files or hinted shard. Errors: InvalidArgument below -1;
  // FailedPrecondition in a pass of another length.
  Dataset AssertCardinality(int64_t count) const;
  // The same elements; `options` replaces the options given before.
  Dataset WithOptions(const DatasetOptions& options) const;

  // A pass to a folder, and its elements in order from there (saved/saved.h).
  void Save(const std::string& folder, const SaveOptions& options = {}) const;
  static Dataset Load(const std::string& folder);

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

// The pipeline, for people: what its elements are and how many, and a line for
// each operation, with its input below.
//
//   ToString(Dataset::Range(6).Shuffle(6, 1).Batch(4));
//   // Dataset
//   // element_spec: int64 (None,)
//   // cardinality: 2
//   // Batch(size=4)
//   //   Shuffle(buffer_size=6, seed=1)
//   //     Range(stop=6)
//
// Arguments that have their default are left out, and so are functions. What
// several operations read has a number and is shown once. For element_spec() it
// may call functions of the program; their errors are shown.
std::string ToString(const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_H_
