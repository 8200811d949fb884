import numpy as np
import torch

from combine import MEMBERS, Votes, combine
from crossed import crossed
from data import Item
from discriminant import Scale, group_by_source
from export import export_model
from handmade import Statistics
from network import Backbone, Head


def item(source: str, fake: bool) -> Item:
    return Item(f"{source}/1", "calibration", fake, "any", source, 8, 8, 0, 90)


def test_no_source_is_judged_by_an_arm_that_was_fitted_on_it(tmp_path, monkeypatch):
    torch.manual_seed(1)
    random, statistics = np.random.default_rng(1), Statistics()
    width = statistics.describe(torch.zeros(1, sum(statistics.widths))).shape[1]
    sources = np.repeat(["a", "b", "c", "d", "e", "f"], 5)
    fake = np.repeat([False, False, False, True, True, True], 5)
    groups = group_by_source(random.normal(size=(30, width)), fake, sources, np.ones(30))
    scale = Scale(np.zeros(width), np.ones(width))
    export_model(Backbone(), Head(), tmp_path / "network")
    combine(tmp_path / "network", Votes(scale, np.zeros((width, MEMBERS)), np.zeros(MEMBERS)), tmp_path / "model")
    fitted = []

    def remember(groups, members, random):
        fitted.append({(group.source, group.fake) for group in groups})
        return np.zeros((width, members)), np.full(members, float(len(fitted)))

    monkeypatch.setattr("crossed.ensemble", remember)
    items = [item("a", False), item("d", True), item("e", True)]

    judges = crossed(items, tmp_path / "model", scale, groups, tmp_path / "crossed", 1)

    for one in items:
        fold = int(judges(one).votes(np.zeros((1, 128, 128, 3), np.uint8)).mean().round())
        assert (one.source, one.fake) not in fitted[fold - 1]
        assert ("b", False) in fitted[fold - 1]
