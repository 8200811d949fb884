"""Families of numbers of a patch that candidates.py holds beside the shipped statistics. Nothing here is learned from labels.

Kept in the history only. Each gives the numbers of its parts by name, from grey levels as they are.
"""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import combinations_with_replacement, pairwise
from pathlib import Path
from types import ModuleType

import torch
from torch import nn
from torch.nn import functional

from handmade import Statistics
from network import replicate, ycc_matrix

TO_YCC = ycc_matrix()

Numbers = dict[str, torch.Tensor]  # [N,D] by name of a part; a family of one part has the name ""


def from_history(commit: str, name: str) -> ModuleType:
    """A module of this folder as it was: the early law of degradation, the bank of random convolutions of experiment 18."""
    source = subprocess.run(["git", "show", f"{commit}:./{name}.py"], cwd=Path(__file__).parent, capture_output=True, text=True, check=True).stdout
    module = ModuleType(f"{name}_{commit}")
    sys.modules[module.__name__] = module
    exec(compile(source, module.__name__, "exec"), module.__dict__)
    return module


def pyramid(rgb: torch.Tensor, halvings: int) -> list[torch.Tensor]:
    """Luma and both chroma at full size, half, a quarter, ..."""
    planes = [functional.conv2d(rgb, TO_YCC)]
    for _ in range(halvings):
        planes.append(functional.avg_pool2d(planes[-1], 2))
    return planes


def mean(maps: torch.Tensor) -> torch.Tensor:
    return maps.float().flatten(1).mean(1)


