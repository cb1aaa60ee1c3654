// A testee that runs every program on one replica. A case about several
// replicas that it passes shows nothing about them.
//
//   ReferenceTestee reference;
//   OneReplicaTestee testee(reference);
//   testee.Run({.given = {{"strategy", "mirrored"}, {"replicas", 4}}, ...});
//   // on one replica; the machine still has four devices
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_MINIATURES_ONE_REPLICA_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_MINIATURES_ONE_REPLICA_H_

#include <nlohmann/json.hpp>

#include "conformance/runner/testee.h"

namespace lockstep {

class OneReplicaTestee : public Testee {
 public:
  // REQUIRES: `testee` outlives this object.
  explicit OneReplicaTestee(Testee& testee) : testee_(testee) {}

  const TesteeDeclaration& Start() override { return testee_.Start(); }

  Answer Run(const Request& request) override {
    Request alone = request;
    Json& given = alone.given;
    if (given.contains("replicas")) {
      const Json replicas = given["replicas"];
      given["logical_devices"] = given.value("logical_devices", replicas);
      given["replicas"] = 1;
    }
    for (Json& step : alone.program) {
      if (step["step"] == "job.run") step["replicas"] = 1;
    }
    return testee_.Run(alone);
  }

 private:
  Testee& testee_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_MINIATURES_ONE_REPLICA_H_
