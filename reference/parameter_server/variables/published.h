// Conversions between a client's structures and messages.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PUBLISHED_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PUBLISHED_H_

#include "reference/base/naming/object_config.h"
#include "reference/parameter_server/rpc/parameter.pb.h"
#include "reference/parameter_server/variables/parameter_client.h"

namespace lockstep::parameter_server {

Published ToMessage(const PublishedVariable& variable);
// Errors: Internal for a variable that is not on these servers, or whose rows do
// not add up.
PublishedVariable FromMessage(const Published& message, int num_servers);

// Errors: Unimplemented for a setting that is a list or an object.
Rule ToMessage(const ObjectConfig& config);

}  // namespace lockstep::parameter_server

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PUBLISHED_H_
