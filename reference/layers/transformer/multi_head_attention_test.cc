#include "reference/layers/transformer/multi_head_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

using ManyFloats = std::vector<float>;

// Element i is ((i * factor) % 11 - 5) / 8.
Tensor Sequence(const Shape& shape, int factor) {
  ManyFloats values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i * factor % 11) - 5) / 8;
  }
  return Tensor::FromVector(values, shape);
}

void ExpectClose(const Tensor& tensor, const ManyFloats& expected) {
  const ManyFloats got = tensor.ToVector<float>();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 5e-7) << "element " << i;
  }
}

// The results of Keras 3.15.1 for the weights, inputs and losses below.
struct KerasRun {
  ManyFloats y;
  std::vector<ManyFloats> inputs;  // the gradients of query, value and key
  // For each weight, the sum of its gradient times Sequence(4).
  ManyFloats weights;
};

// Builds the layer and gives its weights values.
void SetWeights(const MultiHeadAttention& layer, const Structure& inputs) {
  layer.Build(inputs.Map<Shape>([](const Tensor& x) { return x.shape(); }));
  const std::vector<VariablePtr> weights = layer.trainable_variables();
  ASSERT_EQ(weights.size(), 8u);
  constexpr int kFactors[] = {7, 5, 3, 2};
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i]->Assign(Sequence(weights[i]->shape(), kFactors[i % 4]));
  }
}

// `mask` may be undefined: no mask among the inputs.
void ExpectRun(const MultiHeadAttention& layer,
               const std::vector<Tensor>& inputs, const KerasRun& expected,
               const Tensor& mask = {}) {
  std::vector<Structure> items(inputs.begin(), inputs.end());
  if (mask.defined()) items.push_back(mask);
  const Structure structure = Structure::Tuple(items);
  SetWeights(layer, structure);
  const std::vector<VariablePtr> weights = layer.trainable_variables();
  GradientTape tape;
  for (const Tensor& input : inputs) tape.Watch(input);
  const Tensor y = layer(structure);
  ExpectClose(y, expected.y);
  std::vector<GradientSource> sources(inputs.begin(), inputs.end());
  sources.insert(sources.end(), weights.begin(), weights.end());
  const Gradients gradients =
      tape.Gradient(y * Sequence(y.shape(), 4), sources);
  for (size_t i = 0; i < inputs.size(); ++i) {
    ExpectClose(*gradients[i], expected.inputs[i]);
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    const Tensor& gradient = *gradients[inputs.size() + i];
    const Tensor sum = ops::ReduceSum(gradient * Sequence(gradient.shape(), 4));
    EXPECT_NEAR(sum.item<float>(), expected.weights[i], 2e-6)
        << weights[i]->name();
  }
}

TEST(MultiHeadAttentionTest, EqualsKeras) {
  const MultiHeadAttention layer(2, 3, {.value_dim = 2});
  ExpectRun(
      layer,
      {Sequence({2, 3, 4}, 7), Sequence({2, 2, 3}, 5), Sequence({2, 2, 5}, 3)},
      {.y = {-0.484523386f, -0.303327769f, -0.122132152f,  -0.461119533f,
             -0.480600417f, -0.301787436f, -0.12297447f,   -0.483207047f,
             -0.485967606f, -0.300397813f, -0.11482802f,   -0.488233209f,
             -0.493636787f, -0.246126443f, 0.00138385594f, -0.50125581f,
             -0.516699612f, -0.249011472f, 0.0186766684f,  -0.53047508f,
             -0.487787724f, -0.232166752f, 0.0234542191f,  -0.536114275f},
       .inputs = {{-0.0267834533f,   -0.0368664674f,  -0.0105965007f,
                   -0.0209478922f,   0.00960531924f,  0.0114032114f,
                   0.00275510084f,   0.00611556508f,  0.00211912347f,
                   -0.0211781114f,   -0.0130117591f,  -0.0168554951f,
                   -0.000359550584f, -0.00377000496f, 0.00501301512f,
                   0.00182034494f,   0.00203986745f,  -0.0150477821f,
                   0.0160227846f,    0.00580336805f,  -0.00452545192f,
                   -0.000281026092f, 0.00553439837f,  0.00202894537f},
                  {0.169330329f, 0.236142904f, -0.217321411f, 0.219341546f,
                   0.277529001f, -0.239709854f, -0.128627673f, -0.154486313f,
                   0.247907862f, -0.154575467f, -0.202935547f, 0.308732748f},
                  {0.0356043205f,  -0.034840297f,  -0.0186484959f,
                   0.0334739722f,  0.0115164611f,  -0.0356043167f,
                   0.0348402932f,  0.0186484903f,  -0.0334739611f,
                   -0.0115164593f, -0.0222078916f, 0.0311688278f,
                   -0.0101155685f, -0.0143126529f, -0.00473126303f,
                   0.0222078897f,  -0.0311688259f, 0.0101155676f,
                   0.0143126547f,  0.00473126583f}},
       .weights = {-0.069702957f, 0.0518640811f, 0.00393310754f,
                   -8.04629963e-09f, -0.376172994f, 0.447265644f, 0.344689372f,
                   -0.15625f}});
}

