"""The pipelines of benchmarks/micro/pipelines by PyTorch's DataLoader.

--way=document   as the tutorials write it: one sample at a time, put together by the default collate function; and
                 16 worker processes whose samples sleep
--way=fast       what is fastest: a sampler of whole batches, which the dataset takes by one index

PyTorch reads no TFRecord files; these scripts read them in Python, without looking at checksums.
"""

import argparse
import struct
import time

import torch
from torch.utils import data

from benchmarks.peers import samples
from benchmarks.peers.pipelines import work


class Numbers(data.Dataset):
    """An index of several numbers, as a sampler of whole batches gives, takes them at once."""

    def __init__(self):
        self.numbers = torch.arange(work.NUMBERS)

    def __len__(self):
        return work.NUMBERS

    def __getitem__(self, index):
        return self.numbers[index]


class Sleeps(data.Dataset):
    def __len__(self):
        return work.SLEEPS

    def __getitem__(self, index):
        time.sleep(work.SLEEP)
        return index


class Records(data.IterableDataset):
    """The parsed records of files; each of several workers reads its own files."""

    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):
        worker = data.get_worker_info()
        mine = self.paths[worker.id :: worker.num_workers] if worker else self.paths
        for path in mine:
            with open(path, "rb") as file:
                while header := file.read(12):
                    (length,) = struct.unpack_from("<Q", header)
                    yield parse(file.read(length + 4)[:length])


def parse(record):
    content = torch.frombuffer(bytearray(record), dtype=torch.uint8)
    return (content[1:].float() / 255).reshape(28, 28, 1), int(content[0])


def whole_batches(dataset, sampler, size):
    return data.DataLoader(dataset, sampler=data.BatchSampler(sampler, size, drop_last=False), batch_size=None)


def small_batches(arguments):
    numbers = Numbers()
    if arguments.way == "document":
        loader = data.DataLoader(numbers, batch_size=work.SMALL_BATCH)
    else:
        loader = whole_batches(numbers, data.SequentialSampler(numbers), work.SMALL_BATCH)
    return work.small_batches(lambda: sum(int(batch.sum()) for batch in loader), arguments.repetitions)


def shuffled_images(arguments):
    dataset = data.TensorDataset(torch.zeros(work.IMAGES, 28, 28, 1), torch.arange(work.IMAGES))
    if arguments.way == "document":
        loader = data.DataLoader(dataset, batch_size=work.BATCH, shuffle=True)
    else:
        loader = whole_batches(dataset, data.RandomSampler(dataset), work.BATCH)
    return work.shuffled_images(lambda: sum(int(labels.sum()) for _, labels in loader), arguments.repetitions)


def records(arguments, paths):
    workers = {"document": 0, "fast": 2}[arguments.way]
    loader = data.DataLoader(Records(paths), batch_size=work.BATCH, num_workers=workers, persistent_workers=workers > 0)
    return work.records(lambda: sum(int(labels.sum()) for _, labels in loader), arguments.repetitions)


def sleeps(*, ordered):
    loader = data.DataLoader(
        Sleeps(), batch_size=None, num_workers=work.CALLS, persistent_workers=True, in_order=ordered
    )
    return work.sleeps(lambda: sum(map(int, loader)), work.CALLS, "kept" if ordered else "free")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=("document", "fast"), default="document")
    parser.add_argument("--repetitions", type=int, default=2)
    arguments = parser.parse_args()
    entries = [small_batches(arguments), shuffled_images(arguments)]
    with work.record_files() as paths:
        entries.append(records(arguments, paths))
    if arguments.way == "document":
        entries += [sleeps(ordered=ordered) for ordered in (True, False)]
    samples.report({"torch": torch.__version__}, entries)


if __name__ == "__main__":
    main()
