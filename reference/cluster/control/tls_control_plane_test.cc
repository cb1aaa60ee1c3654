// Which workers may join if both sides present certificates.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>

#include "reference/base/error_testing.h"
#include "reference/cluster/control/certificates_testing.h"
#include "reference/cluster/control/grpc_control_plane_testing.h"

namespace lockstep {
namespace {

class TlsTest : public testing::Test {
 protected:
  TlsTest() {
    options_.tls = ours_.Issue("chief", kTestHost);
    options_.token = "sesame";
    chief_ = StartChief(WorkerOf(2, 0), options_);
    options_.tls = ours_.Issue("worker", kTestHost);
    options_.chief = chief_.address();
  }
  // The right worker can still join after other processes have tried.
  void TearDown() override {
    const auto worker = ConnectControlPlane(WorkerOf(2, 1), Good());
    const auto first = chief_.control.get();
    auto met = std::async(std::launch::async,
                          [&] { worker->Exchange("on", "b", Soon()); });
    EXPECT_EQ(first->Exchange("on", "a", Soon())[1], "b");
    met.get();
  }

  ControlPlaneOptions Good() const { return options_; }
  void ExpectKeptOut(ControlPlaneOptions options, const std::string& words) {
    options.join_timeout = std::chrono::milliseconds(400);
    ExpectError([&] { ConnectControlPlane(WorkerOf(2, 1), options); },
                Code::kUnauthenticated, words);
  }

  const TestAuthority ours_{"ours"};
  const TestAuthority other_{"other"};
  ControlPlaneOptions options_;
  Chief chief_;
};

TEST_F(TlsTest, BothSidesOfOneAuthorityConnect) {}

TEST_F(TlsTest, AWrongTokenIsRefused) {
  ControlPlaneOptions options = Good();
  options.token = "salami";
  ExpectKeptOut(options, "wrong token");
}

TEST_F(TlsTest, ACertificateOfAnotherAuthorityIsRefused) {
  ControlPlaneOptions options = Good();
  options.tls = other_.Issue("other", kTestHost);
  options.tls->authority = Good().tls->authority;
  ExpectKeptOut(options, "does not trust this worker's certificate");
}

TEST_F(TlsTest, AChiefOfAnotherAuthorityIsNotTrusted) {
  ControlPlaneOptions options = Good();
  options.tls->authority = other_.Issue("other", kTestHost).authority;
  ExpectKeptOut(options, "is not trusted: ");
}

TEST_F(TlsTest, APlaintextWorkerIsRefused) {
  ControlPlaneOptions options = Good();
  options.tls = std::nullopt;
  ExpectKeptOut(options, "only one of them has TLS");
}

TEST_F(TlsTest, AFailedHandshakeWritesNothingToStderr) {
  ControlPlaneOptions options = Good();
  options.tls = other_.Issue("other", kTestHost);
  options.join_timeout = std::chrono::milliseconds(400);
  testing::internal::CaptureStderr();
  EXPECT_EQ(CodeOf([&] { ConnectControlPlane(WorkerOf(2, 1), options); }),
            Code::kUnauthenticated);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// The first error is reported, even if the chief has ended since.
TEST_F(TlsTest, APlaintextWorkerOutlivesTheChief) {
  ControlPlaneOptions options = Good();
  options.join_timeout = std::chrono::milliseconds(600);
  Chief chief = StartChief(WorkerOf(2, 0), options);
  options.chief = chief.address();
  options.tls = std::nullopt;
  options.join_timeout = std::chrono::milliseconds(2000);
  ExpectError([&] { ConnectControlPlane(WorkerOf(2, 1), options); },
              Code::kUnauthenticated, "only one of them has TLS");
  EXPECT_EQ(CodeOf([&] { chief.control.get(); }), Code::kDeadlineExceeded);
}

TEST_F(TlsTest, FilesAreCheckedBeforeConnecting) {
  ControlPlaneOptions options = Good();
  options.tls->key = ours_.Issue("another", kTestHost).key;
  ExpectError([&] { ConnectControlPlane(WorkerOf(2, 1), options); },
              Code::kInvalidArgument, "is not the key of");
  options.tls->key = options.tls->certificate;
  ExpectError([&] { ConnectControlPlane(WorkerOf(2, 1), options); },
              Code::kInvalidArgument, "no key in");
  options.tls->authority = options_.tls->key;
  ExpectError([&] { ConnectControlPlane(WorkerOf(2, 1), options); },
              Code::kInvalidArgument, "no certificate in");
  options.tls->authority = "nowhere.pem";
  ExpectError([&] { ConnectControlPlane(WorkerOf(2, 1), options); },
              Code::kNotFound, "cannot read nowhere.pem: No such file");
}

TEST(TlsChiefTest, AnotherNameInTheCertificateIsNotTrusted) {
  const TestAuthority ours("ours");
  ControlPlaneOptions options;
  options.tls = ours.Issue("chief", "10.1.2.3");
  options.join_timeout = std::chrono::milliseconds(400);
  Chief chief = StartChief(WorkerOf(2, 0), options);
  options.chief = chief.address();
  ExpectError([&] { ConnectControlPlane(WorkerOf(2, 1), options); },
              Code::kUnauthenticated, "127.0.0.1 is not in peer certificate");
  EXPECT_EQ(CodeOf([&] { chief.control.get(); }), Code::kDeadlineExceeded);
}

}  // namespace
}  // namespace lockstep
