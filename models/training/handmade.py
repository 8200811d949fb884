"""Hand-made statistics of a picture, written once as fixed torch modules that export to ONNX.

Each group turns pixels into maps (`maps`), and the means of its maps over a window of 16 px cells into numbers that a classifier
can read: logarithms, ratios, correlations (`describe`). Nothing here is learned.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from filters import (
    both_ways,
    box,
    code_classes,
    column,
    diagonal_fold,
    luma_kernels,
    near,
    neighbour_differences,
    one_of,
    second_differences,
    shifted,
    to_cells,
    within,
)
from network import dct_kernels, replicate, ycc_matrix

LIMIT = 24.0  # grey levels; what is larger is an edge of the motif
TINY = 1e-3


class Planes:
    """What every group reads: colours, and luma with both chroma, in grey levels, by scale: 1 is full size, 8 an eighth."""

    def __init__(self, rgb: torch.Tensor, to_ycc: torch.Tensor):
        self.rgb = {1: rgb.permute(0, 3, 1, 2).float()}
        self.ycc = {1: functional.conv2d(self.rgb[1], to_ycc)}
        for scale in (2, 4, 8):
            self.rgb[scale] = functional.avg_pool2d(self.rgb[scale // 2], 2)
            self.ycc[scale] = functional.avg_pool2d(self.ycc[scale // 2], 2)

    def luma(self, scale: int) -> torch.Tensor:
        return self.ycc[scale][:, :1]


class Spectrum(nn.Module):
    """8x8 DCT of luma, folded over the diagonal to 36 frequencies: mean and spread of log magnitudes, share near zero."""

    def __init__(self, scale: int, stride: int, shift: int = 0, spread: bool = False):
        super().__init__()
        self.scale, self.stride, self.shift, self.spread = scale, stride, shift, spread
        self.register_buffer("kernels", dct_kernels())
        self.register_buffer("fold", diagonal_fold())

    def maps(self, planes: Planes) -> torch.Tensor:
        border = (8 - self.stride) // 2
        padded = functional.pad(planes.luma(self.scale), (border, border + self.shift) * 2, mode="replicate")
        size = functional.conv2d(padded[:, :, self.shift :, self.shift :], self.kernels, stride=self.stride).abs()
        log = torch.log1p(size * 2)
        maps = [log, torch.exp(-size * size * 2), log * log] if self.spread else [log, torch.exp(-size * size * 2)]
        return to_cells([functional.conv2d(part, self.fold) for part in maps], self.scale * self.stride)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        log, zero, *square = (part[:, 1:] for part in means.split(36, 1))  # without the mean brightness
        level = log.mean(1, keepdim=True)
        spread = [(part - log * log).clamp(min=0).sqrt() for part in square]
        return torch.cat([level, log - level, zero, *spread], 1)


class Moments(nn.Module):
    """Absolute moments of order 1/2, 1 and 2 of high-pass residuals of luma at one scale, and their share near zero."""

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale
        self.register_buffer("kernels", luma_kernels())

    def maps(self, planes: Planes) -> torch.Tensor:
        size = functional.conv2d(replicate(planes.luma(self.scale), 2), self.kernels).abs().clamp(max=LIMIT)
        square = size * size
        return to_cells([(size + 0.01).sqrt(), size, square, torch.exp(square * -2)], self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        root, first, second, zero = means.chunk(4, 1)
        level = (first + TINY).log()
        return torch.cat([level[:, :1], level[:, 1:] - level[:, :1], (second + TINY).log() - 2 * level,
                          (root + TINY).log() - 0.5 * level, zero], 1)  # fmt: skip


class Colours(nn.Module):
    """How residuals of R, G, B (and of luma and chroma) go together: cameras interpolate colours, generators do not."""

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale
        self.register_buffer("kernel", both_ways()[None, None].repeat(6, 1, 1, 1))
        self.pairs = ((0, 1), (1, 2), (0, 2), (3, 4), (3, 5), (4, 5))

    def maps(self, planes: Planes) -> torch.Tensor:
        six = torch.cat([planes.rgb[self.scale], planes.ycc[self.scale]], 1)
        r = functional.conv2d(replicate(six, 1), self.kernel, groups=6).clamp(-LIMIT, LIMIT)
        products = [r[:, a : a + 1] * r[:, b : b + 1] for a, b in self.pairs]
        return to_cells([r * r, r.abs(), *products], self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        square, size, product = means.split(6, 1)
        left, right = ([pair[i] for pair in self.pairs] for i in (0, 1))
        correlation = product / ((square[:, left] + TINY) * (square[:, right] + TINY)).sqrt()
        level = (size + TINY).log()
        return torch.cat([correlation, level - level[:, 3:4], (square + TINY).log() - 2 * level], 1)


class Contrast(nn.Module):
    """A plane, local mean taken away and divided by local deviation: shape of its distribution and of neighbours' products
    (Mittal et al., "No-reference image quality assessment in the spatial domain", TIP 2012), and the spread of the deviation."""

    knots = column((-1, 0.5, 2, 3.5, 5, 6.5))  # of log2(deviation + 0.25)

    def __init__(self, scale: int, plane: int = 0):
        super().__init__()
        self.scale, self.plane = scale, plane

    def maps(self, planes: Planes) -> torch.Tensor:
        plane = planes.ycc[self.scale][:, self.plane : self.plane + 1]
        mean = box(plane, 7)
        deviation = (box(plane * plane, 7) - mean * mean).clamp(min=0).sqrt()
        m = ((plane - mean) / (deviation + 1)).clamp(-4, 4)
        maps = [m.abs(), m * m, m * m * m, (m * m).square()]
        for shift in ((0, 1), (1, 0), (1, 1)):
            product = m * shifted(m, *shift)
            maps += [product, product.abs(), product * product]
        level = (deviation + 0.25).log2()
        maps += [level, level * level, torch.relu(1 - (level - self.knots).abs() / 1.5)]
        return to_cells(maps, self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        first, second, third, fourth = means[:, :4].split(1, 1)
        shape = [first, second, third, first.square() / (second + TINY), fourth / (second.square() + TINY)]
        for at in (4, 7, 10):
            product, size, square = means[:, at : at + 3].split(1, 1)
            shape += [product, product / (second + TINY), size.square() / (square + TINY)]
        level, square = means[:, 13:14], means[:, 14:15]
        return torch.cat([*shape, level, square - level * level, means[:, 15:]], 1)


class Scales(nn.Module):
    """How the residual's level at one scale goes with that at the next: correlation, slopes, difference, spreads."""

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale
        self.register_buffer("kernel", both_ways()[None, None])

    def maps(self, planes: Planes) -> torch.Tensor:
        fine, coarse = functional.avg_pool2d(self.level(planes, self.scale), 2), self.level(planes, 2 * self.scale)
        return to_cells([fine, coarse, fine * fine, coarse * coarse, fine * coarse], 2 * self.scale)

    def level(self, planes: Planes, scale: int) -> torch.Tensor:
        return (box(functional.conv2d(replicate(planes.luma(scale), 1), self.kernel).abs(), 3) + 0.25).log2()

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        fine, coarse, fine2, coarse2, product = means.split(1, 1)
        spread_fine = (fine2 - fine * fine).clamp(min=0) + 0.02
        spread_coarse = (coarse2 - coarse * coarse).clamp(min=0) + 0.02
        shared = product - fine * coarse
        return torch.cat([shared / (spread_fine * spread_coarse).sqrt(), shared / spread_fine, shared / spread_coarse,
                          coarse - fine, spread_fine.log() - spread_coarse.log()], 1)  # fmt: skip


