// Where remote variables are kept: the parameter servers.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_REMOTE_HOME_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_REMOTE_HOME_H_

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/optimizers/rule_home.h"
#include "reference/parameter_server/variables/parameter_client.h"

namespace lockstep {

class RemoteHome : public RuleHome {
 public:
  explicit RemoteHome(std::shared_ptr<ParameterClient> client)
      : client_(std::move(client)) {}

  ParameterClient& client() const { return *client_; }

  // Reads the values, runs the rule here, and writes them if no other process
  // has changed one meanwhile; else it begins again. Errors: Unimplemented for
  // variables of several servers, which cannot be changed together.
  void UpdateTogether(std::string_view name,
                      const std::vector<Variable*>& variables,
                      std::span<const Tensor> inputs,
                      const UpdateRule& rule) override;

  // The servers apply the rule. Errors: as Optimizer::ApplyGradients.
  void ApplyRule(const Step& step) override;

 private:
  const std::shared_ptr<ParameterClient> client_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_REMOTE_HOME_H_
