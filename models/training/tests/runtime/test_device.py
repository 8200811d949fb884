import argparse

import pytest
import torch

from forensics_training.runtime.device import CPU, add_device, mixed, pick_device

CUDA = torch.device("cuda")


@pytest.mark.parametrize(
    "there, name, picked",
    [(False, "auto", CPU), (False, "cpu", CPU), (True, "auto", CUDA), (True, "cpu", CPU), (True, "cuda", CUDA)],
)
def test_the_requested_device_is_used_and_auto_prefers_cuda(monkeypatch, there, name, picked):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)

    assert pick_device(name) == picked


def test_tf32_is_off_on_a_cuda_device(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)

    pick_device("cuda")

    assert not torch.backends.cudnn.allow_tf32


@pytest.mark.parametrize("name, told", [("cuda", "there is no CUDA device"), ("tpu", "tpu is none of auto, cpu and cuda")])
def test_a_missing_device_is_refused_when_arguments_are_parsed(monkeypatch, capsys, name, told):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    options = argparse.ArgumentParser()
    add_device(options)

    with pytest.raises(SystemExit):
        options.parse_args(["--device", name])

    assert f"argument --device: {told}" in capsys.readouterr().err
    assert options.parse_args([]).device == CPU


def test_mixed_precision_is_bfloat16_on_each_device():
    with mixed(CPU):
        product = torch.ones(2, 2) @ torch.ones(2, 2)

    assert product.dtype == torch.bfloat16
