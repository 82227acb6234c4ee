"""ONNX Runtime in a process of its own: a kernel that ends its process ends that one, and no comparison but its own."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

PATIENCE = 60.0
"""Seconds after which a kernel is taken not to come back."""

MISSING = "ONNX Runtime is not installed: pip install 'gradual[oracles]'"

_SPAWN = get_context("spawn")


class Declined(Exception):
    """What the runtime says of a node for which it has no kernel, or whose kernel does not take such sizes."""


class Refused(Exception):
    """What the runtime says of a node that ONNX does not admit."""


class Died(Exception):
    """The runtime's process ended, or never came back, and no answer was given."""


class Runtime:
    """The runtime's process: started at the first question, and anew at the first one after it died."""

    def __init__(self) -> None:
        self._process: Any = None
        self._line: Any = None
        atexit.register(self.stop)

    @property
    def pid(self) -> int:
        """The number of the process that runs now."""
        return int(self._process.pid)

    def run(self, model: bytes, feed: Mapping[str, Any]) -> list[Any]:
        """The results of a model; raises Declined, Refused or Died, and RuntimeError for what nobody foresaw.

        Whoever asks ends with a message if the runtime is not installed.
        """
        if self._process is None:
            self._start()
        try:
            self._line.send((model, feed))
            if not self._line.poll(PATIENCE):
                self.stop()
                raise Died(f"no answer within {PATIENCE:.0f} s")
            failure, answer = self._line.recv()
        except (EOFError, ConnectionError) as ended:
            raise Died(f"its process ended with {self.stop()}") from ended
        if failure is not None:
            raise failure(answer)
        return answer  # type: ignore[no-any-return]  # a list of arrays, read from the pipe

    def _start(self) -> None:
        if find_spec("onnxruntime") is None:
            sys.exit(MISSING)
        self._line, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def stop(self) -> int | None:
        """Ends the process, if there is one, and gives its exit code: of a signal, its number below 0."""
        if self._process is None:
            return None
        self._line.close()
        self._process.join(1)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        code, self._process = self._process.exitcode, None
        return int(code)


def _serve(line: Connection) -> None:
    """Answers questions until nobody asks any more."""
    import onnxruntime

    state = onnxruntime.capi.onnxruntime_pybind11_state
    declined = (state.NotImplemented, state.Fail, state.RuntimeException, state.InvalidArgument)
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    while True:
        try:
            model, feed = line.recv()
        except EOFError:
            return
        try:
            session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
            answer = None, session.run(None, feed)
        except declined as failure:
            answer = Declined, str(failure)
        except state.InvalidGraph as failure:
            answer = Refused, str(failure)
        except Exception as failure:  # the process lives on, and whoever asked fails with it
            answer = RuntimeError, f"{type(failure).__name__}: {failure}"
        line.send(answer)
