// Collects values from a file, then assigns them all. So a load that fails
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
  // `origin` begins error messages.
  explicit Assignments(std::string origin) : origin_(std::move(origin)) {}

  // `path` is the place of `stored` in the file. Casts between floating types and
  // between integer types. Errors: InvalidArgument if the shape differs, or the
  // types are of different kinds.
  void Add(Trackable::Value value, const std::string& path,
           const Tensor& stored);
  void Apply() const;

 private:
  std::string origin_;
  std::vector<std::pair<Trackable::Value, Tensor>> values_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_ASSIGNMENTS_H_
