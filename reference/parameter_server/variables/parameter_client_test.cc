#include "reference/parameter_server/variables/parameter_client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/parameter_server/variables/parameter_servers_testing.h"

namespace lockstep {
namespace {

constexpr Place kOnFirst{.server = 0, .number = 0};
constexpr Place kOnSecond{.server = 1, .number = 1};

Change AddOf(const Place& place, float delta) {
  return {.place = place,
          .kind = Change::Kind::kAdd,
          .value = Tensor::Scalar(delta),
          .wants_value = true};
}

class ParameterClientTest : public testing::Test {
 protected:
  ParameterClientTest() {
    coordinator_->Create(kOnFirst, "a", Tensor::Scalar(1.0f));
    coordinator_->Create(kOnSecond, "b", Tensor::Scalar(10.0f));
  }

  std::vector<float> Now() {
    std::vector<float> values;
    for (const auto& value : coordinator_->Read({kOnFirst, kOnSecond})) {
      values.push_back(value.value.item<float>());
    }
    return values;
  }

  ServersOfTest servers_{2};
  std::shared_ptr<ParameterClient> coordinator_ =
      servers_.Connect(ParameterServerRole::kCoordinator);
  std::shared_ptr<ParameterClient> worker_ =
      servers_.Connect(ParameterServerRole::kWorker);
};

TEST_F(ParameterClientTest, ChangesValuesOfSeveralServers) {
  const ClosureScope scope(1);
  const std::vector<Tensor> after = worker_->Apply(
      {AddOf(kOnSecond, 1), AddOf(kOnFirst, 2), AddOf(kOnSecond, 3)});
  EXPECT_EQ(after[0].item<float>(), 11);
  EXPECT_EQ(after[1].item<float>(), 3);
  EXPECT_EQ(after[2].item<float>(), 14);
  EXPECT_EQ(Now(), (std::vector<float>{3, 14}));
}

// The first worker is lost on its way; the second one runs the whole function.
TEST_F(ParameterClientTest, AFunctionThatIsRunAgainIsAppliedOnce) {
  const auto second = servers_.Connect(ParameterServerRole::kWorker);
  {
    const ClosureScope scope(17);
    worker_->Apply({AddOf(kOnFirst, 1)});
    worker_->Apply({AddOf(kOnFirst, 1)});
  }
  worker_.reset();
  std::vector<float> replies;
  {
    const ClosureScope scope(17);
    for (const Place& place : {kOnFirst, kOnFirst, kOnFirst, kOnSecond}) {
      replies.push_back(second->Apply({AddOf(place, 1)})[0].item<float>());
    }
  }
  EXPECT_EQ(replies, (std::vector<float>{2, 3, 4, 11}));
  EXPECT_EQ(Now(), (std::vector<float>{4, 11}));
}

TEST_F(ParameterClientTest, AFinishedFunctionIsRefused) {
  coordinator_->SetFinished(18);
  Now();  // the servers know by now
  const ClosureScope scope(17);
  ExpectError([&] { worker_->Apply({AddOf(kOnFirst, 1)}); },
              Code::kFailedPrecondition, "closure 17 is finished");
  EXPECT_EQ(Now(), (std::vector<float>{1, 10}));
}

TEST_F(ParameterClientTest, ComparesAndChanges) {
  Change change = AddOf(kOnFirst, 1);
  change.only_after = 0;
  const ClosureScope scope(3);
  EXPECT_TRUE(worker_->TryApply({change}));
  EXPECT_FALSE(worker_->TryApply({change}));
  change.only_after = 1;
  EXPECT_TRUE(worker_->TryApply({change}));
  EXPECT_EQ(Now(), (std::vector<float>{3, 10}));
}

TEST_F(ParameterClientTest, SendsLargeValues) {
  constexpr int64_t kCount = 16 << 20;  // 64 MiB
  Tensor value = Tensor::Zeros(Shape{kCount});
  value.mutable_data<float>()[kCount - 1] = 7;
  const Place place{.server = 0, .number = 5};
  coordinator_->Create(place, "large", value);
  EXPECT_TRUE(BitwiseEqual(worker_->Read({place})[0].value, value));
  const ClosureScope scope(1);
  worker_->Apply({{.place = place,
                   .kind = Change::Kind::kAdd,
                   .value = Tensor::Full(Shape{kCount}, 1.0f)}});
  EXPECT_EQ(worker_->Read({place})[0].value.at<float>(kCount - 1), 8);
}

TEST_F(ParameterClientTest, ServersEndWithTheCoordinator) {
  std::thread ends([&] { coordinator_.reset(); });
  servers_.server(0).Wait();
  servers_.server(1).Wait();
  ends.join();
  ExpectError([&] { servers_.Connect(ParameterServerRole::kWorker); },
              Code::kFailedPrecondition, "start this server again");
}

TEST_F(ParameterClientTest, ThereIsOneCoordinator) {
  ExpectError([&] { servers_.Connect(ParameterServerRole::kCoordinator); },
              Code::kFailedPrecondition, "there is a coordinator");
}

TEST(LostServerTest, IsLostForEverything) {
  ServersOfTest servers(2);
  std::promise<std::string> reported;
  const auto coordinator = servers.Connect(
      ParameterServerRole::kCoordinator,
      [&](const rpc::PeerLost& lost) { reported.set_value(lost.what()); });
  const auto worker = servers.Connect(ParameterServerRole::kWorker);
  coordinator->Create(kOnFirst, "a", Tensor::Scalar(1.0f));
  coordinator->Create(kOnSecond, "b", Tensor::Scalar(1.0f));
  servers.Stop(1);
  const std::string why = reported.get_future().get();
  EXPECT_NE(why.find("parameter server 1"), std::string::npos) << why;
  EXPECT_THROW(coordinator->CheckAlive(), rpc::PeerLost);
  EXPECT_THROW(coordinator->Read({kOnFirst}), rpc::PeerLost);
  EXPECT_THROW(coordinator->SetFinished(3), rpc::PeerLost);
  EXPECT_THROW(worker->Read({kOnSecond}), rpc::PeerLost);
  const ClosureScope scope(1);
  EXPECT_THROW(worker->Apply({AddOf(kOnFirst, 1)}), rpc::PeerLost);
}

}  // namespace
}  // namespace lockstep
