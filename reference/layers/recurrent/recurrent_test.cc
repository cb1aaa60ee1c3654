#include "reference/layers/recurrent/recurrent.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/recurrent_ops.h"
#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

using Doubles = std::vector<double>;

// Element i is ((i * factor) % 11 - 5) / 8.
Tensor Sequence(const Shape& shape, int factor, DType dtype = DType::kFloat32) {
  Doubles values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = (static_cast<int>(i * factor % 11) - 5) / 8.0;
  }
  return Tensor::FromVector(values, shape).Cast(dtype);
}

// Of float32 values of order 1, after four steps of a few roundings each.
void ExpectClose(const Tensor& tensor, const Doubles& expected) {
  const Doubles got = tensor.Cast(DType::kFloat64).ToVector<double>();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 1e-6) << "element " << i;
  }
}

// What Keras 3.15.1 with PyTorch 2.15.0 computes in float64, for the layer of 3
// units with x = Sequence([2, 4, 2], 7), states Sequence(5) and Sequence(3),
// and weights Sequence(7), Sequence(5) and Sequence(3).
struct KerasRun {
  std::vector<Doubles> results;  // all steps, then the states
  // Of x, the states and the weights, for the sum of all steps * Sequence(4)
  // and, for i = 1 and 2, state i * i * Sequence(9).
  std::vector<Doubles> gradients;
};

std::vector<Structure> InputsOf(size_t states) {
  std::vector<Structure> inputs = {Sequence({2, 4, 2}, 7)};
  constexpr int kFactors[] = {5, 3};
  for (size_t i = 0; i < states; ++i) {
    inputs.emplace_back(Sequence({2, 3}, kFactors[i]));
  }
  return inputs;
}

void SetWeights(const Layer& layer) {
  layer.Build(Shape{kUnknownDim, 4, 2});
  constexpr int kFactors[] = {7, 5, 3};
  const auto weights = layer.trainable_variables();
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i]->Assign(Sequence(weights[i]->shape(), kFactors[i]));
  }
}

void ExpectRun(const Layer& layer, const KerasRun& expected) {
  const std::vector<Structure> inputs = InputsOf(expected.results.size() - 1);
  SetWeights(layer);
  GradientTape tape;
  std::vector<GradientSource> sources;
  for (const Structure& input : inputs) {
    tape.Watch(input.leaf());
    sources.emplace_back(input.leaf());
  }
  for (const VariablePtr& weight : layer.trainable_variables()) {
    sources.emplace_back(weight);
  }
  const std::vector<Tensor> results = layer(inputs).Flatten();
  ASSERT_EQ(results.size(), expected.results.size());
  Tensor loss = ops::ReduceSum(results[0] * Sequence(results[0].shape(), 4));
  for (size_t i = 0; i < results.size(); ++i) {
    ExpectClose(results[i], expected.results[i]);
    if (i == 0) continue;
    const Tensor factors = Sequence(results[i].shape(), 9);
    loss = loss + static_cast<double>(i) * ops::ReduceSum(results[i] * factors);
  }
  const Gradients gradients = tape.Gradient(loss, sources);
  ASSERT_EQ(gradients.size(), expected.gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    SCOPED_TRACE(i);
    ExpectClose(*gradients[i], expected.gradients[i]);
  }
}

