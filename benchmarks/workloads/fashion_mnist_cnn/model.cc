#include "benchmarks/workloads/fashion_mnist_cnn/model.h"

#include "reference/layers/conv2d.h"
#include "reference/layers/dense.h"
#include "reference/layers/flatten.h"
#include "reference/layers/max_pooling2d.h"

namespace lockstep::benchmarks {

std::unique_ptr<Sequential> MakeFashionMnistCnn() {
  auto model = std::make_unique<Sequential>(std::vector<LayerPtr>{
      std::make_shared<Conv2D>(32, 3,
                               Conv2DOptions{.activation = Activation::kRelu}),
      std::make_shared<MaxPooling2D>(),
      std::make_shared<Conv2D>(64, 3,
                               Conv2DOptions{.activation = Activation::kRelu}),
      std::make_shared<MaxPooling2D>(),
      std::make_shared<Flatten>(),
      std::make_shared<Dense>(64,
                              DenseOptions{.activation = Activation::kRelu}),
      std::make_shared<Dense>(10),
  });
  model->Build(Shape{kUnknownDim, 28, 28, 1});
  return model;
}

}  // namespace lockstep::benchmarks
