"""A detector with an untrained head."""

import pytest
import torch

from forensics_training.detector.network import Detector


@pytest.fixture(scope="session")
def model() -> Detector:
    """The published weights, with a head whose outputs vary."""
    torch.manual_seed(1)
    made = Detector("lite2").eval()
    with torch.no_grad():
        made.head.embed.weight.mul_(20)
        made.head.judge.weight.mul_(20)
    return made
