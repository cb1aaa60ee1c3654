// Metrics by the names Keras knows them by.
#ifndef LOCKSTEP_REFERENCE_METRICS_NAMED_METRIC_H_
#define LOCKSTEP_REFERENCE_METRICS_NAMED_METRIC_H_

#include <memory>
#include <string>
#include <string_view>

#include "reference/metrics/metric.h"
#include "reference/tensor/shape.h"

namespace lockstep {

// A metric with Keras' defaults that keeps the name it was asked for by:
// "mean_squared_error", "MeanSquaredError" and "mse" are three names of one.
//
//   NamedMetric("mse")->name();   // "mse"
//
// Errors: InvalidArgument, with the names there are; for "accuracy", which
// depends on shapes: AccuracyFor.
std::shared_ptr<Metric> NamedMetric(std::string_view name);

// "accuracy" or "acc", in any case.
bool IsAccuracyName(std::string_view name);

// What "accuracy" is for labels and predictions of these shapes, as Keras has
// it: binary where the last axis of predictions has length 1, else sparse
// categorical where labels have an axis less or a last one of length 1, else
// categorical.
//
//   AccuracyFor({64}, {64, 10});       // SparseCategoricalAccuracy
//   AccuracyFor({64, 1}, {64, 1});     // BinaryAccuracy
//   AccuracyFor({64, 10}, {64, 10});   // CategoricalAccuracy
//
// Errors: InvalidArgument for predictions that are a scalar.
std::shared_ptr<Metric> AccuracyFor(const Shape& labels,
                                    const Shape& predictions,
                                    const std::string& name = "accuracy");

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_NAMED_METRIC_H_