def means(maps: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack([mean(part) for part in maps], 1)


def near(values: torch.Tensor, knots: torch.Tensor, width: float) -> torch.Tensor:
    return means([torch.exp(-(((values - knot) / width) ** 2) / 2) for knot in knots])


def centred(maps: torch.Tensor) -> torch.Tensor:
    return maps - maps.mean((-2, -1), keepdim=True)


class Before(Statistics):
    """The shipped statistics without what this study added to them."""

    def __init__(self):
        super().__init__()
        names = [name for name in self.groups if name.split()[-1] not in ("tones", "neighbours", "slopes")]
        self.widths = [width for name, width in zip(self.groups, self.widths, strict=True) if name in names]
        self.groups = nn.ModuleDict({name: self.groups[name] for name in names})

    def numbers(self, rgb: torch.Tensor) -> Numbers:
        return {"": self.describe(self(rgb.permute(0, 2, 3, 1)).mean((2, 3)))}


class Random:
    """The bank of random convolutions, and how its first channels go together (Gram matrices)."""

    def __init__(self):
        self.bank = from_history("1359c60", "bank").Bank(1)

    def numbers(self, rgb: torch.Tensor) -> Numbers:
        return {"": self.bank.describe(self.bank.maps(rgb).mean((2, 3)))}

    def gram(self, rgb: torch.Tensor) -> Numbers:
        below, found = rgb / 255 - 0.5, []
        upper = torch.triu_indices(20, 20, 1)
        for layer in self.bank.layers[:3]:
            below = torch.relu(layer(replicate(below, 1)))
            answers = below[:, :20].flatten(2)
            answers = answers - answers.mean(2, keepdim=True)
            shared = answers @ answers.transpose(1, 2) / answers.shape[2]
            spread = (torch.diagonal(shared, dim1=1, dim2=2) + 1e-3).sqrt()
            found.append((shared / (spread[:, :, None] * spread[:, None]))[:, upper[0], upper[1]])
        return {"": torch.cat(found, 1)}


class Scatter:
    """Oriented wavelets and what their magnitudes do: levels, sparsity, neighbours in place and direction, a second layer of
    wavelets on them (Bruna, Mallat, "Invariant scattering convolution networks", TPAMI 2013), parents, and phases across scales
    (Portilla, Simoncelli, "A parametric texture model based on joint statistics of complex wavelet coefficients", IJCV 2000)."""

    turns, floor = 6, 0.05

    def __init__(self, size: int = 7, frequency: float = 0.6 * math.pi, sigma: float = 1.2, slant: float = 0.7):
        y, x = torch.meshgrid(torch.arange(size) - size // 2, torch.arange(size) - size // 2, indexing="ij")
        kernels = []
        for angle in (math.pi * turn / self.turns for turn in range(self.turns)):
            along, aside = x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)
            window = torch.exp(-(along * along + aside * aside * slant * slant) / (2 * sigma * sigma))
            even, odd = window * torch.cos(frequency * along), window * torch.sin(frequency * along)
            kernels += [(even - window * (even.sum() / window.sum())) / window.sum(), odd / window.sum()]
        self.kernels = torch.stack(kernels)[:, None].float()

    def waves(self, planes: torch.Tensor) -> torch.Tensor:
        """[N,C,H,W] -> [N,C,turns,2,H,W]"""
        padded = functional.pad(planes.flatten(0, 1)[:, None], (3,) * 4, mode="reflect")
        return functional.conv2d(padded, self.kernels).unflatten(0, planes.shape[:2]).unflatten(2, (self.turns, 2))

    def numbers(self, rgb: torch.Tensor) -> Numbers:
        waves = [self.waves(planes) for planes in pyramid(rgb, 4)]
        sizes = [size_of(wave) for wave in waves]
        found = [number for size in sizes for number in self.of_one_scale(size)]
        for fine in range(len(sizes)):
            found += self.of_later_scales([size[:, 0] for size in sizes[fine:]])
        found += [number for fine, coarse in pairwise(waves) for number in phases(fine[:, 0], coarse[:, 0])]
        return {"": torch.cat(found, 1)}

    def of_one_scale(self, size: torch.Tensor) -> list[torch.Tensor]:
        first, second = size.mean((3, 4)), size.square().mean((3, 4))
        level = first.mean(2)
        log = (level + self.floor).log()
        found = [log, ((first[:, 0] + self.floor) / (level[:, :1] + self.floor)).log().sort(1).values,
                 (second.mean(2) + self.floor).log() - 2 * log, size.clamp(min=1e-3).log().mean((2, 3, 4)) - log]  # fmt: skip
        apart = centred(size)
        spread, luma = (apart.square().mean((3, 4)) + 1e-3).sqrt(), apart[:, 0]
        for chroma in (1, 2):
            shared = (luma * apart[:, chroma]).mean((2, 3)) / (spread[:, 0] * spread[:, chroma])
            found.append(shared.mean(1, keepdim=True))
        products = [luma[..., step:] * luma[..., :-step] for step in (1, 2, 4)]
        products += [luma[..., step:, :] * luma[..., :-step, :] for step in (1, 2, 4)]
        products += [luma * luma.roll(turn, 1) for turn in (1, 2, 3)]
        return [*found, means(products) / (mean(luma.square()) + 1e-3)[:, None]]

    def of_later_scales(self, sizes: list[torch.Tensor]) -> list[torch.Tensor]:
        found, pooled, base = [], sizes[0], sizes[0].mean((1, 2, 3))[:, None]
        for parent in sizes[1:]:
            pooled = functional.avg_pool2d(pooled, 2)
            again = size_of(self.waves(pooled)).mean((3, 4))
            by_turn = [again.roll(-turn, 2).diagonal(dim1=1, dim2=2).mean(1) for turn in range(self.turns)]
            folded = [by_turn[0], (by_turn[1] + by_turn[5]) / 2, (by_turn[2] + by_turn[4]) / 2, by_turn[3]]
            found.append(((torch.stack(folded, 1) + self.floor / 4) / (base + self.floor)).log())
            child, above = centred(pooled), centred(parent)
            norm = (child.square().mean((2, 3)) * above.square().mean((2, 3))).sqrt() + 1e-3
            found.append(((child * above).mean((2, 3)) / norm).mean(1, keepdim=True))
        return found


def size_of(waves: torch.Tensor) -> torch.Tensor:
    return (waves.square().sum(3) + 1e-8).sqrt()


def phases(fine: torch.Tensor, coarse: torch.Tensor) -> list[torch.Tensor]:
    """How the finer wave goes with the coarser one at doubled phase."""
    fine = functional.avg_pool2d(fine.flatten(1, 2), 2).unflatten(1, fine.shape[1:3])
    (re, im), (fine_re, fine_im) = coarse.unbind(2), fine.unbind(2)
    size = (re * re + im * im + 1e-6).sqrt()
    double_re, double_im = (re * re - im * im) / size, 2 * re * im / size
    norm = ((fine_re**2 + fine_im**2).mean((2, 3)) * (size * size).mean((2, 3))).sqrt() + 1e-3
    with_it, across = fine_re * double_re + fine_im * double_im, fine_im * double_re - fine_re * double_im
    return [(with_it.mean((2, 3)) / norm).mean(1, keepdim=True), (across.mean((2, 3)) / norm).abs().mean(1, keepdim=True)]


class Textons:
    """Whitened 6 x 6 patches of four scales held against words that k-means found without labels (Coates, Ng, "Learning feature
    representations with k-means", 2012)."""

    side, words = 6, 128

    def __init__(self, patches: torch.Tensor):
        random = torch.Generator().manual_seed(0)
        self.found = [self.learn([self.local(pyramid(part, 3)[scale])[0] for part in patches.split(16)], random) for scale in range(4)]

    def local(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Patches [N,L,108], each channel around 0, by their contrast; and that contrast [N,L,1]."""
        cut = functional.unfold(planes, self.side, stride=2 if planes.shape[-1] > 40 else 1).unflatten(1, (3, self.side**2))
        apart = (cut - cut.mean(2, keepdim=True)).flatten(1, 2).transpose(1, 2)
        contrast = (apart.square().mean(2, keepdim=True) + 4).sqrt()
        return apart / contrast, contrast

    def learn(self, batches: list[torch.Tensor], random: torch.Generator) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Middle [108], whitened words [108,128], threshold."""
        flat = [batch.flatten(0, 1) for batch in batches]
        cut = torch.cat([part[torch.randperm(len(part), generator=random)[: 16 * 40]] for part in flat])
        middle = cut.mean(0)
        values, vectors = torch.linalg.eigh(torch.cov((cut - middle).T))
        whitening = vectors @ torch.diag((values + 0.02).rsqrt()) @ vectors.T
        white = (cut - middle) @ whitening
        words = functional.normalize(white[torch.randperm(len(white), generator=random)[: self.words]], dim=1)
        for _ in range(12):
            alike = white @ words.T
            best = alike.abs().argmax(1)
            words = torch.zeros_like(words).index_add_(0, best, white * alike.gather(1, best[:, None]))
            dead = words.norm(dim=1) < 1e-3
            words[dead] = white[torch.randperm(len(white), generator=random)[: int(dead.sum())]]
            words = functional.normalize(words, dim=1)
        alike = (white @ words.T).abs()
        return middle, whitening @ words.T, alike.mean() + alike.std()

    def numbers(self, rgb: torch.Tensor) -> Numbers:
        found = []
        for planes, (middle, words, least) in zip(pyramid(rgb, 3), self.found, strict=True):
            cut, contrast = self.local(planes)
            answers, weight = ((cut - middle) @ words).abs(), (contrast > 4).float() + 0.02
            total = weight.sum(1)
            found += [(((answers - least).clamp(min=0) * weight).sum(1) / total + 0.01).log(), ((answers * weight).sum(1) / total + 0.05).log()]
        return {"": torch.cat(found, 1)}


def patterns(plane: torch.Tensor, least: float, radius: int = 1, sign: int = 1) -> torch.Tensor:
    """Shares of rotation-invariant uniform binary patterns, as in handmade.Neighbours; the sharp threshold is not moved here."""
    height, width = plane.shape[2:]
    around = ((-1, -1), (-radius, 0), (-1, 1), (0, radius), (1, 1), (radius, 0), (1, -1), (0, -radius))
    middle = plane[:, 0, radius:-radius, radius:-radius]
    apart = [plane[:, 0, radius + y : height - radius + y, radius + x : width - radius + x] - middle for y, x in around]
    passed = torch.stack([(part * sign >= least).float() for part in apart], 1)
    changes, count = (passed - passed.roll(1, 1)).abs().sum(1), passed.sum(1)
    code = torch.where(changes <= 2, count, torch.where(changes <= 4, 9.0, 10.0))
    return (means([code == k for k in range(11)]) + 0.005).log()


def lbp(rgb: torch.Tensor) -> Numbers:
    return {"": torch.cat([patterns(planes[:, :1], least) for planes in pyramid(rgb, 3)[1:] for least in (0.0, 2.0)], 1)}


def lbp2(rgb: torch.Tensor) -> Numbers:
    """By plane (y, b, r), halvings, and threshold (t), radius (r2) or sign (n2: plainly darker)."""
    found: Numbers = {}
    for scale, planes in enumerate(pyramid(rgb, 4)):
        luma = planes[:, :1]
        for least in {0: (0, 1, 2, 4, 8), 4: (2,)}.get(scale, (1, 4, 8)):
            found[f"y{scale}t{least}"] = patterns(luma, least)
        if scale < 4:
            found |= {f"y{scale}r2": patterns(luma, 1, radius=2), f"y{scale}n2": patterns(luma, 2, sign=-1)}
        if 1 <= scale <= 3:
            found |= {f"{name}{scale}t{least:g}": patterns(planes[:, [at]], least) for at, name in ((1, "b"), (2, "r")) for least in (0.5, 2)}
    return found


def cooc(rgb: torch.Tensor) -> Numbers:
    """Two neighbouring second differences, quantised by a fixed step to -2..2; by plane and halvings. A pair, its mirror image and
    its negative are one class."""
    classes: list[set[tuple[int, int]]] = []
    for a, b in combinations_with_replacement(range(5), 2):
        alike = {(a, b), (b, a), (4 - a, 4 - b), (4 - b, 4 - a)}
        classes += [alike] if alike not in classes else []
    found: Numbers = {}
    for scale, planes in enumerate(pyramid(rgb, 3)):
        for at, (name, step) in enumerate((("y", 2.0), ("b", 0.7), ("r", 0.7))):
            if name == "y" and scale == 0:
                continue
            shares = torch.zeros(len(rgb), 25)
            for plane in (planes[:, at], planes[:, at].transpose(1, 2)):
                levels = ((plane[:, :, 2:] - 2 * plane[:, :, 1:-1] + plane[:, :, :-2]) / step).round().clamp(-2, 2) + 2
                code = levels[:, :, :-1] * 5 + levels[:, :, 1:]
                shares += means([code == k for k in range(25)]) / 2
            found[f"{name}{scale}"] = torch.stack([sum(shares[:, a * 5 + b] for a, b in alike) / len(alike) + 0.003 for alike in classes], 1).log()
    return found


def tone(rgb: torch.Tensor) -> Numbers:
    """How bright and how coloured, clipped shares, colour by brightness, and how luma and chroma go together."""
    planes = pyramid(rgb, 0)[0]
    luma, colour = planes[:, :1], planes[:, 1:]
    chroma, high, low = colour.square().sum(1, keepdim=True).sqrt(), rgb.amax(1), rgb.amin(1)
    shares = [near(luma, torch.linspace(0, 255, 12), 12), near((chroma + 1).log2(), torch.linspace(0, 6.5, 10), 0.4),
              means([high > 253, low < 2, high >= 255])]  # fmt: skip
    found = [(torch.cat(shares, 1) + 0.002).log()]
    for least in (0, 64, 128, 192):
        inside = ((luma >= least) & (luma < least + 64)).float()
        count = inside.flatten(1).sum(1, keepdim=True) + 20
        found.append((torch.cat([chroma, colour], 1) * inside).sum((2, 3)) / count / 16)
    apart = centred(planes)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        norm = (mean(apart[:, a] ** 2) * mean(apart[:, b] ** 2) + 1).sqrt()
        found.append((mean(apart[:, a] * apart[:, b]) / norm)[:, None])
    return {"": torch.cat(found, 1)}


def tone2(rgb: torch.Tensor) -> Numbers:
    """Hues; brightness with colour (joint); low-passed planes; fine noise by brightness (z); clipping; saturation by value (s)."""
    planes = pyramid(rgb, 4)
    luma, blue, red = planes[0].unbind(1)
    chroma, hue = (blue**2 + red**2 + 0.01).sqrt(), torch.atan2(red, blue)
    coloured = (chroma - 4).clamp(0, 30)
    hues = means([torch.exp(4 * (torch.cos(hue - 2 * math.pi * k / 12) - 1)) * coloured for k in range(12)])
    found = {"hue": (hues / (mean(coloured)[:, None] + 0.3) + 0.02).log()}
    lights = [torch.exp(-(((luma - knot) / 24) ** 2) / 2) for knot in torch.linspace(16, 240, 6)]
    colours = [torch.exp(-((((chroma + 1).log2() - knot) / 0.7) ** 2) / 2) for knot in (0.5, 2, 3.5, 5)]
    found["joint"] = (means([light * colour for light in lights for colour in colours]) + 0.003).log()
    for name, low in (("lowq", planes[2]), ("lowh", planes[4])):
        apart = centred(low)
        variance = apart.square().mean((2, 3)) + 1
        heavy = (apart.abs().mean((2, 3)) + 0.5).log() - variance.log() / 2
        found[name] = torch.cat([variance.log(), heavy, apart[:, :1].pow(3).mean((2, 3)) / variance[:, :1].pow(1.5)], 1)
    fine = (planes[1] - functional.avg_pool2d(replicate(planes[1], 1), 3, 1)).abs().clamp(max=16)
    for least, above in pairwise((0, 50, 100, 150, 200, 256)):
        inside = ((planes[1][:, :1] >= least) & (planes[1][:, :1] < above)).float()
        found[f"z{least}"] = ((fine * inside).sum((2, 3)) / (inside.sum((2, 3)) + 8) + 0.05).log()
    high, low = rgb.amax(1), rgb.amin(1)
    clipped = [*(high > k for k in (240, 250, 254)), *(low < k for k in (1, 4, 10, 20)), *(high - low < k for k in (2, 6, 12))]
    found["clip"] = (means(clipped) + 0.002).log()
    saturation = (high - low) / (high + 8)
    for least, above in pairwise((0, 80, 160, 256)):
        inside = ((high >= least) & (high < above)).float()
        count = inside.flatten(1).sum(1) + 20
        first, second = ((part * inside).flatten(1).sum(1) / count for part in (saturation, saturation**2))
        found[f"s{least}"] = torch.stack([first, ((second - first * first).clamp(min=0) + 1e-4).sqrt()], 1)
    return found


def grad(rgb: torch.Tensor) -> Numbers:
    """Gradients of luma by halvings: axes, alignment with the surroundings, steepness, bend by steepness."""
    found: Numbers = {}
    for scale, planes in enumerate(pyramid(rgb, 3)):
        luma = planes[:, 0]
        middle, across, down = luma[:, 1:-1, 1:-1], luma[:, 1:-1], luma[:, :, 1:-1]
        gx, gy = across[..., 2:] - across[..., :-2], down[:, 2:] - down[:, :-2]
        bend = (across[..., 2:] + across[..., :-2] + down[:, 2:] + down[:, :-2] - 4 * middle).abs()
        steep, angle = (gx * gx + gy * gy + 0.01).sqrt(), torch.atan2(gy, gx)
        cos2, sin2 = (gx * gx - gy * gy) / steep, 2 * gx * gy / steep
        of_square = [functional.avg_pool2d(part, 4) for part in (cos2, sin2, steep)]
        aligned = ((of_square[0] ** 2 + of_square[1] ** 2).sqrt() / (of_square[2] + 0.5)).flatten(1)
        level = mean(steep)
        axes = [mean(torch.cos(4 * angle) * steep) / level, mean(torch.cos(8 * angle) * steep) / level,
                (mean(cos2) ** 2 + mean(sin2) ** 2).sqrt() / level, aligned.mean(1), aligned.std(1)]  # fmt: skip
        zones = [((steep.log() > least) & (steep.log() <= most)).float() for least, most in pairwise((-9.0, 1.0, 2.0, 3.0, 9.0))]
        bends = [(bend * zone).flatten(1).sum(1) / ((steep * zone).flatten(1).sum(1) + 4) + 0.02 for zone in zones]
        steepness = near(steep.log2(), torch.linspace(-1, 6, 9), 0.5) + 0.004
        found[str(scale)] = torch.cat([torch.stack(axes, 1), steepness.log(), torch.stack(bends, 1).log()], 1)
    return found