TEST(MultiHeadAttentionTest, EqualsKerasWithACausalMask) {
  const MultiHeadAttention layer(2, 3,
                                 {.value_dim = 2, .use_causal_mask = true});
  ExpectRun(layer, {Sequence({2, 3, 4}, 7), Sequence({2, 3, 4}, 3)},
            {.y = {-0.65234375f,  -0.373046875f, -0.09375f,      -0.39453125f,
                   -0.64193809f,  -0.360259056f, -0.0785800219f, -0.450775445f,
                   -0.468244165f, -0.339206517f, -0.210168839f,  -0.246001452f,
                   -0.185546875f, -0.275390625f, -0.365234375f,  -0.068359375f,
                   -0.17551285f,  -0.262665987f, -0.349819154f,  -0.124781132f,
                   -0.321124554f, -0.241431147f, -0.161737755f,  -0.370244682f},
             .inputs = {{0,
                         0,
                         0,
                         0,
                         -0.000177509297f,
                         -0.000326950161f,
                         2.31227314e-05f,
                         -0.000126318104f,
                         0.015772216f,
                         0.00642507244f,
                         0.00290151569f,
                         0.00713657308f,
                         0,
                         0,
                         0,
                         0,
                         -0.000407553773f,
                         -0.000708154636f,
                         -2.31244485e-05f,
                         -0.000323729822f,
                         -0.0143570323f,
                         -0.00984549429f,
                         0.00172031298f,
                         0.00374952797f},
                        {0.163685158f,   0.376757652f,   -0.466002703f,
                         0.49525246f,    0.0874070749f,  0.0486191213f,
                         0.0522600375f,  -0.0357898735f, 0.137579635f,
                         0.0882951096f,  -0.0432886146f, 0.089365527f,
                         -0.159773961f,  -0.187375098f,  0.321426004f,
                         -0.323327422f,  -0.101271503f,  -0.156929284f,
                         0.197998494f,   -0.212347791f,  -0.0221576225f,
                         -0.0131174782f, 0.0372161046f,  -0.013152929f}},
             .weights = {-0.00422715694f, 0.00736264023f, -0.0096117396f,
                         -5.96628524e-10f, -0.339469485f, 0.447265566f,
                         0.524028139f, -0.15625f}});
}

// Keras' figures here and in the next test are in float64, with the mask as
// attention_mask [N, 1, S].
TEST(MultiHeadAttentionTest, EqualsKerasWithAKeyMask) {
  const MultiHeadAttention layer(2, 3, {.value_dim = 2, .use_key_mask = true});
  ExpectRun(
      layer, {Sequence({2, 3, 4}, 7), Sequence({2, 2, 3}, 5)},
      {.y = {-0.359375f,       -0.361328125f,    -0.36328125f,
             -0.0859375f,      -0.359375f,       -0.361328125f,
             -0.36328125f,     -0.0859375f,      -0.359375f,
             -0.361328125f,    -0.36328125f,     -0.0859375f,
             -0.445027109236f, -0.213154050522f, 0.0187190081924f,
             -0.525599823333f, -0.513978376985f, -0.242515474558f,
             0.0289474278688f, -0.546697027981f, -0.478731028736f,
             -0.222351556644f, 0.034027915448f,  -0.5523832459f},
       .inputs = {{0,
                   0,
                   0,
                   0,
                   0,
                   0,
                   0,
                   0,
                   0,
                   0,
                   0,
                   0,
                   -0.00288374521915f,
                   -0.00215570617002f,
                   0.00575961056893f,
                   0.00670042120328f,
                   -0.00881104234159f,
                   -0.0126551850048f,
                   0.022849678297f,
                   0.0271137120994f,
                   -0.00313784493483f,
                   0.00486977226683f,
                   2.30043660849e-05f,
                   -0.000605329696555f},
                  {0.388671875f, 0.513671875f, -0.45703125f, 0, 0, 0,
                   -0.136611328357f, -0.104552885372f, 0.216830774183f,
                   -0.1465918178f, -0.252868991221f, 0.339809872174f}},
       .weights = {-0.0203868309011f, 0.012229374095f, -0.000473795705773f,
                   6.6165739554e-10f, -0.529955922946f, 0.447265634546f,
                   0.338296395261f, -0.15625f}},
      Tensor::FromVector<int64_t>({1, 0, 1, 1}, Shape{2, 2}));
}

