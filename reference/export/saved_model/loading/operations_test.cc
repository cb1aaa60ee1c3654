// Each operation on small numbers. Expected values are computed by hand from
// TensorFlow's documentation of tf.raw_ops.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/export/saved_model/loading/operations/strided_slice.h"
#include "reference/export/saved_model/loading/small_saved_model.h"

namespace lockstep {
namespace {

using export_internal::Attributes;
using export_internal::BoolAttribute;
using export_internal::IntAttribute;
using export_internal::IntsAttribute;
using export_internal::SliceMasks;
using export_internal::Slicing;
using export_internal::TextAttribute;
using export_internal::TypeAttribute;
using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

Tensor Floating(const Floats& values, const Shape& shape) {
  return Tensor::FromVector(values, shape);
}

// Runs y = op(x, others...), where x is float32.
class OneOperation {
 public:
  OneOperation(const std::string& op, const Attributes& attributes,
               const std::vector<Tensor>& others = {}) {
    std::vector<std::string> inputs = {
        model_.Input("x", DType::kFloat32, Shape{})};
    auto& spec = *model_.concrete()
                      .mutable_canonicalized_input_signature()
                      ->mutable_tuple_value()
                      ->mutable_values(1)
                      ->mutable_dict_value()
                      ->mutable_fields();
    shape_ = spec["x"].mutable_tensor_spec_value()->mutable_shape();
    for (const Tensor& other : others) {
      inputs.push_back(model_.nodes().Constant(other));
    }
    model_.Output("y", model_.nodes().AddFloat(op, inputs, "out", attributes));
  }
  Tensor operator()(const Tensor& x) {
    *shape_ = export_internal::ShapeProto(x.shape());
    return model_.Run({{"x", x}});
  }
  void ExpectRefused(Code code, const std::string& words) const {
    ExpectError([&] { model_.Load(); }, code, words);
  }

