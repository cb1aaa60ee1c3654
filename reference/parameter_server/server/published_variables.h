// The program's variables, by their order, as the coordinator announced them.
//
//   PublishedVariables published;
//   published.Await(0, "w", answer);                  // waits
//   published.Publish(0, variable_named_w);           // answer(variable)
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_PUBLISHED_VARIABLES_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_PUBLISHED_VARIABLES_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/parameter_server/rpc/message.h"
#include "reference/parameter_server/rpc/parameter.pb.h"

namespace lockstep::parameter_server {

// Thread-safe. Answers are called without a lock.
class PublishedVariables {
 public:
  // Errors: FailedPrecondition if there is one of this index.
  void Publish(uint64_t index, Published variable);
  // Answers with the variable's Published as soon as there is one;
  // FailedPrecondition if it has another name.
  void Await(uint64_t index, const std::string& name, rpc::Done answer);
  // Answers all that wait, and later ones for variables that there are not, with
  // this error.
  void Close(const Error& why);

 private:
  struct Waiting {
    std::string name;
    rpc::Done answer;
  };

  std::mutex mutex_;
  std::map<uint64_t, Published> variables_;
  std::multimap<uint64_t, Waiting> waiting_;
  std::optional<Error> closed_;
};

}  // namespace lockstep::parameter_server

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_PUBLISHED_VARIABLES_H_
