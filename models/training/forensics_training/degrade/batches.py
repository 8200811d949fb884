"""The degradation law for whole batches on a GPU: the steps and chances of `pipeline`, drawn without looking at the class.

Pictures are float [N, 3, H, W], 0..255, H and W multiples of 16 where they are saved. Anything that needs one shape or kernel per batch is
drawn once for the batch; everything else is drawn for each picture.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import torch
from torch.nn import functional

from forensics_training.degrade import pipeline

# ITU-T T.81, tables K.1 and K.2
LUMA = (16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
        18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99)  # fmt: skip
CHROMA = (17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99) + (99,) * 32
# JFIF: RGB to YCbCr
TO_YCC = ((0.299, 0.587, 0.114), (-0.168736, -0.331264, 0.5), (0.5, -0.418688, -0.081312))


@cache
def constants(device: torch.device) -> dict[str, torch.Tensor]:
    at = torch.arange(8.0)
    cosines = torch.cos((2 * at[None] + 1) * at[:, None] * math.pi / 16) / 2
    cosines[0] /= math.sqrt(2)
    ycc = torch.tensor(TO_YCC)
    tables = torch.tensor([LUMA, CHROMA], dtype=torch.float32).view(2, 8, 8)
    return {name: value.to(device) for name, value in {"dct": cosines, "ycc": ycc, "rgb": torch.linalg.inv(ycc), "tables": tables}.items()}


def jpeg(rgb: torch.Tensor, quality: torch.Tensor, subsample: bool) -> torch.Tensor:
    """The pixels after one save by libjpeg's rules; entropy coding is lossless and left out. quality [N], 1..100."""
    known = constants(rgb.device)
    ycc = torch.einsum("ij,njhw->nihw", known["ycc"], rgb).round()
    luma, chroma = ycc[:, :1] - 128, ycc[:, 1:]
    if subsample:
        chroma = functional.avg_pool2d(chroma, 2)
    scale = torch.where(quality < 50, 5000 / quality, 200 - 2 * quality)
    tables = ((known["tables"][None] * scale[:, None, None, None] + 50) / 100).floor().clamp(1, 255)
    luma = quantised(luma, tables[:, :1], known["dct"]) + 128
    chroma = quantised(chroma, tables[:, 1:], known["dct"])
    if subsample:
        chroma = functional.interpolate(chroma, scale_factor=2, mode="bilinear", align_corners=False)
    return rounded(torch.einsum("ij,njhw->nihw", known["rgb"], torch.cat([luma, chroma], 1)))


