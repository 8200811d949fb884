"""Seconds to open and to ask both arms, and memory, on one thread: python latency.py --model ../trace-1

Of 1024 x 1024 px the engine asks the network for all, the second arm for all of its half and at full size for 16 patches with
what lies around them, 192 px each.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from pathlib import Path

import numpy as np
import onnxruntime

SIDE, PATCH, RUNS = 1024, 192, 15


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", type=Path, required=True)
    asked = options.parse_args()
    random = np.random.default_rng(1)
    for file, side in (("model.onnx", SIDE), ("votes.onnx", SIDE), ("votes.onnx", SIDE // 2), ("votes.onnx", PATCH)):
        began = time.perf_counter()
        session = open_session(asked.model / file)
        opened = time.perf_counter() - began
        rgb = random.integers(0, 256, (1, side, side, 3), dtype=np.uint8)
        before = peak_mb()
        seconds = [timed(session, rgb) for _ in range(RUNS)]
        print(f"{file} at {side} px: opened in {opened:.2f} s, {min(seconds):.3f} s best, {statistics.median(seconds):.3f} s median of {RUNS}, "
              f"{peak_mb() - before:.0f} MB more than before the first run")  # fmt: skip


def open_session(path: Path) -> onnxruntime.InferenceSession:
    """Not by way of export.py: importing torch would be counted as memory."""
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])


def timed(session: onnxruntime.InferenceSession, rgb: np.ndarray) -> float:
    began = time.perf_counter()
    session.run(None, {"rgb": rgb})
    return time.perf_counter() - began


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
