// Replaces numbers by the number of the bin that they are in.
//
//   Discretization bins({.bin_boundaries = {{0, 1, 2}}});
//   bins(x);    // [[-1.5, 1.0, 3.4, 0.5]] -> int32 [[0, 2, 3, 1]]
//
//   Discretization quartiles({.num_bins = 4});
//   quartiles.Adapt(features);    // boundaries with equal numbers in each bin
//
// A number on a boundary is in the bin above it, NaN in the last one. The other
// output modes return vectors of the compute type, with an entry for each bin:
// preprocessing/output_mode.h. Keras names and defaults, except that vectors
// are of the last axis, as Keras documents, also for inputs of three axes.
//
// Boundaries are part of the configuration, so files of models have them.
// Checkpoints do not, as in Keras. In the scope of a strategy over several
// workers all of them adapt together, as with Normalization.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_DISCRETIZATION_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_DISCRETIZATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/data/dataset.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/preprocessing/agreed_state.h"
#include "reference/preprocessing/numeric/quantile_summary.h"
#include "reference/preprocessing/output_mode.h"

namespace lockstep {

struct DiscretizationOptions {
  // In ascending order.
  std::optional<std::vector<float>> bin_boundaries = std::nullopt;
  // Instead of boundaries: the number of bins that Adapt makes.
  std::optional<int64_t> num_bins = std::nullopt;
  // Adapt reads quantiles from about 1 / epsilon values.
  double epsilon = 0.01;
  OutputMode output_mode = OutputMode::kInt;  // not kTfIdf
  std::optional<DTypePolicy> dtype =
      std::nullopt;  // default: the global policy
  std::string name =
      "";  // "discretization", "discretization_1", ... by default
};

class DiscretizationImpl : public TensorLayerImpl {
 public:
  explicit DiscretizationImpl(const DiscretizationOptions& options);

  // Errors: FailedPrecondition for vectors before there are boundaries.
  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

  // As Discretization's.
  void Adapt(const Dataset& data);
  void Adapt(const Tensor& data);
  QuantileSummary SummaryOf(const Dataset& data) const;
  QuantileSummary SummaryOf(const Tensor& data) const;
  void Adopt(const QuantileSummary& summary);
  // Errors: FailedPrecondition before Adapt.
  const std::vector<float>& boundaries() const;

 protected:
  // Errors: FailedPrecondition before Adapt, and in Run if the boundaries differ
  // between workers; InvalidArgument for strings.
  Tensor Call(const Tensor& x, bool training) override;

 private:
  void CheckAdaptable() const;
  void AdoptParts(const std::vector<std::vector<Tensor>>& parts);
  void VisitState(const preprocessing_internal::StateVisitor& visit) const;

  DiscretizationOptions options_;
  std::optional<std::vector<float>> boundaries_;
  preprocessing_internal::AgreedState agreed_;
};

class Discretization : public Layer {
 public:
  // Errors: InvalidArgument unless there are either boundaries or bins; for
  // boundaries out of order or NaN, less than 1 bin, an epsilon outside (0, 1],
  // and kTfIdf.
  explicit Discretization(const DiscretizationOptions& options)
      : Layer(std::make_shared<DiscretizationImpl>(options)) {}

  // Computes the boundaries from all numbers of `data`, and replaces the old
  // ones. Of elements (x, y) of a dataset x counts. REQUIRES: no thread calls
  // the layer meanwhile.
  //
  // Errors, on all workers: FailedPrecondition inside Strategy::Run, for a layer
  // with given boundaries, and if workers have different data; InvalidArgument
  // for no numbers at all, of which Keras makes one bin, for an endless dataset
  // and for strings.
  void Adapt(const Dataset& data) const { discretization().Adapt(data); }
  void Adapt(const Tensor& data) const { discretization().Adapt(data); }

  // The two halves of Adapt on one worker, for data in several parts. Errors: as
  // Adapt.
  QuantileSummary SummaryOf(const Dataset& data) const {
    return discretization().SummaryOf(data);
  }
  QuantileSummary SummaryOf(const Tensor& data) const {
    return discretization().SummaryOf(data);
  }
  void Adopt(const QuantileSummary& summary) const {
    discretization().Adopt(summary);
  }

  const std::vector<float>& boundaries() const {
    return discretization().boundaries();
  }

 private:
  DiscretizationImpl& discretization() const {
    return static_cast<DiscretizationImpl&>(impl());
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_DISCRETIZATION_H_