class Edges(nn.Module):
    """Whether luma and chroma change in the same places and directions."""

    pairs = ((0, 1), (0, 2), (1, 2))

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale

    def maps(self, planes: Planes) -> torch.Tensor:
        plane = planes.ycc[self.scale]
        across = (plane - shifted(plane, 0, 1)).clamp(-LIMIT, LIMIT)
        down = (plane - shifted(plane, 1, 0)).clamp(-LIMIT, LIMIT)
        square = across * across + down * down
        size = (square + 0.01).sqrt()
        left, right = ([pair[i] for pair in self.pairs] for i in (0, 1))
        together = size[:, left] * size[:, right]
        along = across[:, left] * across[:, right] + down[:, left] * down[:, right]
        return to_cells([square, size, together, along, along.abs()], self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        square, size, together, along, either = means.split(3, 1)
        left, right = ([pair[i] for pair in self.pairs] for i in (0, 1))
        norm = ((square[:, left] + 0.02) * (square[:, right] + 0.02)).sqrt()
        level = (size + 0.02).log()
        return torch.cat([together / norm, along / norm, either / norm, level[:, 1:] - level[:, :1],
                          size * size / (square + 0.02)], 1)  # fmt: skip


class Patterns(nn.Module):
    """Co-occurrence of three neighbouring second differences, quantised to -1, 0, 1 by a step that follows their local
    level, along rows and columns together (after Fridrich and Kodovsky, "Rich models for steganalysis of digital images",
    TIFS 2012)."""

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale
        self.register_buffer("kernels", second_differences())
        self.register_buffer("classes", code_classes())

    def maps(self, planes: Planes) -> torch.Tensor:
        difference = functional.conv2d(replicate(planes.luma(self.scale), 1), self.kernels)
        signs = (difference / (box(difference.abs(), 7) * 0.7 + 0.5)).round().clamp(-1, 1)
        maps = 0
        for channel, (dy, dx) in enumerate(((0, 1), (1, 0))):
            line = signs[:, channel : channel + 1]
            code = 13 + line * 9 + shifted(line, dy, dx) * 3 + shifted(line, 2 * dy, 2 * dx)
            maps = maps + one_of(self.classes[code.long()], 10)
        return to_cells([maps / 2], self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        return (means + 0.002).log()


class Tones(nn.Module):
    """How bright and how coloured the pixels are, how colour and fine noise go with brightness, and how much is clipped."""

    chroma_knots = torch.linspace(0, 6.5, 10)  # of log2(chroma + 1)
    luma_knots = torch.linspace(0, 255, 12)
    bright, dark, grey = column((240, 250, 253)), column((1, 4, 10, 20)), column((2, 6, 12))  # highest, lowest channel; difference
    colour_zones, noise_zones = column((0, 64, 128, 192, 256)), column((0, 50, 100, 150, 200, 256))  # grey levels

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale

    def maps(self, planes: Planes) -> torch.Tensor:
        rgb, plane = planes.rgb[self.scale], planes.ycc[self.scale]
        luma, colour = plane[:, :1], plane[:, 1:]
        chroma = colour.square().sum(1, keepdim=True).sqrt()
        high, low = rgb.amax(1, keepdim=True), rgb.amin(1, keepdim=True)
        fine = (plane - box(plane, 3)).abs().clamp(max=16)
        maps = [near(luma, self.luma_knots, 12), near((chroma + 1).log2(), self.chroma_knots, 0.4)]
        maps += [(high > self.bright).float(), (low < self.dark).float(), (high - low < self.grey).float()]
        anywhere = torch.ones_like(luma)
        for zones, values in ((self.colour_zones, [anywhere, chroma, colour]), (self.noise_zones, [anywhere, fine])):
            inside = ((luma >= zones[:-1]) & (luma < zones[1:])).float()
            maps.append(within(torch.cat(values, 1), inside))
        maps += [plane, plane * plane, luma * colour, colour[:, :1] * colour[:, 1:]]
        return to_cells(maps, self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        shares, zones, moments = means.split((32, 36, 9), 1)
        zoned = [zone[:, 1:] / (zone[:, :1] + 0.002) for zone in zones.split(4, 1)]
        split = len(self.colour_zones) - 1
        colours, noises = torch.cat(zoned[:split], 1) / 16, (torch.cat(zoned[split:], 1) + 0.05).log()
        mean, square, product = moments.split(3, 1)
        left, right = [0, 0, 1], [1, 2, 2]
        variance = (square - mean * mean).clamp(min=0)
        shared = product - mean[:, left] * mean[:, right]
        together = shared / (variance[:, left] * variance[:, right] + 1).sqrt()
        return torch.cat([(shares + 0.002).log(), colours, noises, together], 1)


class Neighbours(nn.Module):
    """Which of the eight neighbours of a pixel are at least as bright, plainly brighter, plainly darker: rotation-invariant
    uniform binary patterns (Ojala, Pietikainen, Maenpaa, "Multiresolution gray-scale and rotation invariant texture
    classification with local binary patterns", TPAMI 2002), other patterns in two classes."""

    tests = ((1, -0.1), (1, 2.0), (-1, 2.0))  # sign, grey levels; -0.1: equal ones pass, whatever the rounding

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale
        self.register_buffer("kernels", neighbour_differences())
        self.register_buffer("onwards", torch.arange(1, 9) % 8)

    def maps(self, planes: Planes) -> torch.Tensor:
        apart = functional.conv2d(replicate(planes.luma(self.scale), 1), self.kernels)
        maps = []
        for sign, least in self.tests:
            passed = (apart * sign >= least).float()
            changes = (passed - passed[:, self.onwards]).abs().sum(1, keepdim=True)
            count = passed.sum(1, keepdim=True)
            code = torch.where(changes <= 2, count, torch.where(changes <= 4, 9.0, 10.0))
            maps.append(one_of(code, 11))
        return to_cells(maps, self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        return (means + 0.005).log()


class Slopes(nn.Module):
    """Gradients of luma: how steep, how well aligned with their surroundings and with the axes, and how bent where they are steep."""

    knots = torch.linspace(-1, 6, 9)  # of log2 of the steepness
    zones = column((-9, 1, 2, 3, 9))  # of its natural logarithm

    def __init__(self, scale: int):
        super().__init__()
        self.scale = scale

    def maps(self, planes: Planes) -> torch.Tensor:
        luma = replicate(planes.luma(self.scale), 1)
        middle, across, down = luma[:, :, 1:-1, 1:-1], luma[:, :, 1:-1], luma[:, :, :, 1:-1]
        gx, gy = across[..., 2:] - across[..., :-2], down[:, :, 2:] - down[:, :, :-2]
        bend = (across[..., 2:] + across[..., :-2] + down[:, :, 2:] + down[:, :, :-2] - 4 * middle).abs()
        steep = (gx * gx + gy * gy + 0.01).sqrt()
        cos2, sin2 = (gx * gx - gy * gy) / steep, 2 * gx * gy / steep  # of the doubled angle, times the steepness
        cos4 = (cos2 * cos2 - sin2 * sin2) / steep
        aligned = (box(cos2, 5).square() + box(sin2, 5).square()).sqrt() / (box(steep, 5) + 0.5)
        log = steep.log()
        maps = [steep, cos2, sin2, cos4, 2 * cos4 * cos4 / steep - steep, aligned, aligned * aligned, near(steep.log2(), self.knots, 0.5)]
        inside = ((log > self.zones[:-1]) & (log <= self.zones[1:])).float()
        return to_cells([*maps, within(torch.cat([bend, steep], 1), inside)], self.scale)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        steep, cos2, sin2, cos4, cos8, aligned, square = means[:, :7].split(1, 1)
        spread = (square - aligned * aligned).clamp(min=0).sqrt()
        numbers = [cos4 / steep, cos8 / steep, (cos2.square() + sin2.square()).sqrt() / steep, aligned, spread, (means[:, 7:16] + 0.004).log()]
        bend, inside = means[:, 16::2], means[:, 17::2]
        return torch.cat([*numbers, (bend / (inside + 0.001) + 0.02).log()], 1)


class Statistics(nn.Module):
    """All groups. `forward`: uint8 [N,H,W,3], sides multiples of 16 -> [N,K,H/16,W/16]; `describe`: [N,K] -> [N,D]."""

    def __init__(self):
        super().__init__()
        self.register_buffer("to_ycc", ycc_matrix())
        self.groups = nn.ModuleDict({
            "luma dct": Spectrum(1, 8, spread=True), "luma dct between blocks": Spectrum(1, 8, shift=4),
            "half luma dct": Spectrum(2, 4), "quarter luma dct": Spectrum(4, 4),
            "half moments": Moments(2), "eighth moments": Moments(8),
            "colours": Colours(1), "half colours": Colours(2),
            "half contrast": Contrast(2), "quarter contrast": Contrast(4), "eighth contrast": Contrast(8),
            "quarter blue contrast": Contrast(4, 1), "quarter red contrast": Contrast(4, 2),
            "half to quarter": Scales(2),
            "half edges": Edges(2), "quarter edges": Edges(4),
            "half patterns": Patterns(2), "quarter patterns": Patterns(4),
            "half tones": Tones(2),
            "half neighbours": Neighbours(2), "quarter neighbours": Neighbours(4), "eighth neighbours": Neighbours(8),
            "half slopes": Slopes(2), "quarter slopes": Slopes(4), "eighth slopes": Slopes(8),
        })  # fmt: skip
        with torch.no_grad():
            planes = Planes(torch.zeros(1, 64, 64, 3, dtype=torch.uint8), self.to_ycc)
            self.widths = [group.maps(planes).shape[1] for group in self.groups.values()]

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        planes = Planes(rgb, self.to_ycc)
        return torch.cat([group.maps(planes) for group in self.groups.values()], 1)

    def describe(self, means: torch.Tensor) -> torch.Tensor:
        parts = means.split(self.widths, 1)
        return torch.cat([group.describe(part) for group, part in zip(self.groups.values(), parts, strict=True)], 1)