TEST(GruTest, EqualsKeras) {
  ExpectRun(
      Gru(3, {.return_sequences = true, .return_state = true}),
      {.results = {{-0.417538023931,  0.23436310702,  0.405164716218,
                    -0.163939876111,  0.289845742186, 0.36775885508,
                    0.072218067876,   0.419278529534, -0.119823731736,
                    0.22907403555,    0.437926162572, -0.316644118615,
                    -0.155633988968,  0.440229996563, 0.10227109054,
                    -0.0659921585518, 0.530453224824, -0.203245800822,
                    0.069799931297,   0.53572955264,  -0.350090368604,
                    0.239382965141,   0.482794251864, -0.410984085536},
                   {0.22907403555, 0.437926162572, -0.316644118615,
                    0.239382965141, 0.482794251864, -0.410984085536}},
       .gradients = {
           {-0.424924629541, 0.130597987696, -0.411615882314, 0.122745429446,
            -0.402512678273, -0.0221300556244, -0.180212216421, -0.247959509237,
            0.193524124265, -0.431662067297, 0.174255757106, -0.165394364366,
            0.225432427751, -0.12617791919, 0.268213910881, -0.0547581005628},
           {-0.708454417555, -0.293888396366, -0.0620837622248, -0.191477063191,
            0.109195968996, -0.451420558725},
           {-0.0829722099672, -0.0513213468109, -0.0612270013755,
            -0.0304274589111, 0.0106880827949, -0.0270602859515, 0.280696816978,
            -0.150875875321, -0.292721062786, 0.0719630802746, 0.0417582338636,
            0.0627249948896, 0.0312427584319, 0.00417031925903, 0.0205943175454,
            -0.306884764692, -0.105699247861, 0.160765292444},
           {-0.121063404153,  -0.0190232433649,  -0.0174594302929,
            -0.0452585930169, 0.0039372557915,   -0.016072847203,
            0.328838706928,   -0.0222865898135,  -0.128213319734,
            0.0396033422849,  -0.0268384740395,  -0.00596059570054,
            0.0221502356217,  -0.0086614288935,  -0.0507226350283,
            -0.227316750109,  0.0875440832686,   -0.381612061354,
            0.135597406251,   0.0166573512728,   0.00902682219773,
            0.0535500555811,  -0.00301081536917, 0.0451152920111,
            -0.42180159314,   0.00605599168892,  0.362400520146},
           {0.279043131779, -0.0298280577397, 0.0100437928232, 0.130232878437,
            -0.0235825657595, -0.0696656945059, -1.94622469877, 0.409053082113,
            -0.990141438199, 0.279043131779, -0.0298280577397, 0.0100437928232,
            0.130232878437, -0.0235825657595, -0.0696656945059, -1.11084711764,
            0.201674860065, -0.505880619657}}});
}

TEST(LstmTest, EqualsKeras) {
  ExpectRun(
      Lstm(3, {.return_sequences = true, .return_state = true}),
      {.results = {{-0.162149290036,  0.0364779266202, 0.0257616010702,
                    -0.105774197698,  0.0770461076076, -0.00942205863104,
                    -0.0371893244555, 0.240137394201,  -0.0827867789614,
                    0.0280114815612,  0.235204997689,  -0.110720272804,
                    0.0988063652354,  0.073150538116,  -0.100222131772,
                    0.0857330584061,  0.274554339055,  -0.0961641582274,
                    0.102749483729,   0.278903956795,  -0.113657921496,
                    0.138801218474,   0.232688757573,  -0.118462805385},
                   {0.0280114815612, 0.235204997689, -0.110720272804,
                    0.138801218474, 0.232688757573, -0.118462805385},
                   {0.0490558026721, 0.467382304001, -0.425588266735,
                    0.249461965412, 0.487743857074, -0.524804457329}},
       .gradients = {
           {-0.288850497115, 0.0283251054013, -0.24287467712, -0.034629039051,
            -0.12544314514, -0.154628243697, -0.112896100056, -0.384491065444,
            0.0630255351393, -0.0952769648844, 0.0501761156518,
            -0.0756950606062, 0.048380599311, -0.038921908207, 0.0230248422623,
            0.345661428041},
           {-0.357225122581, 0.340786161447, -0.278585860604, -0.0949710367645,
            0.140016292137, -0.0563107221957},
           {-0.574873987971, 0.0662025276331, 0.0987439603733, 0.00023813490707,
            0.0898577731047, -0.218203784901},
           {-0.0818189958905, -0.00948460930524, 0.0799896534975,
            -0.114838979943,  0.0210714819328,   0.061180762201,
            0.343269503569,   -0.0895527824271,  -0.17416946945,
            -0.0518122011873, -0.013843484021,   0.0318124147645,
            0.0240227975566,  -0.0514912551711,  -0.0035899461828,
            0.0888572677643,  -0.0420534095674,  -0.000787841821516,
            -0.39697303477,   -0.00343762078818, 0.0740484458295,
            0.0384944604771,  -0.0616015746196,  0.00659283124371},
           {-0.0036285057303, -0.0513776429062,  0.0349838243843,
            -0.137560221232,  -0.00656063675146, 0.0140112296097,
            0.614510335696,   -0.130886709575,   -0.136280394695,
            -0.0564349281992, -0.0103058877693,  0.0050795094017,
            -0.0311348265516, 0.0572687600139,   0.0690665975349,
            0.0202625040269,  -0.0121049723325,  0.0453156484011,
            -0.13719319772,   0.0860309746684,   -0.190345829363,
            0.00196360003913, 0.0305315272389,   0.0398570447266,
            0.030311957337,   -0.0104805847555,  -0.0342408193904,
            0.107585531016,   0.00129900202337,  -0.0164094332057,
            -0.429379961334,  0.0114028380853,   0.166681449892,
            0.0538677246172,  -0.0111420639238,  -0.0185133688126},
           {-0.164872119272, 0.372315618011, 0.219205875568, 0.425175177685,
            0.0209064339364, 0.172222297861, -2.0902128931, 0.64388955291,
            -0.335256210677, 0.135955201805, 0.178874095112, 0.130703781435}}});
}

