// Metrics by their names in Keras.
#ifndef LOCKSTEP_REFERENCE_METRICS_NAMED_METRIC_H_
#define LOCKSTEP_REFERENCE_METRICS_NAMED_METRIC_H_

#include <memory>
#include <string>
#include <string_view>

#include "reference/metrics/metric.h"
#include "reference/tensor/shape.h"

namespace lockstep {

// A metric with Keras' defaults, whose name is the given one.
// "mean_squared_error", "MeanSquaredError" and "mse" are the same metric.
//
//   NamedMetric("mse")->name();   // "mse"
//
// Errors: InvalidArgument, with a list of names; also for "accuracy", which
// depends on shapes: see AccuracyFor.
std::shared_ptr<Metric> NamedMetric(std::string_view name);

// Errors: InvalidArgument, with a list of names, unless it names a metric;
// "accuracy" does.
void CheckMetricName(std::string_view name);

// "accuracy" or "acc", in any case.
bool IsAccuracyName(std::string_view name);

// The metric "accuracy" for labels and predictions of these shapes, as in
// Keras: binary if the last axis of predictions has length 1, else sparse
// categorical if labels have one axis less or a last axis of length 1, else
// categorical.
//
//   AccuracyFor({64}, {64, 10});       // SparseCategoricalAccuracy
//   AccuracyFor({64, 1}, {64, 1});     // BinaryAccuracy
//   AccuracyFor({64, 10}, {64, 10});   // CategoricalAccuracy
//
// Errors: InvalidArgument for scalar predictions.
std::shared_ptr<Metric> AccuracyFor(const Shape& labels,
                                    const Shape& predictions,
                                    const std::string& name = "accuracy");

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_NAMED_METRIC_H_
