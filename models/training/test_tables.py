import numpy as np
import pytest

from tables import make_draws


class Means:
    """A reader that gives mean colours, and notes how often it was asked."""

    def __init__(self, network: str):
        self.hash, self.asked = network, 0

    def patch(self, rgb: np.ndarray) -> np.ndarray:
        self.asked += 1
        return rgb.mean((0, 1))


@pytest.mark.parametrize("network, seed", [("a", 4), ("b", 3)], ids=["seed", "network"])
def test_draws_are_kept_until_what_they_were_made_from_changes(pictures, tmp_path, network, seed):
    first, again, other = Means("a"), Means("a"), Means(network)

    make_draws(pictures, first, tmp_path, 2, seed=3)
    make_draws(pictures, again, tmp_path, 2, seed=3)
    make_draws(pictures, other, tmp_path, 2, seed)

    assert again.asked == 0
    assert first.asked == other.asked > 0
