// Builds the name of a benchmark entry: a path, then labelled parameters.
//
//   EntryName("Train").With("workload", "mnist_cnn").With("replicas", 2).str()
//   // "Train/workload:mnist_cnn/replicas:2"
//
// Parameters keep the order they were given in: the same entry always has the
// same name, and results of different runs can be compared by it.
#ifndef LOCKSTEP_BENCHMARKS_ENTRY_NAME_H_
#define LOCKSTEP_BENCHMARKS_ENTRY_NAME_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::benchmarks {

class EntryName {
 public:
  // Errors: InvalidArgument for an empty path or one with a space.
  explicit EntryName(std::string_view path);

  // Errors: InvalidArgument when label or value is empty or holds a space, a
  // slash or a colon.
  EntryName& With(std::string_view label, std::string_view value);
  EntryName& With(std::string_view label, int64_t value);

  const std::string& str() const { return name_; }

 private:
  std::string name_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_ENTRY_NAME_H_
