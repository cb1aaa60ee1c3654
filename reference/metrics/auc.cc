#include "reference/metrics/auc.h"

#include <algorithm>
#include <cmath>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

constexpr char kName[] = "Auc";

void CheckFit(const Tensor& labels, const Tensor& predictions) {
  if (labels.num_elements() != predictions.num_elements()) {
    throw InvalidArgument("[{}] labels {} do not fit predictions {}", kName,
                          Describe(labels), Describe(predictions));
  }
  if (!predictions.on_host() || !labels.on_host()) {
    throw Unimplemented("[{}] has no kernel for predictions on {}", kName,
                        predictions.device().name());
  }
}

// The number of thresholds 0, 1 / (n - 1), ..., 1 that the score is above. The
// first one counts as less than 0, the last one as more than 1.
int64_t ThresholdsBelow(float score, int64_t thresholds) {
  if (!(score >= 0 && score <= 1)) {
    throw InvalidArgument("[{}] a score must be in [0, 1], got {}", kName,
                          score);
  }
  const auto steps = static_cast<float>(thresholds - 1);
  return std::max<int64_t>(static_cast<int64_t>(std::ceil(score * steps)), 1);
}

// For examples of one label, the total weight of those with scores above each
// threshold, and of all.
struct Weights {
  explicit Weights(int64_t thresholds) : above(thresholds) {}

  // Adds an example that is above `below` thresholds.
  void Add(int64_t below, double weight) {
    above[below - 1] += weight;
    all += weight;
  }
  // Turns the weights per threshold into sums.
  void Accumulate() {
    for (size_t i = above.size() - 1; i > 0; --i) above[i - 1] += above[i];
  }

  std::vector<double> above;
  double all = 0;
};

Tensor ToTensor(const std::vector<double>& values) {
  return Tensor::FromVector(std::vector<float>(values.begin(), values.end()));
}

Tensor Rest(const Weights& weights) {
  std::vector<double> rest;
  for (const double above : weights.above) rest.push_back(weights.all - above);
  return ToTensor(rest);
}

double Ratio(double part, double whole) {
  return whole == 0 ? 0.0 : part / whole;
}

// parts[i] / (parts[i] + others[i]).
std::vector<double> Shares(const std::vector<double>& parts,
                           const std::vector<double>& others) {
  std::vector<double> shares;
  for (size_t i = 0; i < parts.size(); ++i) {
    shares.push_back(Ratio(parts[i], parts[i] + others[i]));
  }
  return shares;
}

}  // namespace

Auc::Auc(const AucOptions& options) : Metric(options.name), options_(options) {
  if (options.num_thresholds < 2) {
    throw InvalidArgument("[{}] num_thresholds must be 2 or more, got {}",
                          kName, options.num_thresholds);
  }
  const Shape shape{options.num_thresholds};
  true_positives_ = AddState("true_positives", shape);
  false_positives_ = AddState("false_positives", shape);
  true_negatives_ = AddState("true_negatives", shape);
  false_negatives_ = AddState("false_negatives", shape);
}

void Auc::UpdateState(const Tensor& labels, const Tensor& predictions,
                      const std::optional<Tensor>& sample_weight) {
  CheckFit(labels, predictions);
  const Tensor truth = labels.Cast(DType::kFloat32);
  const Tensor scores = predictions.Cast(DType::kFloat32);
  const RowWeights weights(predictions, sample_weight);
  Weights positive(options_.num_thresholds), negative(options_.num_thresholds);
  for (int64_t i = 0; i < scores.num_elements(); ++i) {
    const float label = truth.at<float>(i);
    if (label != 0 && label != 1) {
      throw InvalidArgument("[{}] a label must be 0 or 1, got {}", kName,
                            label);
    }
    (label == 1 ? positive : negative)
        .Add(ThresholdsBelow(scores.at<float>(i), options_.num_thresholds),
             weights.At(i));
  }
  positive.Accumulate();
  negative.Accumulate();
  const HostScope on_host;
  AddTo(true_positives_, ToTensor(positive.above));
  AddTo(false_positives_, ToTensor(negative.above));
  AddTo(true_negatives_, Rest(negative));
  AddTo(false_negatives_, Rest(positive));
}

Auc::Counts Auc::Read() const {
  return {ReadAll(true_positives_), ReadAll(false_positives_),
          ReadAll(true_negatives_), ReadAll(false_negatives_)};
}

double Auc::Result() const {
  const Counts counts = Read();
  const std::vector<double> recall =
      Shares(counts.true_positives, counts.false_negatives);
  if (options_.curve == AucCurve::kRoc) {
    return Area(Shares(counts.false_positives, counts.true_negatives), recall);
  }
  if (options_.summation == AucSummation::kInterpolation) {
    return InterpolatedPrecision(counts);
  }
  return Area(recall, Shares(counts.true_positives, counts.false_positives));
}

// x falls from one threshold to the next.
double Auc::Area(const std::vector<double>& x,
                 const std::vector<double>& y) const {
  double area = 0;
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    double height = (y[i] + y[i + 1]) / 2;
    if (options_.summation == AucSummation::kMinoring) {
      height = std::min(y[i], y[i + 1]);
    } else if (options_.summation == AucSummation::kMajoring) {
      height = std::max(y[i], y[i + 1]);
    }
    area += (x[i] - x[i + 1]) * height;
  }
  return area;
}

// Between two thresholds the true positives t grow linearly with all positives
// p: t = t0 + slope * (p - p0). The precision t / p, summed over t, is slope *
// (t1 - t0 + (t0 - slope * p0) * log(p1 / p0)).
double Auc::InterpolatedPrecision(const Counts& counts) const {
  const std::vector<double>& t = counts.true_positives;
  double area = 0;
  for (size_t i = 0; i + 1 < t.size(); ++i) {
    const double p1 = t[i] + counts.false_positives[i];
    const double p0 = t[i + 1] + counts.false_positives[i + 1];
    const double slope = Ratio(t[i] - t[i + 1], std::max(p1 - p0, 0.0));
    const double logarithm = p0 > 0 && p1 > 0 ? std::log(p1 / p0) : 0;
    area +=
        Ratio(slope * (t[i] - t[i + 1] + (t[i + 1] - slope * p0) * logarithm),
              t[i + 1] + counts.false_negatives[i + 1]);
  }
  return area;
}

}  // namespace lockstep
