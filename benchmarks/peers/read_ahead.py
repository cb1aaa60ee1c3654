"""Makes the items of a generator ahead, in a thread."""

import queue
import threading


def read_ahead(items, count):
    """The items, of which a thread makes up to `count` ahead.

    Errors of making one are raised here; the thread ends when the reader does.
    """
    ready, left = queue.Queue(count), threading.Event()

    def put(item):
        while not left.is_set():
            try:
                return ready.put(item, timeout=0.1)
            except queue.Full:
                continue

    def make():
        try:
            for item in items:
                put((item, None))
                if left.is_set():
                    return
            put((None, StopIteration()))
        except Exception as error:
            put((None, error))

    threading.Thread(target=make, daemon=True).start()
    try:
        while True:
            item, error = ready.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item
    finally:
        left.set()
