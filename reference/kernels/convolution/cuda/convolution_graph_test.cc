// Tests the requests to cuDNN with a fake of its graph API.
#include "reference/kernels/convolution/cuda/convolution_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"

namespace lockstep::cuda {
namespace {

using kernels_internal::ConvolutionSignature;

struct Attribute {
  cudnnBackendAttributeType_t type;
  std::vector<char> value;
};

struct Descriptor {
  cudnnBackendDescriptorType_t type;
  bool finished = false;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes = {};
  int engine = -1;  // of configurations and engines

  // The first element of an attribute; `wanted` if it is not set.
  template <typename T>
  T Get(cudnnBackendAttributeName_t name, T wanted) const {
    const auto found = attributes.find(name);
    if (found == attributes.end()) return wanted;
    std::memcpy(&wanted, found->second.value.data(), sizeof(T));
    return wanted;
  }
};

// A fake library, configured by a test.
struct Fake {
  std::map<cudnnBackendDescriptorType_t, cudnnStatus_t> cannot_finish;
  // The numerical notes of each engine, by rank.
  std::map<cudnnBackendHeurMode_t, std::vector<int>> engines;
  std::map<int, std::vector<cudnnBackendNumericalNote_t>> notes;
  std::map<cudnnBackendAttributeName_t, cudnnStatus_t> cannot_get;
  std::vector<Descriptor> finished;  // copies
};

Fake fake;

Descriptor& Of(cudnnBackendDescriptor_t descriptor) {
  return *static_cast<Descriptor*>(descriptor);
}

cudnnStatus_t StatusOf(const auto& statuses, auto key) {
  const auto found = statuses.find(key);
  return found == statuses.end() ? CUDNN_STATUS_SUCCESS : found->second;
}

size_t BytesOf(cudnnBackendAttributeType_t type) {
  const bool wide = type == CUDNN_TYPE_INT64 || type == CUDNN_TYPE_DOUBLE ||
                    type == CUDNN_TYPE_VOID_PTR || type == CUDNN_TYPE_HANDLE ||
                    type == CUDNN_TYPE_BACKEND_DESCRIPTOR;
  if (type == CUDNN_TYPE_BOOLEAN) return sizeof(bool);
  return wide ? 8 : 4;
}

cudnnStatus_t Finalize(Descriptor& descriptor) {
  const cudnnStatus_t status = StatusOf(fake.cannot_finish, descriptor.type);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  descriptor.finished = true;
  fake.finished.push_back(descriptor);
  return status;
}

cudnnStatus_t SetAttribute(Descriptor& to, cudnnBackendAttributeName_t name,
                           cudnnBackendAttributeType_t type, int64_t count,
                           const void* values) {
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    for (int64_t i = 0; i < count; ++i) {
      if (!Of(static_cast<const cudnnBackendDescriptor_t*>(values)[i])
               .finished) {
        return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
      }
    }
  }
  const auto* first = static_cast<const char*>(values);
  to.attributes[name] = {
      type, {first, first + static_cast<size_t>(count) * BytesOf(type)}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t GetAttribute(const Descriptor& from,
                           cudnnBackendAttributeName_t name, int64_t wanted,
                           int64_t* count, void* values) {
  auto* const descriptors = static_cast<cudnnBackendDescriptor_t*>(values);
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) {
    const auto mode = from.Get(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_HEUR_MODE_B);
    const std::vector<int>& engines = fake.engines[mode];
    for (int64_t i = 0; i < wanted; ++i) Of(descriptors[i]).engine = engines[i];
    *count = static_cast<int64_t>(engines.size());
  } else if (name == CUDNN_ATTR_ENGINECFG_ENGINE) {
    Of(descriptors[0]).engine = from.engine;
    *count = 1;
  } else if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE) {
    const auto& notes = fake.notes[from.engine];
    std::ranges::copy(notes, static_cast<cudnnBackendNumericalNote_t*>(values));
    *count = static_cast<int64_t>(notes.size());
  } else {
    return CUDNN_STATUS_BAD_PARAM;
  }
  return StatusOf(fake.cannot_get, name);
}

class ConvolutionGraphTest : public testing::Test {
 protected:
  ConvolutionGraphTest() { fake = {}; }

