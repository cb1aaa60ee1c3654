// Values of a file that wait until all are known to be good: a load that fails
// changes nothing.
//
//   Assignments assignments("[LoadWeights] model.weights.h5");
//   for (...) assignments.Add(value, path, stored);
//   assignments.Apply();
#ifndef LOCKSTEP_REFERENCE_EXPORT_ASSIGNMENTS_H_
#define LOCKSTEP_REFERENCE_EXPORT_ASSIGNMENTS_H_

#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

class Assignments {
 public:
  // `origin` leads messages.
  explicit Assignments(std::string origin) : origin_(std::move(origin)) {}

  // `stored` lies under `path`. One of another floating type, or integer type,
  // is cast. Errors: InvalidArgument for another shape or kind.
  void Add(Trackable::Value value, const std::string& path,
           const Tensor& stored);
  void Apply() const;

 private:
  std::string origin_;
  std::vector<std::pair<Trackable::Value, Tensor>> values_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_ASSIGNMENTS_H_
