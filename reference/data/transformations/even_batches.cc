#include "reference/data/transformations/even_batches.h"

#include <vector>

#include "reference/base/error.h"
#include "reference/data/element.h"

namespace lockstep {
namespace {

int64_t RowsIn(const Structure& batch) { return batch.Flatten()[0].dim(0); }

// The specs with an unknown number of rows.
SpecStructure OfAnyRows(const SpecStructure& batches) {
  return batches.Map<TensorSpec>([](TensorSpec spec) {
    spec.shape = spec.shape.WithDim(0, kUnknownDim);
    return spec;
  });
}

Structure FirstRows(const Structure& batch, int64_t rows) {
  return batch.Map<Tensor>(
      [rows](const Tensor& leaf) { return leaf.Slice(0, rows); });
}

Structure RowOf(const Structure& batch, int64_t row) {
  return batch.Map<Tensor>([row](const Tensor& leaf) { return leaf.Row(row); });
}

// The rows of `batch`, then `more` rows of `padding` from its first one on,
// repeated if there are too few.
Structure WithRows(const Structure& batch, const Structure& padding,
                   int64_t more) {
  std::vector<Structure> rows;
  for (int64_t row = 0; row < RowsIn(batch); ++row) {
    rows.push_back(RowOf(batch, row));
  }
  for (int64_t added = 0; added < more; ++added) {
    rows.push_back(RowOf(padding, added % RowsIn(padding)));
  }
  return data_internal::Stack("EvenBatches", rows);
}

void Check(const EvenBatchOptions& options) {
  if (options.batch_size < 1 || options.shares < 1) {
    throw InvalidArgument(
        "[EvenBatches] batch_size and shares must be at least 1, got {} and {}",
        options.batch_size, options.shares);
  }
  if (options.padding && RowsIn(*options.padding) == 0) {
    throw InvalidArgument("[EvenBatches] padding must have at least one row");
  }
}

// Drops the examples that do not fit in the last batch beforehand, so that the
// number of batches is known.
Dataset WithoutTail(const Dataset& examples, const EvenBatchOptions& options) {
  const int64_t count = examples.cardinality();
  if (count < 0) {
    throw InvalidArgument(
        "[EvenBatches] dropping examples requires a known number of them; give "
        "`padding`, or assert the number with AssertCardinality");
  }
  // Nothing would be left of any batch.
  if (options.batch_size < options.shares) return examples.Take(0);
  return examples.Take(count - count % options.batch_size % options.shares);
}

}  // namespace

Dataset EvenBatches(const Dataset& examples, const EvenBatchOptions& options) {
  Check(options);
  const Dataset kept =
      options.padding ? examples : WithoutTail(examples, options);
  const Dataset batches =
      kept.Batch(options.batch_size, options.drop_remainder);
  const auto even = [options](const Structure& batch) {
    const int64_t rows = RowsIn(batch);
    const int64_t beyond = rows % options.shares;
    if (beyond == 0) return batch;
    return options.padding
               ? WithRows(batch, *options.padding, options.shares - beyond)
               : FirstRows(batch, rows - beyond);
  };
  return batches.Map(even, OfAnyRows(batches.element_spec()));
}

}  // namespace lockstep
