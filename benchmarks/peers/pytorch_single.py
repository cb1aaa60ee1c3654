"""A workload by PyTorch in one process: on the CPU, its threads inside each operation,
or on one GPU."""

from benchmarks.peers import pytorch_training, training_script


def main():
    module, arguments = pytorch_training.parse(__doc__, replicas=1)
    pytorch_training.set_threads(arguments.threads)
    model = pytorch_training.make_model(module, arguments)
    optimizer = module.make_optimizer(model, arguments)
    step = pytorch_training.make_step(module, model, optimizer, arguments)
    data = pytorch_training.load(module, arguments, "train")
    losses, samples = pytorch_training.train(step, data, arguments, rank=0)
    training_script.report(
        module.workload,
        pytorch_training.implementation(arguments),
        arguments,
        pytorch_training.versions(),
        samples,
        losses,
        **pytorch_training.settings(module, model, arguments),
    )


if __name__ == "__main__":
    main()