// As Keras 3.15.1, for the same inputs and weights.
TEST(RecurrentTest, TheLastStepFromZeros) {
  const Gru gru(3);
  SetWeights(gru);
  ExpectClose(gru(Sequence({2, 4, 2}, 7)),
              {0.228754044012, 0.431940641253, -0.325443609866, 0.212767357027,
               0.454672868966, -0.417978979983});
  const Lstm lstm(3);
  SetWeights(lstm);
  ExpectClose(lstm(Sequence({2, 4, 2}, 7)),
              {0.0949995652099, 0.234460526839, -0.107576100588, 0.106624161999,
               0.232691232619, -0.11721896069});
}

// A layer that is called step by step, as in a decoder, and one that is called
// once are the same.
TEST(RecurrentTest, StepsOneByOne) {
  const Lstm lstm(3, {.return_state = true});
  SetWeights(lstm);
  const Tensor x = Sequence({2, 4, 2}, 7);
  const std::vector<Tensor> at_once = lstm(Structure(x)).Flatten();
  std::vector<Tensor> results(3, Tensor::Zeros(Shape{2, 3}));
  for (const Tensor& now : ops::Split(x, {1, 1, 1, 1}, 1)) {
    results =
        lstm(std::vector<Structure>{now, results[1], results[2]}).Flatten();
  }
  for (size_t i = 0; i < 3; ++i) {
    ExpectClose(results[i],
                at_once[i].Cast(DType::kFloat64).ToVector<double>());
  }
}