def quantised(plane: torch.Tensor, table: torch.Tensor, dct: torch.Tensor) -> torch.Tensor:
    count, channels, height, width = plane.shape
    blocks = plane.view(count, channels, height // 8, 8, width // 8, 8)
    table = table.view(count, 1, 1, 8, 1, 8)
    found = torch.einsum("ui,ncyixj,vj->ncyuxv", dct, blocks, dct)
    return torch.einsum("ui,ncyuxv,vj->ncyixj", dct, (found / table).round() * table, dct).reshape(plane.shape)


def rounded(rgb: torch.Tensor) -> torch.Tensor:
    return rgb.clamp(0, 255).round()


def blurred(rgb: torch.Tensor, sigma: float) -> torch.Tensor:
    reach = max(1, math.ceil(3 * sigma))
    kernel = torch.exp(-torch.arange(-reach, reach + 1.0, device=rgb.device).square() / (2 * sigma * sigma))
    kernel = (kernel / kernel.sum()).view(1, 1, -1).expand(rgb.shape[1], 1, -1)
    padded = functional.pad(rgb, (reach,) * 4, mode="reflect")
    across = functional.conv2d(padded, kernel[:, :, None], groups=rgb.shape[1])
    return functional.conv2d(across, kernel[..., None], groups=rgb.shape[1])


def resized(rgb: torch.Tensor, height: int, width: int, random: np.random.Generator) -> torch.Tensor:
    if rgb.shape[-2:] == (height, width):
        return rgb
    mode = ("area", "bilinear", "bicubic", "bicubic")[int(random.integers(4))]
    options = {} if mode == "area" else {"antialias": True, "align_corners": False}
    return rounded(functional.interpolate(rgb, size=(height, width), mode=mode, **options))


def where(chance: float, rgb: torch.Tensor, change) -> torch.Tensor:
    """Applies `change` to each picture with this chance; computes nothing if none is drawn."""
    drawn = torch.rand(len(rgb), device=rgb.device) < chance
    return where_drawn(drawn, rgb, change)


def where_drawn(drawn: torch.Tensor, rgb: torch.Tensor, change) -> torch.Tensor:
    places = drawn.nonzero().flatten()
    if not len(places):
        return rgb
    return rgb.index_copy(0, places, rounded(change(rgb[places])))


def uniform(count: int, low: float, high: float, like: torch.Tensor) -> torch.Tensor:
    return torch.rand(count, device=like.device) * (high - low) + low


def saved(rgb: torch.Tensor, low: float, high: float, random: np.random.Generator) -> torch.Tensor:
    subsample = random.random() < 0.65
    return jpeg(rgb, uniform(len(rgb), low, high, rgb).floor(), subsample)


def disturbed(rgb: torch.Tensor, random: np.random.Generator) -> torch.Tensor:
    """Blur, sharpening, denoising, noise, grading and what cameras do, each with the chance that `pipeline` gives it."""
    rgb = where(pipeline.PROCESS, rgb, lambda x: processed(x, random))
    rgb = where(pipeline.BLUR, rgb, lambda x: blurred(x, random.uniform(0.3, 1.6)))
    rgb = where(pipeline.SHARPEN, rgb, lambda x: 1.6 * x - 0.6 * blurred(x, 1.2))
    rgb = where(pipeline.DENOISE, rgb, lambda x: smoothed(x, random.uniform(5, 30)))
    rgb = where(pipeline.NOISE, rgb, lambda x: x + torch.randn_like(x) * uniform(len(x), 0.5, 6, x)[:, None, None, None])
    return where(pipeline.GRADE, rgb, graded)


def smoothed(rgb: torch.Tensor, strength: float) -> torch.Tensor:
    """Edge-preserving smoothing: small differences from the surroundings vanish, large ones stay."""
    change = blurred(rgb, 1.5) - rgb
    return rgb + change * torch.exp(-change.square() / (2 * strength * strength))


def graded(rgb: torch.Tensor) -> torch.Tensor:
    """Contrast, saturation (down to none) and gamma, but no hue shift."""
    draw = lambda low, high: uniform(len(rgb), low, high, rgb)[:, None, None, None]
    grey = (torch.rand(len(rgb), device=rgb.device) < pipeline.GREY / pipeline.GRADE)[:, None, None, None]
    saturation = torch.where(grey, 0, draw(0.3, 1.7))
    value = rgb / 255
    mean = value.mean(1, keepdim=True)
    value = mean + (value - mean) * saturation
    return 255 * ((value - 0.5) * draw(0.6, 1.4) + 0.5).clamp(0, 1) ** torch.exp(draw(-0.5, 0.5))


def processed(rgb: torch.Tensor, random: np.random.Generator) -> torch.Tensor:
    """One of the camera and editor steps of `processing`, drawn once for the batch."""
    kind = int(random.integers(5))
    if kind == 0:  # tone mapping
        luma = rgb.mean(1, keepdim=True)
        around = blurred(luma, random.uniform(6, 20))
        wanted = 255 * (around / 255).clamp(1e-3) ** random.uniform(0.6, 1.1) + (luma - around) * random.uniform(1, 1.6)
        return rgb * wanted.clamp(0) / (luma + 1)
    if kind == 1:  # chroma noise reduction
        mean = rgb.mean(1, keepdim=True)
        return mean + blurred(rgb - mean, random.uniform(0.8, 3))
    if kind == 2:  # unsharp mask
        amount = random.uniform(0.3, 1.6)
        return (1 + amount) * rgb - amount * blurred(rgb, random.uniform(0.6, 2.5))
    if kind == 3:  # scan
        paper = blurred(torch.randn_like(rgb[:, :1]), random.uniform(0.5, 1.2))
        cast = torch.tensor(random.uniform(0.85, 0.95, 3), dtype=rgb.dtype, device=rgb.device).view(1, 3, 1, 1)
        return random.uniform(5, 25) + (blurred(rgb, random.uniform(0.5, 1)) + paper / paper.std() * random.uniform(1, 4)) * cast
    noise = blurred(torch.randn_like(rgb), random.uniform(0.4, 1))  # grain
    return rgb + noise / noise.std() * random.uniform(1, 7) * (1.2 - rgb.mean(1, keepdim=True) / 255)


def copied_again(rgb: torch.Tensor, low: float, high: float, random: np.random.Generator) -> torch.Tensor:
    """Scales down and up again: a copy of a copy, or an enlarged thumbnail."""
    height, width = rgb.shape[-2:]
    factor = random.uniform(low, high)
    small = functional.interpolate(rgb, size=(int(height * factor), int(width * factor)), mode="area")
    return functional.interpolate(small, size=(height, width), mode="bicubic", align_corners=False)


def degrade_squares(rgb: torch.Tensor, lossless: torch.Tensor, scale: float, side: int, random: np.random.Generator) -> torch.Tensor:
    """Native squares [N, 3, S, S], S * scale >= side -> [N, 3, side, side]. `lossless` [N]: the file was never saved with loss."""
    kept = torch.rand(len(rgb), device=rgb.device) < pipeline.AS_IS if scale == 1 else torch.zeros(len(rgb), dtype=torch.bool, device=rgb.device)
    first = torch.where(lossless, pipeline.FIRST_SAVE_LOSSLESS, pipeline.FIRST_SAVE_LOSSY)
    rgb = where_drawn(torch.rand_like(first) < first, rgb, lambda x: saved(x, 72, 98, random))
    untouched = rgb
    rgb = disturbed(rgb, random)
    length = max(side, round(rgb.shape[-1] * scale))
    rgb = resized(rgb, length, length, random)
    rgb = where(pipeline.THUMBNAIL, rgb, lambda x: copied_again(x, 0.4, 0.75, random))
    rgb = whole_blocks(rgb)
    rgb = where(pipeline.POSTED_AGAIN, rgb, lambda x: copied_again(saved(x, 65, 95, random), 0.85, 0.97, random))
    rgb = last_save(rgb, random)
    if scale == 1:
        rgb = torch.where(kept[:, None, None, None], untouched[..., : rgb.shape[-2], : rgb.shape[-1]], rgb)
    return turned(placed(rgb, side, random), random)


def degrade_views(rgb: torch.Tensor, side: int, random: np.random.Generator) -> torch.Tensor:
    """Views of whole pictures [N, 3, S, S] -> [N, 3, side, side]: cropped slightly, disturbed, squeezed, and mirrored but never rotated."""
    length = rgb.shape[-1]
    high, wide = (int(random.integers(int(0.72 * length), length + 1)) // 16 * 16 for _ in range(2))
    top, left = (int(random.integers(length - used + 1)) for used in (high, wide))
    rgb = rgb[..., top : top + high, left : left + wide]
    rgb = disturbed(rgb, random)
    rgb = where(0.3, rgb, lambda x: saved(x, 60, 98, random))
    rgb = where(0.1, rgb, lambda x: copied_again(x, 0.35, 0.8, random))
    rgb = resized(rgb, side, side, random)
    rgb = where(0.2, rgb, lambda x: saved(x, 50, 98, random))
    flipped = (torch.rand(len(rgb), device=rgb.device) < 0.5)[:, None, None, None]
    return torch.where(flipped, rgb.flip(-1), rgb)


def last_save(rgb: torch.Tensor, random: np.random.Generator) -> torch.Tensor:
    lowest = 28 if random.random() < 0.15 else 50
    return where(pipeline.LAST_SAVE, rgb, lambda x: saved(x, lowest, 98, random))


def whole_blocks(rgb: torch.Tensor) -> torch.Tensor:
    """Pads to multiples of 16 px by repeating the edges."""
    height, width = rgb.shape[-2:]
    return functional.pad(rgb, (0, -width % 16, 0, -height % 16), mode="replicate")


def placed(rgb: torch.Tensor, side: int, random: np.random.Generator) -> torch.Tensor:
    """A square of `side`, mostly on the block grid."""
    step = 8 if random.random() < 0.7 else 1
    top, left = (int(random.integers((room - side) // step + 1)) * step for room in rgb.shape[-2:])
    return rgb[..., top : top + side, left : left + side]


def turned(rgb: torch.Tensor, random: np.random.Generator) -> torch.Tensor:
    """One of the eight flips and rotations by 90 degrees."""
    across, down, swap = random.random(3) < 0.5
    rgb = rgb.flip(-1) if across else rgb
    rgb = rgb.flip(-2) if down else rgb
    return rgb.transpose(-1, -2) if swap else rgb
