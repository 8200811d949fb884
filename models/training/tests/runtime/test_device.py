import argparse

import pytest
import torch

from forensics_training.runtime.device import CPU, add_device, mixed, pick_device

CUDA = torch.device("cuda")


@pytest.mark.parametrize(
    "there, name, picked",
    [(False, "auto", CPU), (False, "cpu", CPU), (True, "auto", CUDA), (True, "cpu", CPU), (True, "cuda", CUDA)],
)
def test_the_device_is_the_one_asked_for_or_cuda_where_there_is_one(monkeypatch, there, name, picked):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)

    assert pick_device(name) == picked


def test_full_precision_stays_full_on_a_cuda_device(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)

    pick_device("cuda")

    assert not torch.backends.cudnn.allow_tf32


@pytest.mark.parametrize("name, told", [("cuda", "there is no CUDA device"), ("tpu", "tpu is none of auto, cpu and cuda")])
def test_a_device_that_is_not_there_is_refused_where_the_command_is_read(monkeypatch, capsys, name, told):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    options = argparse.ArgumentParser()
    add_device(options)

    with pytest.raises(SystemExit):
        options.parse_args(["--device", name])

    assert f"argument --device: {told}" in capsys.readouterr().err
    assert options.parse_args([]).device == CPU


def test_half_the_bits_are_used_on_the_device_at_hand():
    with mixed(CPU):
        product = torch.ones(2, 2) @ torch.ones(2, 2)

    assert product.dtype == torch.bfloat16