// More examples than one block of 16, in float64.
TEST(RecurrentOpsTest, GradientsOfManyExamples) {
  const auto d = DType::kFloat64;
  const Tensor gru_in = Sequence({18, 2, 6}, 7, d), bias = Sequence({6}, 3, d);
  const Tensor gru_weights = Sequence({2, 6}, 5, d);
  const Tensor h = Sequence({18, 2}, 4, d);
  const Tensor lstm_in = Sequence({18, 2, 8}, 7, d);
  const Tensor lstm_weights = Sequence({2, 8}, 5, d);
  const Tensor states = Sequence({18, 4}, 4, d);
  // Outputs have weights up to 144.
  const auto expect = [](const std::function<Tensor(const Tensor&)>& function,
                         const Tensor& x) {
    EXPECT_LT(ops::GradientError(function, x), 100 * ops::kGradientTolerance);
  };
  expect(
      [&](const Tensor& x) {
        return ops::Gru({x, gru_weights, bias, h});
      },
      gru_in);
  expect(
      [&](const Tensor& x) {
        return ops::Gru({gru_in, x, bias, h});
      },
      gru_weights);
  expect(
      [&](const Tensor& x) {
        return ops::Gru({gru_in, gru_weights, x, h});
      },
      bias);
  expect(
      [&](const Tensor& x) {
        return ops::Gru({gru_in, gru_weights, bias, x});
      },
      h);
  expect(
      [&](const Tensor& x) {
        return ops::Lstm({x, lstm_weights, states});
      },
      lstm_in);
  expect(
      [&](const Tensor& x) {
        return ops::Lstm({lstm_in, x, states});
      },
      lstm_weights);
  expect(
      [&](const Tensor& x) {
        return ops::Lstm({lstm_in, lstm_weights, x});
      },
      states);
}

std::string WeightsOf(const Layer& layer) {
  std::string made;
  for (const VariablePtr& variable : layer.variables()) {
    made += variable->name() + ToString(variable->shape()) + " ";
  }
  return made;
}

TEST(RecurrentTest, MakesKerasVariables) {
  const Gru gru(3, {.return_sequences = true, .name = "gru"});
  const SymbolicTensor y = gru(Input({5, 2}));
  EXPECT_EQ(y.shape(), (Shape{kUnknownDim, 5, 3}));
  EXPECT_EQ(WeightsOf(gru),
            "gru/gru_cell/kernel(2, 9) gru/gru_cell/recurrent_kernel(3, 9) "
            "gru/gru_cell/bias(2, 9) ");
  EXPECT_EQ(gru.trackable()->children()[0].name, "cell");
  const Lstm lstm(1, {.name = "lstm"});
  EXPECT_EQ(lstm(Input({5, 2})).shape(), (Shape{kUnknownDim, 1}));
  EXPECT_EQ(lstm.variables()[2]->name(), "lstm/lstm_cell/bias");
  EXPECT_EQ(lstm.variables()[2]->Read().ToVector<float>(),
            (std::vector<float>{0, 1, 0, 0}));
  const Gru plain(3, {.use_bias = false});
  plain(Sequence({2, 4, 2}, 7));
  EXPECT_EQ(plain.variables().size(), 2u);
}

TEST(RecurrentTest, ComputesNarrowTypes) {
  const Gru gru(3, {.dtype = DTypePolicy("mixed_bfloat16")});
  EXPECT_EQ(gru(Sequence({2, 4, 2}, 7)).dtype(), DType::kBFloat16);
}

TEST(RecurrentTest, RefusesWrongArguments) {
  const Lstm lstm(3);
  const auto code = [&](const std::vector<Shape>& shapes) {
    std::vector<Structure> inputs;
    for (const Shape& shape : shapes) {
      inputs.emplace_back(Tensor::Zeros(shape));
    }
    return CodeOf([&] { lstm(inputs); });
  };
  EXPECT_EQ(code({{2, 4}}), Code::kInvalidArgument);
  EXPECT_EQ(code({{2, 0, 4}}), Code::kInvalidArgument);
  EXPECT_EQ(code({{2, 4, 2}, {2, 3}}), Code::kInvalidArgument);
  EXPECT_EQ(code({{2, 4, 2}, {2, 3}, {2, 4}}), Code::kInvalidArgument);
  EXPECT_EQ(code({{2, 4, 2}, {2, 3}, {1, 3}}), Code::kInvalidArgument);
  lstm(Tensor::Zeros({2, 4, 2}));
  ExpectError(
      [&] {
        lstm(Tensor::Zeros({2, 4, 3}));
      },
      Code::kInvalidArgument, "was built for 2 features");
  EXPECT_EQ(CodeOf([] { Gru gru(0); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { lstm.impl().Config(); }), Code::kUnimplemented);
}

}  // namespace
}  // namespace lockstep
