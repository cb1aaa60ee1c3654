#include "reference/data/dataset.h"

#include <exception>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/grouping/grouping.h"
#include "reference/data/mixing/mixing.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/saved/saved.h"
#include "reference/data/sources/sources.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {

namespace internal = data_internal;

Dataset Dataset::Range(int64_t start, int64_t stop, int64_t step) {
  return Dataset(internal::MakeRange(start, stop, step));
}

Dataset Dataset::FromTensors(const Structure& element) {
  return Dataset(internal::MakeTensors(element));
}

Dataset Dataset::FromTensorSlices(const Structure& tensors) {
  return Dataset(internal::MakeTensorSlices(tensors));
}

Dataset Dataset::FromTensorSlices(std::initializer_list<Structure> tuple) {
  return FromTensorSlices(Structure::Tuple(tuple));
}

Dataset Dataset::FromGenerator(std::function<Generator()> start,
                               SpecStructure element_spec) {
  return Dataset(
      internal::MakeGenerator(std::move(start), std::move(element_spec)));
}

Dataset Dataset::FromTextLines(std::vector<std::string> files,
                               Compression compression) {
  return Dataset(internal::MakeTextLines(std::move(files), compression));
}

Dataset Dataset::FromFixedLengthRecords(std::vector<std::string> files,
                                        const FixedLengthLayout& layout,
                                        Compression compression) {
  return Dataset(
      internal::MakeFixedLengthRecords(std::move(files), layout, compression));
}

Dataset Dataset::FromTFRecords(std::vector<std::string> files,
                               Compression compression) {
  return Dataset(internal::MakeTFRecords(std::move(files), compression));
}

Dataset Dataset::Random(std::optional<int64_t> seed,
                        std::optional<bool> rerandomize_each_iteration) {
  return Dataset(internal::MakeRandom(
      seed, rerandomize_each_iteration.value_or(!seed.has_value())));
}

Dataset Dataset::Load(const std::string& folder) {
  return Dataset(internal::MakeLoad(folder));
}

Dataset Dataset::ListFiles(const std::vector<std::string>& patterns,
                           bool shuffle, std::optional<int64_t> seed) {
  const std::vector<std::string> names = internal::MatchFiles(patterns);
  const HostScope scope;
  const Dataset files =
      FromTensorSlices(Tensor::FromVector<std::string>(names));
  return shuffle ? files.Shuffle(std::ssize(names), seed) : files;
}

namespace {

std::vector<internal::NodePtr> NodesOf(const std::vector<Dataset>& datasets) {
  std::vector<internal::NodePtr> nodes;
  for (const Dataset& dataset : datasets) nodes.push_back(dataset.node());
  return nodes;
}

}  // namespace

Dataset Dataset::Zip(const std::vector<Dataset>& datasets) {
  return Dataset(internal::MakeZip(NodesOf(datasets)));
}

Dataset Dataset::ChooseFromDatasets(const std::vector<Dataset>& datasets,
                                    const Dataset& choice, bool stop_on_empty) {
  return Dataset(internal::MakeChooseFrom(NodesOf(datasets), choice.node(),
                                          stop_on_empty));
}

Dataset Dataset::SampleFromDatasets(const std::vector<Dataset>& datasets,
                                    const SampleOptions& options) {
  return Dataset(internal::MakeSampleFrom(NodesOf(datasets), options));
}

Dataset Dataset::Batch(int64_t size, bool drop_remainder) const {
  return Dataset(internal::MakeBatch(node_, size, drop_remainder));
}

Dataset Dataset::PaddedBatch(int64_t size, double padding,
                             bool drop_remainder) const {
  return Dataset(
      internal::MakePaddedBatch(node_, size, padding, drop_remainder));
}

Dataset Dataset::Unbatch() const {
  return Dataset(internal::MakeUnbatch(node_));
}

Dataset Dataset::Shuffle(int64_t buffer_size, std::optional<int64_t> seed,
                         bool reshuffle_each_iteration) const {
  return Dataset(internal::MakeShuffle(node_, buffer_size, seed,
                                       reshuffle_each_iteration));
}

Dataset Dataset::Repeat(int64_t count) const {
  return Dataset(internal::MakeRepeat(node_, count));
}

Dataset Dataset::Take(int64_t count) const {
  return Dataset(internal::MakeTake(node_, count));
}

Dataset Dataset::Skip(int64_t count) const {
  return Dataset(internal::MakeSkip(node_, count));
}

Dataset Dataset::Shard(int64_t num_shards, int64_t index) const {
  return Dataset(internal::MakeShard(node_, num_shards, index));
}

Dataset Dataset::Concatenate(const Dataset& other) const {
  return Dataset(internal::MakeConcatenate(node_, other.node_));
}

Dataset Dataset::Map(MapFunction function, const MapOptions& options) const {
  return Dataset(internal::MakeMap(node_, std::move(function), options));
}

