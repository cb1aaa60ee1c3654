"""Iterators that live as long as their process."""

_ITERATORS = []


def keep_alive(iterator):
    """The same iterator, which nothing but the end of the process ends.

    One of several devices that ends earlier waits for the tuning threads of tf.data's own
    datasets on these devices, which sleep for about as long as it has lived and can be
    given no options (OwnedMultiDeviceIterator of TensorFlow 2.21).
    """
    _ITERATORS.append(iterator)
    return iterator