// Of the query, with both masks.
constexpr float kQueryGradient[] = {0,
                                    0,
                                    0,
                                    0,
                                    0.000931250289796f,
                                    -0.00460997536175f,
                                    -0.00178231557948f,
                                    0.00020738054809f,
                                    0.0152077385592f,
                                    -0.0111320092274f,
                                    0.00117575904733f,
                                    0.00892072481292f,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    -0.00101261011948f,
                                    -0.00187996145049f,
                                    0.000158547833697f,
                                    -0.000708803770976f};

TEST(MultiHeadAttentionTest, EqualsKerasWithBothMasks) {
  const MultiHeadAttention layer(
      2, 3, {.value_dim = 2, .use_causal_mask = true, .use_key_mask = true});
  ExpectRun(layer, {Sequence({2, 3, 4}, 7), Sequence({2, 3, 4}, 5)},
            {.y = {-0.322265625f,    -0.359375f,       -0.396484375f,
                   -0.025390625f,    -0.173294492066f, -0.234402049333f,
                   -0.2955096066f,   -0.137983094901f, -0.198700439185f,
                   -0.251617893577f, -0.304535347968f, -0.122054759413f,
                   -0.67578125f,     -0.232421875f,    0.2109375f,
                   -1.107421875f,    -0.67578125f,     -0.232421875f,
                   0.2109375f,       -1.107421875f,    -0.711562504992f,
                   -0.282683373429f, 0.146195758134f,  -0.879080217332f},
             .inputs = {{std::begin(kQueryGradient), std::end(kQueryGradient)},
                        {0.228225621628f,
                         0.421621405403f,
                         -0.507953752764f,
                         0.559789493607f,
                         0.160446234921f,
                         0.092050479725f,
                         0.0509224825655f,
                         -0.0109613501409f,
                         0,
                         0,
                         0,
                         0,
                         -0.235336981314f,
                         -0.36818081811f,
                         0.51922047741f,
                         -0.530937201809f,
                         0,
                         0,
                         0,
                         0,
                         -0.0478661521629f,
                         0.0107589398394f,
                         0.0374201571685f,
                         -0.0178909286151f}},
             .weights = {-0.000802667795684f, 0.0220556011838f,
                         0.00560776951079f, 2.90674506687e-09f, 0.246472552069f,
                         0.447265601717f, -0.445608770009f, -0.15625f}},
            Tensor::FromVector<float>({1, 1, 0, 1, 0, 1}, Shape{2, 3}));
}

// Nothing that a hidden key holds reaches the result or gets a gradient, and a
// query without keys gets the output's bias.
TEST(MultiHeadAttentionTest, PaddingDoesNotCount) {
  const MultiHeadAttention layer(1, 2, {.use_key_mask = true});
  const Tensor query = Sequence({2, 1, 2}, 7);
  const Tensor mask = Tensor::FromVector<int64_t>({1, 0, 0, 0}, Shape{2, 2});
  const auto run = [&](float hidden) {
    const Tensor values = Tensor::FromVector<float>(
        {1, 2, hidden, 4, hidden, 6, 7, hidden}, Shape{2, 2, 2});
    GradientTape tape;
    tape.Watch(values);
    const Tensor y = layer(std::vector<Structure>{query, values, mask}).leaf();
    const Gradients d = tape.Gradient(y, std::vector<Tensor>{values});
    const ManyFloats gradient = d[0]->ToVector<float>();
    EXPECT_EQ(ManyFloats(gradient.begin() + 2, gradient.end()),
              ManyFloats(6, 0));
    return y;
  };
  const Tensor y = run(3);
  EXPECT_TRUE(BitwiseEqual(y, run(-100)));
  EXPECT_EQ(y.at<float>(2), 0);
  EXPECT_EQ(y.at<float>(3), 0);
  EXPECT_NE(y.at<float>(0), 0);
}