Dataset Dataset::Map(MapFunction function,
                     std::optional<SpecStructure> output_spec) const {
  return Map(std::move(function),
             MapOptions{.output_spec = std::move(output_spec)});
}

Dataset Dataset::Filter(FilterFunction predicate) const {
  return Dataset(internal::MakeFilter(node_, std::move(predicate)));
}

Dataset Dataset::TakeWhile(FilterFunction predicate) const {
  return Dataset(internal::MakeTakeWhile(node_, std::move(predicate)));
}

Dataset Dataset::Scan(const Structure& initial_state, ScanFunction function,
                      std::optional<SpecStructure> output_spec) const {
  return Dataset(internal::MakeScan(node_, initial_state, std::move(function),
                                    std::move(output_spec)));
}

Dataset Dataset::Unique() const { return Dataset(internal::MakeUnique(node_)); }

Dataset Dataset::IgnoreErrors() const {
  return Dataset(internal::MakeIgnoreErrors(node_));
}

namespace {

internal::NodeFunction GivingNodes(FlatMapFunction function) {
  if (!function) return nullptr;
  return [function = std::move(function)](const Structure& element) {
    return function(element).node();
  };
}

}  // namespace

Dataset Dataset::FlatMap(FlatMapFunction function) const {
  return Dataset(
      internal::MakeFlatMap(node_, GivingNodes(std::move(function))));
}

Dataset Dataset::Interleave(FlatMapFunction function,
                            const InterleaveOptions& options) const {
  return Dataset(internal::MakeInterleave(
      node_, GivingNodes(std::move(function)), options));
}

Dataset Dataset::Window(const WindowOptions& options,
                        WindowFunction function) const {
  internal::WindowNodeFunction nodes;
  if (function) {
    nodes = [function = std::move(function)](const internal::NodePtr& window) {
      return function(Dataset(window)).node();
    };
  }
  return Dataset(internal::MakeWindow(node_, options, std::move(nodes)));
}

Dataset Dataset::GroupByWindow(
    KeyFunction key, ReduceFunction reduce,
    std::function<int64_t(int64_t key)> window_size) const {
  internal::GroupFunctions functions{.key = std::move(key),
                                     .reduce = nullptr,
                                     .window_size = std::move(window_size)};
  if (reduce) {
    functions.reduce = [reduce = std::move(reduce)](
                           int64_t group, const internal::NodePtr& window) {
      return reduce(group, Dataset(window)).node();
    };
  }
  return Dataset(internal::MakeGroupByWindow(node_, std::move(functions)));
}

Dataset Dataset::GroupByWindow(KeyFunction key, ReduceFunction reduce,
                               int64_t window_size) const {
  return GroupByWindow(std::move(key), std::move(reduce),
                       [window_size](int64_t) { return window_size; });
}

Dataset Dataset::BucketBySequenceLength(KeyFunction length,
                                        const BucketOptions& options) const {
  return Dataset(
      internal::MakeBucketBySequenceLength(node_, std::move(length), options));
}

Dataset Dataset::Enumerate(int64_t start) const {
  return Dataset(internal::MakeEnumerate(node_, start));
}

Dataset Dataset::Cache() const { return Dataset(internal::MakeCache(node_)); }

Dataset Dataset::Cache(const std::string& file) const {
  if (file.empty()) throw InvalidArgument("[Cache] the file has no name");
  return Dataset(internal::MakeFileCache(node_, file));
}

Dataset Dataset::Prefetch(int64_t buffer_size) const {
  return Dataset(internal::MakePrefetch(node_, buffer_size));
}

Dataset Dataset::AssertCardinality(int64_t count) const {
  return Dataset(internal::MakeAssertCardinality(node_, count));
}

Dataset Dataset::WithOptions(const DatasetOptions& options) const {
  return Dataset(internal::MakeOptions(node_, options));
}

void Dataset::Save(const std::string& folder,
                   const SaveOptions& options) const {
  internal::SaveElements(*node_, folder, options);
}

DatasetIterator Dataset::MakeIterator() const {
  return DatasetIterator(internal::OpenPass(*node_));
}

ElementCursor<DatasetIterator> Dataset::begin() const {
  return ElementCursor<DatasetIterator>(MakeIterator());
}

namespace {

std::string SpecText(const Dataset& dataset) {
  try {
    return ToString(dataset.element_spec());
  } catch (const std::exception& error) {
    return std::string("unknown: ") + error.what();
  }
}

}  // namespace

std::string ToString(const Dataset& dataset) {
  return "Dataset\nelement_spec: " + SpecText(dataset) +
         "\ncardinality: " + internal::CardinalityText(dataset.cardinality()) +
         "\n" + internal::DescribeTree(*dataset.node());
}

}  // namespace lockstep
