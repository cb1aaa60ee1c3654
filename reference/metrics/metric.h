// A quantity gathered over many batches, by any number of replicas.
//
//   Mean loss("loss");
//   loss.UpdateState(Tensor::FromVector<float>({1, 2}));   // on each replica
//   loss.Result();                                         // 1.5
//   loss.ResetState();
//
// State is variables with synchronization on read and aggregation sum: replicas
// update their own copies without meeting, and a read across replicas sums. A
// replica without data changes nothing. REQUIRES: made in the scope of the
// strategy it is used with.
#ifndef LOCKSTEP_REFERENCE_METRICS_METRIC_H_
#define LOCKSTEP_REFERENCE_METRICS_METRIC_H_

#include <optional>
#include <string>
#include <vector>

#include "reference/autodiff/variable.h"

namespace lockstep {

class Metric : public Trackable {
 public:
  explicit Metric(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  const std::vector<VariablePtr>& variables() const { return variables_; }

  // Over all replicas outside Run, this replica's own inside.
  virtual double Result() const = 0;

  // Sets all copies to zero. REQUIRES: cross-replica context, or no strategy.
  void ResetState();

 protected:
  // A float32 scalar, zero at first, tracked under `name`.
  VariablePtr AddState(const std::string& name);
  static double Read(const VariablePtr& state);

 private:
  std::string name_;
  std::vector<VariablePtr> variables_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_METRIC_H_
