from pathlib import Path

import onnx
import pytest
import torch

from forensics_training.locator.export import Calibration, export
from forensics_training.locator.network import Locator
from forensics_training.locator.release import FIRST, LAST
from forensics_training.locator.start import start_from
from forensics_training.runtime.strips import in_strips


@pytest.fixture
def published(tmp_path: Path) -> tuple[Locator, Path]:
    """A network whose batch norms have statistics, as in a release."""
    torch.manual_seed(1)
    locator, path = Locator(), tmp_path / "locate.onnx"
    for module in locator.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            for value, low, high in ((module.weight, 0.8, 1.2), (module.bias, -0.1, 0.1), (module.running_mean, -0.1, 0.1), (module.running_var, 0.8, 1.2)):
                torch.nn.init.uniform_(value, low, high)
    export(locator, Calibration(), path)
    onnx.save(in_strips(in_strips(onnx.load(path), LAST), FIRST), str(path))
    return locator.eval(), path


def test_a_released_network_is_restored_with_the_same_answers(published: tuple[Locator, Path]):
    locator, path = published
    again = Locator()
    start_from(path, again)
    rgb = torch.randint(0, 256, (1, 96, 128, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))

    with torch.no_grad():
        mine, yours = (one.eval()(rgb, torch.full((1, 64), 5.0)) for one in (locator, again))

    assert torch.allclose(mine.changed, yours.changed, atol=1e-3)
    assert torch.allclose(mine.trust, yours.trust, atol=1e-3)


def test_a_run_can_start_from_the_weights_of_another(tmp_path: Path):
    torch.manual_seed(2)
    locator, again = Locator(), Locator()
    torch.save(locator.state_dict(), tmp_path / "best.pt")

    start_from(tmp_path / "best.pt", again)

    assert all(torch.equal(mine, yours) for mine, yours in zip(locator.state_dict().values(), again.state_dict().values(), strict=True))


def test_a_network_with_other_layers_is_refused(published: tuple[Locator, Path]):
    locator = Locator()
    locator.fine[0] = torch.nn.Conv2d(160, 48, 3)

    with pytest.raises(ValueError, match="fine.0 has other weights"):
        start_from(published[1], locator)
