// Workers as threads, with real Gloo and control planes; GPUs and NCCL are fakes.
#include "reference/collectives/nccl/nccl_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/cluster/control/control_plane_testing.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/collectives/gloo/gloo_group.h"
#include "reference/collectives/nccl/fake_nccl.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

// Sums two ranks' float32 values, in memory that the host may use.
class AddingNccl final : public FakeNccl {
 public:
  NcclStatus AllReduceSum(const void* in, void* out, size_t count, DType dtype,
                          NcclComm comm, NcclStream stream) override {
    const int rank = static_cast<Comm*>(comm)->rank;
    ins_[rank] = static_cast<const float*>(in);
    all_.arrive_and_wait();
    for (size_t i = 0; i < count; ++i) {
      static_cast<float*>(out)[i] = ins_[0][i] + ins_[1][i];
    }
    all_.arrive_and_wait();
    return FakeNccl::AllReduceSum(in, out, count, dtype, comm, stream);
  }

 private:
  std::array<const float*, 2> ins_;
  std::barrier<> all_{2};
};

class NcclWorkersTest : public testing::Test {
 protected:
  // Runs both workers at once. Returns each worker's error.
  std::vector<std::exception_ptr> Errors(
      const std::function<void(int worker)>& body) {
    std::vector<std::exception_ptr> errors(2);
    std::vector<std::thread> threads;
    for (int w = 0; w < 2; ++w) {
      threads.emplace_back([&, w] {
        try {
          const DeviceScope scope(gpus_.gpu(w));
          body(w);
        } catch (...) {
          errors[w] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return errors;
  }
  void RunBoth(const std::function<void(int worker)>& body) {
    for (const std::exception_ptr& error : Errors(body)) {
      if (error) std::rethrow_exception(error);
    }
  }
  std::unique_ptr<Group> Connect(int w) {
    ControlPlaneNcclIdExchange exchange(*planes_[w]);
    auto communicator = std::make_unique<NcclCommunicator>(
        nccl_, 2, std::vector<NcclMember>{{.rank = w, .gpu = 0}}, exchange,
        NcclOptions{.poll_interval = std::chrono::milliseconds(600'000)});
    return MakeGlooGroup(
        *planes_[w], {},
        std::make_shared<NcclSums>(
            std::move(communicator),
            NcclRank(w, gpus_.gpu(w),
                     [](const Device&, DeviceStream) { return nullptr; })));
  }
  Tensor OnGpu(int w, std::vector<float> values) {
    const Shape shape{std::ssize(values)};
    return Tensor::FromVector(values, shape, gpus_.gpu(w));
  }

  FakeGpuCollectives gpus_{2, FakeGpu::HostAccess::kAllowed};
  AddingNccl nccl_;
  std::vector<std::unique_ptr<ControlPlane>> planes_ =
      MakeThreadControlPlanes(2);
};

TEST_F(NcclWorkersTest, AllGetTheIdOfTheRoot) {
  std::array<NcclUniqueId, 2> ids;
  RunBoth([&](int w) {
    const auto make = [] {
      NcclUniqueId id;
      id.bytes = {'\0', 'x', '\xff'};
      return id;
    };
    ids[w] = ControlPlaneNcclIdExchange(*planes_[w])
                 .Exchange(w == 0, make, std::chrono::minutes(1));
  });
  EXPECT_EQ(ids[0].bytes[2], '\xff');
  EXPECT_EQ(ids[0], ids[1]);
}

TEST_F(NcclWorkersTest, ARootWithoutAnIdIsAnErrorOnAll) {
  nccl_.id_status = NcclStatus::kSystemError;
  const auto errors = Errors([&](int w) { Connect(w); });
  EXPECT_EQ(CodeOf(errors[0]), Code::kUnavailable);
  ExpectError([&] { std::rethrow_exception(errors[1]); }, Code::kUnavailable,
              "worker 0 could not make an id");
}

TEST_F(NcclWorkersTest, GpuSumsUseNccl) {
  RunBoth([&](int w) {
    const auto group = Connect(w);
    EXPECT_EQ(group->algorithm(), "NcclAllReduce");
    const TensorList mine = {OnGpu(w, {1, 2}), OnGpu(w, {}),
                             OnGpu(w, {10.0f * (w + 1)})};
    const TensorList sums = group->AllReduce(ReduceOp::kSum, mine, {}).Wait();
    EXPECT_EQ(&sums[0].device(), &gpus_.gpu(w));
    EXPECT_EQ(sums[0].ToVector<float>(), (std::vector<float>{2, 4}));
    EXPECT_EQ(sums[2].ToVector<float>(), std::vector<float>{30});
    const TensorList means = group->AllReduce(ReduceOp::kMean, mine, {}).Wait();
    EXPECT_EQ(means[2].ToVector<float>(), std::vector<float>{15});
  });
  EXPECT_THAT(nccl_.Calls(), testing::Contains("sum 2 float32 rank 1"));
}

// Tensors on the host, and gathered ones, use Gloo without NCCL.
TEST_F(NcclWorkersTest, OtherCollectivesUseTheHost) {
  RunBoth([&](int w) {
    const auto group = Connect(w);
    const Tensor on_gpu = OnGpu(w, {1.0f + w});
    const Tensor on_host = on_gpu.To(Device::Host());
    EXPECT_EQ(
        group->AllReduce(ReduceOp::kSum, {on_host}, {}).Wait()[0].item<float>(),
        3);
    const auto all = group->AllGather({on_gpu}, {}).Wait();
    EXPECT_EQ(all[0][0].item<float>(), 1);
    EXPECT_EQ(all[1][0].item<float>(), 2);
    const TensorList first = group->Broadcast({on_gpu}, 0, {}).Wait();
    EXPECT_EQ(&first[0].device(), &gpus_.gpu(w));
    EXPECT_EQ(first[0].item<float>(), 1);
    const Tensor part =
        group->ReduceScatter(ReduceOp::kSum, {on_gpu, on_gpu}, {}).Wait();
    EXPECT_EQ(&part.device(), &gpus_.gpu(w));
    EXPECT_EQ(part.item<float>(), 3);
  });
  EXPECT_THAT(nccl_.Calls(), testing::Not(testing::Contains(HasSubstr("sum"))));
}

// NCCL is called only once all have come with the same specs.
TEST_F(NcclWorkersTest, WorkersThatDisagreeContinue) {
  RunBoth([&](int w) {
    const auto group = Connect(w);
    const Tensor on_gpu = OnGpu(w, std::vector<float>(1 + w));
    const auto reduce = [&](const Tensor& value) {
      group->AllReduce(ReduceOp::kSum, {value}, {}).Wait();
    };
    EXPECT_EQ(CodeOf([&] { reduce(on_gpu); }), Code::kInvalidArgument);
    ExpectError([&] { reduce(w == 0 ? on_gpu : on_gpu.To(Device::Host())); },
                Code::kFailedPrecondition, "worker 0 calls AllReduce of GPUs");
    reduce(OnGpu(w, {1}));
  });
}

// The job fails while NCCL is working: its work is ended, and no sums are
// returned.
TEST_F(NcclWorkersTest, AFailedJobEndsTheSum) {
  nccl_.events_done = false;
  const auto under_way = [&] {
    const auto calls = nccl_.Calls();
    return std::ranges::count(calls, "sum 1 float32 rank 0") +
               std::ranges::count(calls, "sum 1 float32 rank 1") ==
           2;
  };
  const auto errors = Errors([&](int w) {
    const auto group = Connect(w);
    std::jthread ending;
    if (w == 1) {
      ending = std::jthread([&] {
        while (!under_way()) std::this_thread::yield();
        planes_[1]->Abort("as asked to");
      });
    }
    group->AllReduce(ReduceOp::kSum, {OnGpu(w, {1})}, {}).Wait();
  });
  EXPECT_EQ(CodeOf(errors[0]), Code::kCancelled);
  EXPECT_EQ(CodeOf(errors[1]), Code::kCancelled);
  EXPECT_EQ(nccl_.aborted, 2);
}

}  // namespace
}  // namespace lockstep
