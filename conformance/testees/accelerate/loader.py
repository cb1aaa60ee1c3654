"""A loader of a program: a DataLoader that Accelerate has prepared, and where it is."""

from accelerate.utils import set_seed
from torch.utils import data

from conformance.testees.python.errors import Unsupported
from conformance.testees.torch_ranks.dataset import dataset_of


class Loader:
    """`prepared` gives whole passes; `place` counts what was given of the one that is not over."""

    def __init__(self, prepared, has_equal_shares):
        self.prepared = prepared
        self.has_equal_shares = has_equal_shares
        self.place = 0
        self._behind = 0  # how many batches the next pass leaves out,
        self._skipped = None  # and what it is read from then
        self._going_on = iter(())

    def read_pass(self):
        """This replica's batches of the next pass, or what is left of it."""
        batches, self._skipped = self._skipped or self.prepared, None
        self.place, self._behind = self._behind, 0
        for batch in batches:
            self.place += 1
            yield batch
        self.place = 0

    def next_batch(self):
        """The next one of the pass that this began last, or of a new one."""
        for batch in self._going_on:
            return batch
        self._going_on = self.read_pass()
        return next(self._going_on)

    def skipping(self, accelerator, batches):
        """The same, whose next pass begins behind so many batches."""
        skipping = Loader(self.prepared, self.has_equal_shares)
        skipping.go_on_behind(accelerator, batches)
        return skipping

    def go_on_behind(self, accelerator, batches):
        """Lets the next pass begin behind so many batches."""
        if not hasattr(accelerator, "skip_first_batches"):  # since 0.16
            raise Unsupported("its loaders skip no batches")
        self._behind = batches
        self._skipped = accelerator.skip_first_batches(self.prepared, batches)

    def set_epoch(self, epoch):
        """The number of the next pass; a skipped one is followed by whole ones."""
        if self._skipped is not None:
            self._skipped.set_epoch(epoch)
            epoch += 1
        self.prepared.set_epoch(epoch)


def loader_of(request, session, is_seeded):
    """`request` is a LoaderRequest; `is_seeded` where a program says its seed."""
    replicas = session.accelerator.num_processes
    # A global batch that has no whole shares is one that Accelerate would have to split.
    # https://huggingface.co/docs/accelerate/package_reference/utilities (split_batches: a round multiple)
    has_shares = request.batch_of == "replica" or request.batch % replicas == 0
    shares = has_shares and not session.splits(request.batch_of)
    if is_seeded or not request.draws:
        set_seed(request.seed)  # what the sampler takes for its seed when it is prepared
    loader = data.DataLoader(
        dataset_of(request),
        batch_size=request.replica_batch(replicas) if shares else request.batch,
        shuffle=request.shuffle,
        drop_last=request.drop_last or request.uneven == "drop",
        num_workers=request.workers,
    )
    is_even = request.uneven != "keep"
    return Loader(session.prepare_loader(loader, not shares, is_even), is_even)