  // A bfloat16 image of 4 x 4 pixels through 2 x 2 filters.
  static ConvolutionSignature Small() {
    ConvolutionSignature signature;
    signature.dtype = DType::kBFloat16;
    signature.images = 1;
    signature.shape = {4, 4, 8, 2, 2, 16, {1, 1}, {3, 0, 0}, {3, 0, 0}};
    return signature;
  }
  static ConvolutionGraph Make(const ConvolutionSignature& signature) {
    return ConvolutionGraph(nullptr, signature);
  }
  static Code CodeOf(const ConvolutionSignature& signature,
                     std::string* message = nullptr) {
    try {
      Make(signature).Engines();
    } catch (const Error& error) {
      if (message != nullptr) *message = error.what();
      return error.code();
    }
    return Code::kOutOfRange;
  }
  // The pointwise operations of this mode.
  static std::vector<Descriptor> Pointwise(cudnnPointwiseMode_t mode) {
    std::vector<Descriptor> found;
    for (const Descriptor& descriptor : fake.finished) {
      if (descriptor.type == CUDNN_BACKEND_POINTWISE_DESCRIPTOR &&
          descriptor.Get(CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_POW) ==
              mode) {
        found.push_back(descriptor);
      }
    }
    return found;
  }
  static cudnnDataType_t TypeOf(int64_t tensor) {
    for (const Descriptor& descriptor : fake.finished) {
      if (descriptor.type == CUDNN_BACKEND_TENSOR_DESCRIPTOR &&
          descriptor.Get(CUDNN_ATTR_TENSOR_UNIQUE_ID, int64_t{-1}) == tensor) {
        return descriptor.Get(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_INT64);
      }
    }
    return CUDNN_DATA_INT64;
  }
};

TEST_F(ConvolutionGraphTest, ReluKeepsNaN) {
  ConvolutionSignature signature = Small();
  signature.bias = signature.relu = true;
  Make(signature);
  const std::vector<Descriptor> relu = Pointwise(CUDNN_POINTWISE_RELU_FWD);
  ASSERT_EQ(relu.size(), 1u);
  EXPECT_EQ(relu[0].Get(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION,
                        CUDNN_NOT_PROPAGATE_NAN),
            CUDNN_PROPAGATE_NAN);
  EXPECT_EQ(relu[0].attributes.at(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION).type,
            CUDNN_TYPE_NAN_PROPOGATION);
  const std::vector<Descriptor> add = Pointwise(CUDNN_POINTWISE_ADD);
  ASSERT_EQ(add.size(), 1u);
  EXPECT_FALSE(
      add[0].attributes.contains(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION));
}

TEST_F(ConvolutionGraphTest, UnsupportedOperation) {
  for (const auto part :
       {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
        CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
        CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR}) {
    fake = {};
    fake.cannot_finish[part] = CUDNN_STATUS_NOT_SUPPORTED_SHAPE;
    ConvolutionSignature signature = Small();
    signature.relu = true;
    std::string message;
    EXPECT_EQ(CodeOf(signature, &message), Code::kInternal);
    EXPECT_EQ(message, "[BackendDescriptor]: status 3002");
  }
}

TEST_F(ConvolutionGraphTest, ExcludesUnknownEngines) {
  fake.engines = {{CUDNN_HEUR_MODE_A, {1, 2}}, {CUDNN_HEUR_MODE_FALLBACK, {3}}};
  EXPECT_EQ(Make(Small()).Engines().size(), 3u);
  for (const auto part :
       {CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_ATTR_ENGINECFG_ENGINE,
        CUDNN_ATTR_ENGINE_NUMERICAL_NOTE}) {
    fake.cannot_get = {{part, CUDNN_STATUS_INTERNAL_ERROR}};
    EXPECT_EQ(Make(Small()).Engines().size(), 0u);
    fake.cannot_get = {
        {part, CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED}};
    EXPECT_EQ(CodeOf(Small()), Code::kResourceExhausted);
  }
}

TEST_F(ConvolutionGraphTest, ExcludesForbiddenEngines) {
  fake.engines = {{CUDNN_HEUR_MODE_A, {1, 2, 3}}};
  fake.notes = {{1, {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}},
                {2, {CUDNN_NUMERICAL_NOTE_TENSOR_CORE}},
                {3, {CUDNN_NUMERICAL_NOTE_WINOGRAD}}};
  EXPECT_EQ(Make(Small()).Engines().size(), 1u);
  ConvolutionSignature winograd = Small();
  winograd.allow_winograd = true;
  EXPECT_EQ(Make(winograd).Engines().size(), 2u);
  ConvolutionSignature single = Small();
  single.dtype = DType::kFloat32;  // tensor cores would round it
  EXPECT_EQ(Make(single).Engines().size(), 0u);
}

TEST_F(ConvolutionGraphTest, WideResultIsFloat32) {
  Make(Small());
  EXPECT_EQ(TypeOf(kConvolutionY), CUDNN_DATA_BFLOAT16);
  fake = {};
  ConvolutionSignature wide = Small();
  wide.wide = true;
  Make(wide);
  EXPECT_EQ(TypeOf(kConvolutionX), CUDNN_DATA_BFLOAT16);
  EXPECT_EQ(TypeOf(kConvolutionY), CUDNN_DATA_FLOAT);
}

}  // namespace
}  // namespace lockstep::cuda

using lockstep::cuda::Descriptor;

// These functions replace the library's.
cudnnStatus_t cudnnBackendCreateDescriptor(
    cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* descriptor) {
  *descriptor = new Descriptor{type};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(
    cudnnBackendDescriptor_t descriptor) {
  delete static_cast<Descriptor*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  return lockstep::cuda::Finalize(lockstep::cuda::Of(descriptor));
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type,
                                       int64_t count, const void* values) {
  return lockstep::cuda::SetAttribute(lockstep::cuda::Of(descriptor), name,
                                      type, count, values);
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t,
                                       int64_t wanted, int64_t* count,
                                       void* values) {
  return lockstep::cuda::GetAttribute(lockstep::cuda::Of(descriptor), name,
                                      wanted, count, values);
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  static std::string text;
  text = "status " + std::to_string(status);
  return text.c_str();
}

void cudnnGetLastErrorString(char* text, size_t) { text[0] = '\0'; }
