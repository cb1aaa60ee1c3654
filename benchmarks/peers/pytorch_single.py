"""fashion_mnist_cnn by PyTorch in one process, its threads inside each operation."""

import fashion_mnist_cnn as workload
import pytorch_model


def main():
    parser = workload.argument_parser(__doc__)
    pytorch_model.add_flags(parser)
    arguments = workload.parse(parser)
    if arguments.replicas != 1:
        parser.error(f"one process is one replica, got --replicas {arguments.replicas}")
    pytorch_model.set_threads(arguments.threads)
    model = pytorch_model.make_model(arguments)
    step = pytorch_model.make_step(model, pytorch_model.make_optimizer(model), 1)
    data = pytorch_model.load(arguments, "train")
    losses, samples = pytorch_model.train(step, data, arguments, rank=0)
    more = pytorch_model.settings(model, arguments)
    versions = pytorch_model.versions()
    workload.report("pytorch_single", arguments, versions, samples, losses, **more)


if __name__ == "__main__":
    main()
