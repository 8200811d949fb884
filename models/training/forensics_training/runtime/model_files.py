"""Reading ONNX files, and describing the files of a model folder in its manifest."""

from __future__ import annotations

import hashlib
from pathlib import Path

import onnxruntime


def open_session(model: Path | bytes) -> onnxruntime.InferenceSession:
    """One thread on the CPU, as in the engine."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model if isinstance(model, bytes) else str(model), options, providers=["CPUExecutionProvider"])


def describe_file(path: Path) -> dict:
    data = path.read_bytes()
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
