#include "reference/collectives/mesh/mesh_failure.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/cluster/control/control_plane_testing.h"
#include "reference/collectives/barrier.h"

namespace lockstep::collectives_internal {
namespace {

// Knows that the job has failed, and has not called its watches yet.
class LateControlPlane final : public ForwardingControlPlane {
 public:
  using ForwardingControlPlane::ForwardingControlPlane;

  void set_failure(const Error& failure) { failure_ = failure; }

  void Check() const override {
    if (failure_) throw Error(*failure_);
  }
  std::unique_ptr<Watch> OnFailure(
      std::function<void(const Error&)> /*on_failure*/) override {
    return std::make_unique<Watch>();
  }

 private:
  std::optional<Error> failure_;
};

class MeshFailureTest : public testing::Test {
 protected:
  // Returns the notice that the rank sends as it gives up.
  std::optional<MeshFailure::Notice> GiveUp(const Error& why) {
    std::optional<MeshFailure::Notice> sent;
    failure_.GiveUp(why,
                    [&](const MeshFailure::Notice& notice) { sent = notice; });
    return sent;
  }

  LateControlPlane control_{std::move(MakeThreadControlPlanes(1)[0])};
  MeshFailure failure_{control_};
};

TEST_F(MeshFailureTest, OtherRanksGetTheReasonOfTheFirstThatGivesUp) {
  const auto notice = GiveUp(DataLoss("[Test] {}", "broken"));
  ASSERT_TRUE(notice.has_value());
  MeshFailure other(control_);
  other.OnPeerNotice(*notice);
  ExpectError([&] { other.Check(); }, Code::kDataLoss, "broken");
  EXPECT_FALSE(GiveUp(PeerFailure()).has_value());
  ExpectError([&] { failure_.Check(); }, Code::kDataLoss, "broken");
}

// A notice of this rank would reach the others before the control plane does,
// and say that it was cancelled.
TEST_F(MeshFailureTest, ARankThatGivesUpAfterTheJobHasFailedSendsNoNotice) {
  control_.set_failure(Unavailable("[Test] {}", "worker 2 has died"));
  EXPECT_FALSE(GiveUp(PeerFailure()).has_value());
  ExpectError([&] { failure_.Rethrow(); }, Code::kUnavailable,
              "worker 2 has died");
}

}  // namespace
}  // namespace lockstep::collectives_internal