TEST(MultiHeadAttentionTest, RefusesWrongMasks) {
  const MultiHeadAttention layer(2, 3, {.use_key_mask = true});
  const Structure x = Tensor::Zeros({2, 3, 4});
  const auto code = [&](const std::vector<Structure>& inputs) {
    return CodeOf([&] { layer(inputs); });
  };
  EXPECT_EQ(code({x, x}), Code::kInvalidArgument);
  EXPECT_EQ(code({x, x, Tensor::Zeros({2, 4})}), Code::kInvalidArgument);
  EXPECT_EQ(code({x, x, Tensor::Zeros({1, 3})}), Code::kInvalidArgument);
  EXPECT_EQ(code({x, x, Tensor::Zeros({2, 3, 1})}), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { layer.impl().Config(); }), Code::kUnimplemented);
}

TEST(MultiHeadAttentionTest, MakesKerasVariables) {
  const MultiHeadAttention layer(2, 3, {.name = "mha"});
  const SymbolicTensor query = Input({5, 4}), value = Input({7, 6});
  const SymbolicStructure y = layer(SymbolicStructure{query, value});
  EXPECT_EQ(y.leaf().shape(), (Shape{kUnknownDim, 5, 4}));
  std::string made;
  for (const VariablePtr& variable : layer.variables()) {
    made += variable->name() + ToString(variable->shape()) + " ";
  }
  EXPECT_EQ(made,
            "mha/query/kernel(4, 2, 3) mha/query/bias(2, 3) "
            "mha/key/kernel(6, 2, 3) mha/key/bias(2, 3) "
            "mha/value/kernel(6, 2, 3) mha/value/bias(2, 3) "
            "mha/attention_output/kernel(2, 3, 4) "
            "mha/attention_output/bias(4,) ");
  const auto& children = layer.trackable()->children();
  ASSERT_EQ(children.size(), 4u);
  EXPECT_EQ(children[0].name, "_query_dense");
  EXPECT_EQ(children[3].name, "_output_dense");
  EXPECT_EQ(children[3].object->children()[0].name, "_kernel");
  EXPECT_EQ(children[3].object->children()[1].name, "bias");
}

TEST(MultiHeadAttentionTest, NarrowWithoutBiases) {
  const MultiHeadAttention layer(
      2, 3, {.use_bias = false, .dtype = DTypePolicy("mixed_bfloat16")});
  const Structure x = Sequence({2, 3, 4}, 7);
  const Structure y = layer(std::vector<Structure>{x, x});
  EXPECT_EQ(y.leaf().dtype(), DType::kBFloat16);
  EXPECT_EQ(layer.variables().size(), 4u);
}

TEST(MultiHeadAttentionTest, RefusesWrongArguments) {
  const MultiHeadAttention layer(2, 3);
  const auto call = [&](const std::vector<Shape>& shapes) {
    std::vector<Structure> inputs;
    for (const Shape& shape : shapes) inputs.push_back(Tensor::Zeros(shape));
    layer(inputs);
  };
  const auto code = [&](const std::vector<Shape>& shapes) {
    return CodeOf([&] { call(shapes); });
  };
  EXPECT_EQ(code({{2, 3, 4}}), Code::kInvalidArgument);
  EXPECT_EQ(code({{2, 3}, {2, 3}}), Code::kInvalidArgument);
  EXPECT_EQ(code({{2, 3, 4}, {1, 3, 4}}), Code::kInvalidArgument);
  EXPECT_EQ(code({{2, 3, 4}, {2, 3, 4}, {2, 2, 4}}), Code::kInvalidArgument);
  call({{2, 3, 4}, {2, 3, 4}});
  EXPECT_EQ(code({{2, 3, 5}, {2, 3, 4}}), Code::kInvalidArgument);
  ExpectError([] { MultiHeadAttention(0, 3); }, Code::kInvalidArgument,
              "num_heads must be at least 1, got 0");
}

TEST(MultiHeadAttentionTest, Config) {
  Json config = MultiHeadAttention(2, 3).impl().Config().config;
  for (const char* key : {"name", "trainable", "dtype"}) config.erase(key);
  EXPECT_EQ(config, Json::parse(R"({
    "num_heads": 2, "key_dim": 3, "value_dim": 3, "dropout": 0.0,
    "use_bias": true, "kernel_regularizer": null, "bias_regularizer": null})"));
  EXPECT_EQ(
      CodeOf([] {
        MultiHeadAttention(2, 3, {.use_causal_mask = true}).impl().Config();
      }),
      Code::kUnimplemented);
}

}  // namespace
}  // namespace lockstep
