"""Prints every few seconds on standard error what a command is doing, so that the user knows that it still runs."""
import sys
import threading
import time

SECONDS = 3  # between two lines; less than 5 even on a busy machine


class Progress:
    """A context that prints `doing`, which may change at any time, every few seconds."""

    def __init__(self, doing):
        self.doing = doing
        self._began = time.monotonic()
        self._over = threading.Event()
        self._teller = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self):
        self._teller.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._teller.join()

    def _tell(self):
        while not self._over.wait(SECONDS):
            print(f"baretick: {self.doing}, {time.monotonic() - self._began:.0f} s so far", file=sys.stderr, flush=True)
