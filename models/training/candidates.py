"""Groups of hand-made statistics that were tried beside those of handmade.py and lost (EXPERIMENTS.md, experiment 5), and the
choice itself: python candidates.py --data DIR

Kept in the history only: each drop is judged by held-out patches of train and calibration sources (six folds of whole sources)
plus the mean picture AUC on the calibration split, with the discriminant of discriminant.py.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from arms import by_picture
from conditions import CONDITIONS
from data import draw_weights, open_pictures
from discriminant import discriminant, fit_scale, group_by_source
from handmade import (CELL, LIMIT, TINY, Colours, Contrast, Edges, Moments, Planes, Scales, Spectrum, Statistics, both_ways, box,
                      code_classes, diagonal_fold, replicate, second_differences, shifted, to_cells)  # fmt: skip
from metrics import auc
from network import dct_kernels
from tables import draw, keep, read


class ChromaSpectrum(Spectrum):
    """The spectrum of one chroma plane."""

    def __init__(self, scale: int, stride: int, plane: int):
        super().__init__(scale, stride)
        self.plane = plane

    def maps(self, planes: Planes) -> torch.Tensor:
        chroma = type("Plane", (), {"luma": lambda _, scale: planes.ycc[scale][:, self.plane : self.plane + 1]})()
        return super().maps(chroma)


class Spread(nn.Module):
    """Deviation of the log magnitude of each frequency."""

    def __init__(self, scale: int, stride: int):
        super().__init__()
        self.scale, self.stride = scale, stride
        self.register_buffer("kernels", dct_kernels())
        self.register_buffer("fold", diagonal_fold())

    def maps(self, planes: Planes) -> torch.Tensor:
        padded = replicate(planes.luma(self.scale), (8 - self.stride) // 2)
        log = torch.log1p(functional.conv2d(padded, self.kernels, stride=self.stride).abs() * 2)
        both = [functional.conv2d(part, self.fold) for part in (log, log * log)]
        return to_cells(torch.cat(both, 1), self.scale * self.stride)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        log, square = means.split(36, 1)
        return (square - log * log)[:, 1:].clamp(min=0).sqrt()


class Neighbours(nn.Module):
    """Correlation of the luma residual with itself some pixels away."""

    shifts = ((0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (2, 2), (0, 3), (3, 0), (0, 4), (4, 0), (0, 8), (8, 0))

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale
        self.register_buffer("kernel", both_ways()[None, None])

    def maps(self, planes: Planes) -> torch.Tensor:
        r = functional.conv2d(replicate(planes.luma(self.scale), 1), self.kernel).clamp(-LIMIT, LIMIT)
        return to_cells(torch.cat([r * r, *(r * shifted(r, *shift) for shift in self.shifts)], 1), self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        return means[:, 1:] / (means[:, :1] + TINY)


class Noise(nn.Module):
    """Residual strength against brightness, and its distribution: a sensor's noise grows with light, a decoder's does not."""

    knots = (20.0, 75.0, 130.0, 185.0, 240.0)

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale
        self.register_buffer("kernel", both_ways()[None, None])

    def maps(self, planes: Planes) -> torch.Tensor:
        luma = planes.luma(self.scale)
        level = (box(functional.conv2d(replicate(luma, 1), self.kernel).abs().clamp(max=LIMIT), 5) + 0.1).log2()
        bins = [torch.relu(1 - (luma - knot).abs() / 55) for knot in self.knots]
        levels = [torch.relu(1 - (level - knot).abs()) for knot in (-3, -2, -1, 0, 1, 2, 3)]
        return to_cells(torch.cat([level, level * level, *bins, *(b * level for b in bins), *levels], 1), self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        level, square, share, weighted, levels = means.split((1, 1, 5, 5, 7), 1)
        by_light = (weighted + 0.02 * level) / (share + 0.02) - level
        return torch.cat([level, square - level * level, by_light, levels], 1)


class FixedPatterns(nn.Module):
    """Co-occurrences as in handmade.Patterns, with a fixed or a following step."""

    def __init__(self, scale: int, step: float, adaptive: bool = False):
        super().__init__()
        self.scale, self.step, self.adaptive = scale, step, adaptive
        self.register_buffer("kernels", second_differences())
        self.register_buffer("classes", code_classes())

    def maps(self, planes: Planes) -> torch.Tensor:
        r = functional.conv2d(replicate(planes.luma(self.scale), 1), self.kernels)
        q = (r / (box(r.abs(), 7) * self.step + 0.5 if self.adaptive else self.step)).round().clamp(-1, 1)
        codes = [13 + q[:, [i]] * 9 + shifted(q[:, [i]], dy, dx) * 3 + shifted(q[:, [i]], 2 * dy, 2 * dx)
                 for i, (dy, dx) in enumerate(((0, 1), (1, 0)))]  # fmt: skip
        classes = [self.classes[code.long()] for code in codes]
        return to_cells(torch.cat([sum((c == k).float() for c in classes) / 2 for k in range(10)], 1), self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        return (means + 0.002).log()


class Phases(nn.Module):
    """First differences by column and row modulo 8, and colour residuals by their place in a 2 x 2 square."""

    def __init__(self):
        super().__init__()
        self.register_buffer("kernel", both_ways()[None, None].repeat(3, 1, 1, 1))

    def maps(self, planes: Planes) -> torch.Tensor:
        luma = planes.luma(1)
        across = (luma - shifted(luma, 0, 1)).abs().clamp(max=LIMIT)
        down = (luma - shifted(luma, 1, 0)).abs().clamp(max=LIMIT).transpose(2, 3)
        r = functional.conv2d(replicate(planes.rgb[1], 1), self.kernel, groups=3).abs().clamp(max=LIMIT)
        quarters = functional.avg_pool2d(functional.pixel_unshuffle(r, 2), CELL // 2)
        return torch.cat([self.by_eight(across), self.by_eight(down).transpose(2, 3), quarters], 1)

    def by_eight(self, maps: torch.Tensor) -> torch.Tensor:
        rows = functional.avg_pool2d(maps, (CELL, 1))[:, 0]
        return rows.reshape(rows.shape[0], rows.shape[1], -1, 2, 8).mean(3).permute(0, 3, 1, 2)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        logs = [(part + 0.02).log() for part in [*means[:, :16].split(8, 1), *means[:, 16:].split(4, 1)]]
        return torch.cat([log - log.mean(1, keepdim=True) for log in logs], 1)


class Coherence(nn.Module):
    """Whether gradients of a neighbourhood point the same way, and how that goes with their strength."""

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale

    def maps(self, planes: Planes) -> torch.Tensor:
        luma = planes.luma(self.scale)
        across, down = luma - shifted(luma, 0, 1), luma - shifted(luma, 1, 0)
        a, b, c = box(across * across, 5), box(down * down, 5), box(across * down, 5)
        aligned, level = ((a - b).square() + 4 * c * c + 1e-3).sqrt() / (a + b + 1), (a + b + 0.5).log2()
        strong = (a + b > 8).float()
        maps = [aligned, aligned.square(), aligned * level, level, level.square(), strong, aligned * strong]
        return to_cells(torch.cat(maps, 1), self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        aligned, aligned2, product, level, level2, strong, both = means.split(1, 1)
        spread, other = (aligned2 - aligned.square()).clamp(min=0), (level2 - level.square()).clamp(min=0)
        slope = (product - aligned * level) / ((spread + 0.01) * (other + 0.05)).sqrt()
        return torch.cat([aligned, spread, slope, both / (strong + 0.02)], 1)


class Candidates(Statistics):
    """All groups that were ever in the choice."""

    def __init__(self):
        super().__init__()
        lost = {
            "moments": Moments(1), "quarter moments": Moments(4), "neighbours": Neighbours(1), "half neighbours": Neighbours(2),
            "quarter neighbours": Neighbours(4), "contrast": Contrast(1), "noise": Noise(1), "half noise": Noise(2),
            "quarter noise": Noise(4), "patterns 1": FixedPatterns(1, 1.0), "patterns 3": FixedPatterns(1, 3.0),
            "patterns adaptive": FixedPatterns(1, 0.7, True), "half patterns 2": FixedPatterns(2, 2.0),
            "quarter patterns 3": FixedPatterns(4, 3.0), "eighth patterns adaptive": FixedPatterns(8, 0.7, True),
            "phases": Phases(), "half spread": Spread(2, 4), "quarter spread": Spread(4, 4),
            "half cb dct": ChromaSpectrum(2, 4, 1), "half cr dct": ChromaSpectrum(2, 4, 2),
            "quarter cb dct": ChromaSpectrum(4, 4, 1), "quarter cr dct": ChromaSpectrum(4, 4, 2),
            "half cb contrast": Contrast(2, 1), "half cr contrast": Contrast(2, 2), "quarter colours": Colours(4),
            "full to half": Scales(1), "quarter to eighth": Scales(4), "eighth edges": Edges(8),
            "half coherence": Coherence(2), "quarter coherence": Coherence(4),
        }  # fmt: skip
        self.groups.update(lost)
        with torch.no_grad():
            planes = Planes(torch.zeros(1, 64, 64, 3, dtype=torch.uint8), self.to_ycc)
            made = {name: group.maps(planes)[:, :, 0, 0] for name, group in self.groups.items()}
        self.widths = {name: means.shape[1] for name, means in made.items()}
        self.described = {name: self.groups[name].describe(means).shape[1] for name, means in made.items()}


class Reader:
    def __init__(self):
        self.statistics = Candidates().eval()

    @torch.no_grad()
    def cells(self, rgb: np.ndarray) -> np.ndarray:
        return self.statistics(torch.from_numpy(np.ascontiguousarray(rgb)))[0].numpy()

    def patch(self, rgb: np.ndarray) -> np.ndarray:
        return self.cells(np.ascontiguousarray(rgb)[None]).mean((1, 2))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--work", type=Path, default=Path(__file__).parent / ".work")
    options.add_argument("--draws", type=int, default=4)
    asked = options.parse_args()
    torch.set_num_threads(1)
    pictures, folder, reader = open_pictures(asked.data, asked.work), asked.work / "candidates", Reader()
    for number in range(asked.draws):
        keep(folder / f"draw-{number}.npz", lambda: draw(pictures, reader, number, 20))
    items = pictures.of("calibration")
    for name, change in CONDITIONS.items():
        keep(folder / f"{name}.npz", lambda: read(pictures, items, reader, change))
    choose(pictures, folder, reader.statistics, asked.draws)


def choose(pictures, folder: Path, statistics: Candidates, draws: int) -> None:
    """Drops groups in the order in which their absence hurts least alone, as long as the worth stays within 0.002 of the best."""
    def numbers(path: Path) -> tuple[np.ndarray, np.ndarray]:
        with np.load(path) as kept, torch.no_grad():
            parts = [statistics.describe(part) for part in torch.from_numpy(kept["means"]).split(4096)]
            return torch.cat(parts).numpy().astype(np.float64), kept["row"] if "row" in kept.files else kept["picture"]

    drawn = [numbers(folder / f"draw-{number}.npz") for number in range(draws)]
    x, rows = (np.concatenate(column) for column in zip(*drawn, strict=True))
    scale = fit_scale(x)
    x, items = scale(x), pictures.items
    weight = np.zeros(len(items))
    for split in ("train", "calibration"):
        for label in (False, True):
            mine = [row for row, item in enumerate(items) if item.split == split and item.fake == label]
            weight[mine] = draw_weights([items[row] for row in mine]) * len(mine)
    fake, source = np.array([items[row].fake for row in rows]), np.array([items[row].source for row in rows])
    train = np.array([items[row].split == "train" for row in rows])
    order = sorted(set(zip(fake, source, strict=True)), key=lambda pair: (pair[0], -weight[rows][(fake == pair[0]) & (source == pair[1])].sum()))
    fold = {pair: (0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0)[index % 12] for index, pair in enumerate(order)}
    folds = np.array([fold[pair] for pair in zip(fake, source, strict=True)])
    readings = {name: (scale(found), owner) for name, (found, owner) in ((name, numbers(folder / f"{name}.npz")) for name in CONDITIONS)}
    labels, columns = np.array([item.fake for item in pictures.of("calibration")]), statistics.columns()

    def fit(which: np.ndarray, used: np.ndarray):
        groups = group_by_source(x[np.ix_(which, used)], fake[which], source[which], weight[rows][which])
        return discriminant(groups, np.ones(len(groups)))

    def worth(names: list[str]) -> float:
        used = np.concatenate([np.arange(columns[name].start, columns[name].stop) for name in names])
        held = np.zeros(len(x))
        for number in range(6):
            direction, offset = fit(np.flatnonzero(folds != number), used)
            held[folds == number] = x[np.ix_(folds == number, used)] @ direction + offset
        direction, offset = fit(np.flatnonzero(train), used)
        scores = [by_picture(owner, found[:, used] @ direction + offset) for found, owner in readings.values()]
        return auc(held[~fake], held[fake]) + float(np.mean([auc(score[~labels], score[labels]) for score in scores]))

    kept = list(columns)
    best = worth(kept)
    for loss, name in sorted((best - worth([other for other in kept if other != name]), name) for name in list(kept)):
        left = worth([other for other in kept if other != name])
        if left >= best - 0.002:
            best, kept = max(best, left), [other for other in kept if other != name]
        print(f"{name}: alone {loss:+.4f}, worth {left:.4f}, {'dropped' if name not in kept else 'kept'}", flush=True)


if __name__ == "__main__":
    main()