 private:
  SmallSavedModel model_;
  tensor_bundle::TensorShapeProto* shape_;
};

Tensor Whole(const std::vector<int32_t>& values) {
  return Tensor::FromVector(values);
}

void ExpectFloats(const Tensor& got, const Shape& shape, const Floats& wanted) {
  EXPECT_EQ(got.shape(), shape);
  EXPECT_EQ(got.ToVector<float>(), wanted);
}

const Tensor kSix = Floating({1, 2, 3, 4, 5, 6}, Shape{2, 3});

TEST(SavedModelOperationsTest, ElementByElement) {
  ExpectFloats(OneOperation("Relu", {})(kSix), Shape{2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectFloats(OneOperation("Relu", {})(Floating({-1, 2}, Shape{2})), Shape{2},
               {0, 2});
  ExpectFloats(OneOperation("Rsqrt", {})(Floating({4, 0.25f}, Shape{2})),
               Shape{2}, {0.5f, 2});
  ExpectFloats(OneOperation("Square", {})(Floating({-3}, Shape{1})), Shape{1},
               {9});
  ExpectFloats(OneOperation("Sigmoid", {})(Floating({0}, Shape{})), Shape{},
               {0.5f});
  ExpectFloats(OneOperation("Tanh", {})(Floating({0}, Shape{})), Shape{}, {0});
  ExpectFloats(OneOperation("Softmax", {})(Floating({7, 7}, Shape{1, 2})),
               Shape{1, 2}, {0.5f, 0.5f});
}

TEST(SavedModelOperationsTest, TwoTensors) {
  const Tensor column = Floating({10, 20}, Shape{2, 1});
  ExpectFloats(OneOperation("AddV2", {}, {column})(kSix), Shape{2, 3},
               {11, 12, 13, 24, 25, 26});
  ExpectFloats(OneOperation("Sub", {}, {column})(kSix), Shape{2, 3},
               {-9, -8, -7, -16, -15, -14});
  ExpectFloats(OneOperation("Mul", {}, {column})(kSix), Shape{2, 3},
               {10, 20, 30, 80, 100, 120});
  // [[1, 2, 3], [4, 5, 6]], transposed, times [10, 20].
  ExpectFloats(OneOperation("MatMul", {{"transpose_a", BoolAttribute(true)}},
                            {column})(kSix),
               Shape{3, 1}, {90, 120, 150});
  ExpectFloats(OneOperation("MatMul", {{"transpose_b", BoolAttribute(true)}},
                            {Floating({1, 0, -1}, Shape{1, 3})})(kSix),
               Shape{2, 1}, {-2, -2});
}

TEST(SavedModelOperationsTest, ImagesAndWindows) {
  const Tensor image = Floating({1, 2, 3, 4, 5, 6, 7, 8, 9}, Shape{1, 3, 3, 1});
  const Attributes windows = {{"ksize", IntsAttribute({1, 2, 2, 1})},
                              {"strides", IntsAttribute({1, 2, 2, 1})},
                              {"padding", TextAttribute("SAME")}};
  ExpectFloats(OneOperation("MaxPool", windows)(image), Shape{1, 2, 2, 1},
               {5, 6, 8, 9});
  // Padding does not count: (3 + 6) / 2, (7 + 8) / 2, 9.
  ExpectFloats(OneOperation("AvgPool", windows)(image), Shape{1, 2, 2, 1},
               {3, 4.5f, 7.5f, 9});
  ExpectFloats(OneOperation("Conv2D",
                            {{"strides", IntsAttribute({1, 1, 1, 1})},
                             {"padding", TextAttribute("VALID")}},
                            {Floating({1, 0, 0, 1}, Shape{2, 2, 1, 1})})(image),
               Shape{1, 2, 2, 1}, {6, 8, 12, 14});
  ExpectFloats(
      OneOperation("BiasAdd", {}, {Floating({1, 2, 3}, Shape{3})})(kSix),
      Shape{2, 3}, {2, 4, 6, 5, 7, 9});
  const Tensor paddings =
      Tensor::FromVector<int32_t>({0, 0, 1, 0, 0, 1, 0, 0}, Shape{4, 2});
  ExpectFloats(
      OneOperation("Pad", {}, {paddings})(Floating({7}, Shape{1, 1, 1, 1})),
      Shape{1, 2, 2, 1}, {0, 0, 7, 0});
}

TEST(SavedModelOperationsTest, MovingElements) {
  ExpectFloats(OneOperation("Reshape", {}, {Whole({3, -1})})(kSix), Shape{3, 2},
               {1, 2, 3, 4, 5, 6});
  ExpectFloats(
      OneOperation("Reshape", {}, {Whole({-1, 4})})(Floating({}, Shape{0, 2})),
      Shape{0, 4}, {});
  ExpectFloats(OneOperation("Squeeze", {{"squeeze_dims", IntsAttribute({-1})}})(
                   Floating({1, 2}, Shape{1, 2, 1})),
               Shape{1, 2}, {1, 2});
  ExpectFloats(OneOperation("Squeeze", {})(Floating({1, 2}, Shape{1, 2, 1})),
               Shape{2}, {1, 2});
  ExpectFloats(
      OneOperation("Pack", {{"axis", IntAttribute(-1)}},
                   {Floating({3, 4}, Shape{2})})(Floating({1, 2}, Shape{2})),
      Shape{2, 2}, {1, 3, 2, 4});
  ExpectFloats(OneOperation("ConcatV2", {},
                            {Floating({7, 8}, Shape{2, 1}), Whole({-1})})(kSix),
               Shape{2, 4}, {1, 2, 3, 7, 4, 5, 6, 8});
  ExpectFloats(OneOperation("Mean", {{"keep_dims", BoolAttribute(true)}},
                            {Whole({-1})})(kSix),
               Shape{2, 1}, {2, 5});
  ExpectFloats(
      OneOperation("GatherV2",
                   {{"Tparams", TypeAttribute(tensor_bundle::DT_FLOAT)}},
                   {Whole({1, 1, 0}), Whole({0})})(kSix),
      Shape{3, 3}, {4, 5, 6, 4, 5, 6, 1, 2, 3});
  // Rows backwards, and the second column alone.
  ExpectFloats(
      OneOperation("StridedSlice",
                   {{"begin_mask", IntAttribute(1)},
                    {"end_mask", IntAttribute(1)},
                    {"shrink_axis_mask", IntAttribute(2)}},
                   {Whole({0, 1}), Whole({0, 2}), Whole({-1, 1})})(kSix),
      Shape{2}, {5, 2});
}

TEST(SavedModelOperationsTest, TypesAndShapes) {
  SmallSavedModel model;
  const std::string x = model.Input("x", DType::kFloat32, Shape{-1, 3});
  const auto cast = [&](const std::string& of, DType from, DType to) {
    return model.nodes().Add(
        "Cast", {of},
        {{"SrcT", TypeAttribute(export_internal::TypeNumber(from))},
         {"DstT", TypeAttribute(export_internal::TypeNumber(to))}},
        "y");
  };
  const std::string shape = model.nodes().AddFloat("Shape", {x}, "output");
  const std::string whole = cast(x, DType::kFloat32, DType::kInt64);
  model.Output("shape", shape);
  model.Output("whole", whole);
  model.Output("x_again", cast(whole, DType::kInt64, DType::kFloat32));
  const auto got =
      model.Load().Run({{"x", Floating({1.5f, -1.5f, 2}, Shape{1, 3})}});
  EXPECT_EQ(got.at("shape").ToVector<int32_t>(), (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(got.at("whole").ToVector<int64_t>(), (Integers{1, -1, 2}));
  ExpectFloats(got.at("x_again"), Shape{1, 3}, {1, -1, 2});
}

TEST(SavedModelOperationsTest, UnsupportedOperationsFailToLoad) {
  const Attributes windows = {{"ksize", IntsAttribute({1, 2, 2, 1})},
                              {"strides", IntsAttribute({1, 2, 2, 1})},
                              {"padding", TextAttribute("SAME")}};
  const auto with = [](Attributes attributes, const std::string& name,
                       const export_internal::AttrValue& value) {
    std::erase_if(attributes, [&](const auto& a) { return a.first == name; });
    attributes.emplace_back(name, value);
    return attributes;
  };
  OneOperation("Erf", {}).ExpectRefused(
      Code::kUnimplemented,
      "node 'Erf' (Erf): this operation is not supported");
  OneOperation("MaxPool", with(windows, "data_format", TextAttribute("NCHW")))
      .ExpectRefused(Code::kUnimplemented, "its data_format is NCHW");
  OneOperation("MaxPool", with(windows, "padding", TextAttribute("EXPLICIT")))
      .ExpectRefused(Code::kUnimplemented, "its padding is EXPLICIT");
  OneOperation("MaxPool", with(windows, "ksize", IntsAttribute({1, 2, 2, 2})))
      .ExpectRefused(Code::kUnimplemented, "[1, rows, columns, 1]");
  OneOperation("MaxPool", with(windows, "strides",
                               IntsAttribute({1, int64_t{1} << 62, 1, 1})))
      .ExpectRefused(Code::kDataLoss, "is not from 1 to 32768");
  OneOperation("Cast", {{"SrcT", TypeAttribute(tensor_bundle::DT_FLOAT)},
                        {"DstT", TypeAttribute(tensor_bundle::DT_DOUBLE)}})
      .ExpectRefused(Code::kUnimplemented, "its DstT is TensorFlow's type 2");
  OneOperation("Mul", {}).ExpectRefused(Code::kDataLoss, "has 1 inputs, not 2");
}

TEST(SavedModelOperationsTest, ErrorsNameTheNode) {
  const auto refused = [](OneOperation operation, const Tensor& x,
                          const std::string& words) {
    ExpectError([&] { operation(x); }, Code::kInvalidArgument, words);
  };
  refused(OneOperation("Reshape", {}, {Whole({4, -1})}), kSix,
          "node 'Reshape' (Reshape)");
  refused(OneOperation("Reshape", {}, {Whole({-1, -1})}), kSix,
          "a dimension of -1");
  refused(OneOperation("BiasAdd", {}, {Floating({1}, Shape{1})}), kSix,
          "a bias of float32 (1,) does not fit");
  refused(OneOperation("Pack", {}, {Floating({1}, Shape{1})}), kSix,
          "float32 (1,) packed with float32 (2, 3)");
  refused(OneOperation("Squeeze", {{"squeeze_dims", IntsAttribute({1})}}), kSix,
          "axis 1 of (2, 3) is not of one element");
  refused(OneOperation("Mean", {}, {Whole({2})}), kSix, "(Mean)");
  refused(OneOperation("MatMul", {}, {kSix}), kSix, "(MatMul)");
}

struct SlicingCase {
  SliceMasks masks;
  Integers begin, end, strides;
  Integers shape, indices;
};

// Of x [2, 3].
TEST(SlicingTest, SameAsNumpy) {
  const int64_t all = std::numeric_limits<int64_t>::min();
  const SlicingCase cases[] = {
      {{}, {}, {}, {}, {2, 3}, {0, 1, 2, 3, 4, 5}},          // x[()]
      {{}, {1}, {2}, {1}, {1, 3}, {3, 4, 5}},                // x[1:2]
      {{.shrink_axis = 1}, {-1}, {0}, {1}, {3}, {3, 4, 5}},  // x[-1]
      {{.ellipsis = 1}, {0, -2}, {0, 9}, {1, 1}, {2, 2}, {1, 2, 4, 5}},
      {{.new_axis = 1}, {0, 1}, {0, 2}, {1, 1}, {1, 1, 3}, {3, 4, 5}},
      {{.begin = 3, .end = 3}, {0, 0}, {0, 0}, {-1, -2}, {2, 2}, {5, 3, 2, 0}},
      {{}, {0, 2}, {2, all}, {1, -1}, {2, 3}, {2, 1, 0, 5, 4, 3}},
      {{}, {5}, {9}, {1}, {0, 3}, {}},  // x[5:9]
      {{}, {0}, {2}, {all + 1}, {0, 3}, {}}};
  for (const SlicingCase& one : cases) {
    const Slicing slicing(Shape{2, 3}, one.masks, one.begin, one.end,
                          one.strides);
    EXPECT_EQ(slicing.shape(), Shape(one.shape))
        << testing::PrintToString(one.begin);
    EXPECT_EQ(slicing.Indices(), one.indices)
        << testing::PrintToString(one.begin);
  }
}

TEST(SlicingTest, InvalidSlices) {
  const auto refused = [](const SliceMasks& masks, const Integers& begin,
                          const Integers& strides, const std::string& words) {
    ExpectError(
        [&] {
          Slicing(Shape{2, 3}, masks, begin, begin, strides);
        },
        Code::kInvalidArgument, words);
  };
  refused({}, {0}, {0}, "a stride must not be 0");
  refused({}, {0}, {1, 1}, "have 1, 1 and 2 numbers");
  refused({}, {0, 0, 0}, {1, 1, 1}, "3 axes of (2, 3) are sliced");
  refused({.ellipsis = 3}, {0, 0}, {1, 1}, "two ellipses");
  refused({.shrink_axis = 1}, {2}, {1}, "element 2 of an axis of 2");
}

}  // namespace
}  // namespace lockstep
