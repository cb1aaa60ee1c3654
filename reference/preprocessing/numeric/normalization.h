// Shifts and scales numbers to mean 0 and variance 1, by the moments of data
// that the layer saw before training. Keras' names and defaults.
//
//   Normalization normalization;          // one mean for each last index
//   normalization.Adapt(features);        // a Dataset of batches, or a Tensor
//   normalization(x);                     // (x - mean) / sqrt(variance)
//
//   Normalization by_hand(
//       {.mean = Tensor::Scalar(3.0f), .variance = Tensor::Scalar(4.0f)});
//
// A standard deviation below 1e-7 counts as 1e-7. Until Adapt the mean is 0 and
// the variance 1, so the layer returns its input.
//
// The moments are variables, not trained: mean and variance (float32), and
// count (int64), the number of values of each mean. Made in a strategy's scope
// they are mirrored. Checkpoints name them `adapt_mean`, `adapt_variance` and
// `count`, as Keras 3 does. The layer reads them in each call, also in a
// dataset's function that was made before: after Adapt and after a restore
// every use normalizes by the new moments. Keras 3 copies them into constants,
// which a restored checkpoint does not change.
//
// In the scope of a strategy over several workers all of them call Adapt
// together. They read the dataset once between them, and all get the same
// moments, bit for bit (preprocessing/adaptation.h). Outside the scope only the
// calling process' data is read; Run then refuses a layer whose moments differ
// between workers.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_NORMALIZATION_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_NORMALIZATION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/data/dataset.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/preprocessing/agreed_state.h"
#include "reference/preprocessing/numeric/batch_moments.h"
#include "reference/preprocessing/numeric/moments.h"

namespace lockstep {

struct NormalizationOptions {
  // The axes whose every index has its own mean; negative ones count from the
  // end. None: one mean for all numbers.
  std::vector<int> axis = {-1};
  // Given together, of one shape: a scalar, or the sizes of the last of these
  // axes. Undefined: Adapt computes them.
  Tensor mean = {};
  Tensor variance = {};
  bool invert = false;  // x * sqrt(variance) + mean
  std::optional<DTypePolicy> dtype =
      std::nullopt;       // default: the global policy
  std::string name = "";  // "normalization", "normalization_1", ... by default
};

class NormalizationImpl : public TensorLayerImpl {
 public:
  explicit NormalizationImpl(const NormalizationOptions& options);

  // Errors: InvalidArgument for an axis that does not exist, is given twice, is
  // the batch or has an unknown size.
  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

  // As Normalization's.
  void Adapt(const Dataset& data);
  void Adapt(const Tensor& data);
  Moments MomentsOf(const Dataset& data);
  Moments MomentsOf(const Tensor& data);
  void Adopt(const Moments& moments);

 protected:
  void MakeWeights(const Shape& input_shape) override;
  // Errors: InvalidArgument for strings, and for other sizes of the axes than
  // the layer was built for; FailedPrecondition in Run if the moments differ
  // between workers.
  Tensor Call(const Tensor& x, bool training) override;

 private:
  // The axes, counted from 0, in order.
  std::vector<int> AxesOf(const Shape& shape) const;
  // The sizes of these axes.
  Shape ChannelsOf(const Shape& shape) const;
  void CheckAdaptable() const;
  void CheckChannels(const char* operation, const Shape& shape,
                     const Shape& channels) const;
  using Found = std::optional<preprocessing_internal::BatchMoments>;
  // Adds a batch. Changes nothing else.
  void AddBatch(const Tensor& x, Found& found) const;
  Found FindIn(const Dataset& data) const;
  Found FindIn(const Tensor& data) const;
  // Builds the layer for these batches. Errors: InvalidArgument for none.
  Moments BuildFor(const Found& found);
  void VisitState(const preprocessing_internal::StateVisitor& visit) const;
  // In the compute type, of x's rank.
  Tensor Broadcastable(const Tensor& moment, const Shape& x) const;

  NormalizationOptions options_;
  Shape channels_;        // of the weights
  VariablePtr mean_;      // nullptr if given
  VariablePtr variance_;  // nullptr if given
  VariablePtr count_;     // nullptr if given
  preprocessing_internal::AgreedState agreed_;
};

class Normalization : public Layer {
 public:
  // Errors: InvalidArgument for a mean without a variance, and for shapes that
  // differ or have more axes than `axis`.
  explicit Normalization(const NormalizationOptions& options = {})
      : Layer(std::make_shared<NormalizationImpl>(options)) {}

  // Computes the moments of all of `data`, whose axis 0 is the batch, and
  // replaces the old ones. A dataset's elements are batches, or single rows if
  // they are vectors; of a tuple (x, y) the first counts. If it fails, the
  // moments are unchanged.
  //
  // Errors, on all workers: FailedPrecondition inside Strategy::Run, for a layer
  // with a given mean, and if workers have different data; InvalidArgument for
  // no data at all, which Keras takes for mean 0 and variance 0, for an endless
  // dataset, strings, and batches whose shapes do not fit.
  void Adapt(const Dataset& data) const { normalization().Adapt(data); }
  void Adapt(const Tensor& data) const { normalization().Adapt(data); }

  // The two halves of Adapt on one worker, for data in several parts. Columns
  // are the indices of the axes, in row-major order.
  //
  //   Moments all = normalization.MomentsOf(first);
  //   all.Merge(normalization.MomentsOf(second));
  //   normalization.Adopt(all);
  //
  // Errors: as Adapt; Adopt: InvalidArgument for another number of columns,
  // FailedPrecondition before the layer is built.
  Moments MomentsOf(const Dataset& data) const {
    return normalization().MomentsOf(data);
  }
  Moments MomentsOf(const Tensor& data) const {
    return normalization().MomentsOf(data);
  }
  void Adopt(const Moments& moments) const { normalization().Adopt(moments); }

 private:
  NormalizationImpl& normalization() const {
    return static_cast<NormalizationImpl&>(impl());
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_NORMALIZATION_H_
