// Certificates for tests. Each test makes new ones.
//
//   const TestAuthority ours("ours"), other("other");
//   options.tls = ours.Issue("chief", "127.0.0.1");
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CERTIFICATES_TESTING_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CERTIFICATES_TESTING_H_

#include <memory>
#include <string>

#include "reference/cluster/control/control_plane_options.h"

namespace lockstep {

class TestAuthority {
 public:
  // Files are written to the test's temporary folder and begin with `name`.
  explicit TestAuthority(std::string name);
  ~TestAuthority();

  // A certificate of this authority, valid for a day, for the owner of that IP
  // address.
  TlsFiles Issue(const std::string& owner, const std::string& address) const;

 private:
  struct Keys;

  std::string PathOf(const std::string& file) const;

  const std::string name_;
  const std::unique_ptr<Keys> keys_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CERTIFICATES_TESTING_H_
