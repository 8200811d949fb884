"""Edits in place: removal, local filters, overlaid text and logos, repainting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
import torch

from forensics_training.degrade.processing import to_uint8
from forensics_training.edits.autoencoder import RoundTrip
from forensics_training.edits.inpaint import METHODS, fill
from forensics_training.edits.paste import Edited, edited, splice
from forensics_training.edits.shapes import draw_shape, soften

Treatment = Callable[[np.ndarray, np.random.Generator], np.ndarray]  # uint8 [H,W,3] RGB -> the same

CONTEXT = 16  # px around a region that the autoencoder sees as well
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_COMPLEX,
         cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, cv2.FONT_HERSHEY_PLAIN)  # fmt: skip
CHARACTERS = "ABCDEFGHIKLMNOPRSTUVWXYZabcdefghiklmnoprstuvwxyz0123456789.-/:%&"


def removal(host: np.ndarray, random: np.random.Generator) -> Edited:
    name, shape = draw_shape(host, random)
    method = METHODS[int(random.integers(len(METHODS)))]
    share = soften(shape, random)
    return edited(host, fill(host, share > 0, method, random), share, f"{name}, {method}")


def treatment(host: np.ndarray, random: np.random.Generator) -> Edited:
    name, shape = draw_shape(host, random)
    kind = list(TREATMENTS)[int(random.integers(len(TREATMENTS)))]
    return edited(host, TREATMENTS[kind](host, random), soften(shape, random), f"{name}, {kind}")


def blur(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return cv2.GaussianBlur(rgb, (0, 0), random.uniform(0.8, 4))


def median(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return cv2.medianBlur(rgb, int(random.choice([3, 5, 7])))


def pixelate(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    step, (height, width) = int(random.integers(4, 13)), rgb.shape[:2]
    small = cv2.resize(rgb, (width // step, height // step), interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST)


def sharpen(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    amount = random.uniform(0.8, 2)
    return cv2.addWeighted(rgb, 1 + amount, cv2.GaussianBlur(rgb, (0, 0), random.uniform(0.8, 2)), -amount, 0)


def noise(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return to_uint8(rgb + random.standard_normal(rgb.shape, np.float32) * random.uniform(3, 14))


def recolour(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    hsv = cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV).astype(np.float32)
    hsv[..., 0] = (hsv[..., 0] + random.uniform(12, 168)) % 180
    hsv[..., 1] = np.clip(hsv[..., 1] * random.uniform(0.6, 1.8) + random.uniform(0, 40), 0, 255)
    return cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2RGB)


def relight(rgb: np.ndarray, random: np.random.Generator) -> np.ndarray:
    gain = float(np.exp(random.choice([-1, 1]) * random.uniform(0.2, 0.6)))
    return to_uint8((rgb.astype(np.float32) - 128) * random.uniform(0.7, 1.4) + 128 * gain)


TREATMENTS: dict[str, Treatment] = {
    "blur": blur, "median": median, "pixelate": pixelate, "sharpen": sharpen, "noise": noise, "recolour": recolour,
    "relight": relight,
}  # fmt: skip


def writing(host: np.ndarray, random: np.random.Generator) -> Edited:
    """Text or a logo. The mask is its coverage, independent of its opacity."""
    emblem = random.random() < 0.35
    coverage = (draw_logo if emblem else draw_word)(host.shape[:2], random)
    colourful, grey, tint = random.random() < 0.5, random.choice([8, 247]), random.integers(0, 256, 3, dtype=np.uint8)
    ink = np.full_like(host, tint if colourful else grey)
    opacity = random.uniform(0.45, 1) if random.random() < 0.4 else 1.0
    return edited(host, cv2.addWeighted(ink, opacity, host, 1 - opacity, 0), coverage, "logo" if emblem else "text")


def draw_word(size: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    """Mask uint8 [H,W] of a few characters, slightly rotated half of the time."""
    height, width = size
    word = "".join(random.choice(list(CHARACTERS), int(random.integers(2, 12))))
    font, thick = FONTS[int(random.integers(len(FONTS)))], int(random.integers(1, 5))
    (long, _), _ = cv2.getTextSize(word, font, 1.0, thick)
    scale = float(np.clip(width * random.uniform(0.3, 0.9) / long, 0.5, 3.5))
    start = (int(random.uniform(0.02, 0.3) * width), int(random.uniform(0.25, 0.95) * height))
    out = np.zeros(size, np.uint8)
    cv2.putText(out, word, start, font, scale, 255, thick, cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), random.normal(0, 8), 1)
    return cv2.warpAffine(out, turn, (width, height)) if random.random() < 0.5 else out


def draw_logo(size: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    """Mask uint8 [H,W] of a ring or a frame with a star or a letter in it."""
    height, width = size
    radius = int(random.uniform(0.07, 0.18) * min(size))
    x, y = (int(random.uniform(radius + 2, room - radius - 2)) for room in (width, height))
    out, thick = np.zeros(size, np.uint8), int(random.integers(2, max(3, radius // 4)))
    if random.random() < 0.5:
        cv2.circle(out, (x, y), radius, 255, thick, cv2.LINE_AA)
    else:
        cv2.rectangle(out, (x - radius, y - radius), (x + radius, y + radius), 255, thick, cv2.LINE_AA)
    if random.random() < 0.5:
        letter, start = str(random.choice(list(CHARACTERS))), (x - radius // 2, y + radius // 2)
        cv2.putText(out, letter, start, FONTS[2], radius / 22, 255, thick, cv2.LINE_AA)
        return out
    tips = int(random.integers(3, 8))
    angle = np.arange(2 * tips) * np.pi / tips
    reach = np.tile([0.65, random.uniform(0.25, 0.65)], tips) * radius
    star = np.stack([x + reach * np.cos(angle), y + reach * np.sin(angle)], 1)
    cv2.fillPoly(out, [star.round().astype(np.int32)], 255, cv2.LINE_AA)
    return out


def repaint(host: np.ndarray, generated: np.ndarray, autoencoders: Sequence[RoundTrip], random: np.random.Generator) -> Edited:
    """A region of a generated picture, or of the host itself after a round trip through an autoencoder, inpainted first or not.

    @param autoencoders without any, every region comes from `generated`
    """
    kind = random.choice(["generated", "generated, re-encoded", "inpainted, re-encoded", "re-encoded"], p=[0.45, 0.1, 0.25, 0.2])
    if kind == "generated" or not autoencoders:
        piece = splice(host, generated, random)
        return replace(piece, how=f"generated: {piece.how}")
    if kind == "generated, re-encoded":
        piece = splice(host, generated, random)
        content, share, name = piece.rgb, piece.share, piece.how
    else:
        name, shape = draw_shape(host, random)
        share = soften(shape, random)
        method = METHODS[int(random.integers(len(METHODS)))]
        content = fill(host, share > 0, method, random) if kind == "inpainted, re-encoded" else host
    autoencoder = autoencoders[int(random.integers(len(autoencoders)))]
    return edited(host, round_trip_region(content, share > 0, autoencoder, random), share, f"{kind}: {name}")


@torch.no_grad()
def round_trip_region(rgb: np.ndarray, region: np.ndarray, autoencoder: RoundTrip, random: np.random.Generator) -> np.ndarray:
    """`rgb` with the bounding box of `region` replaced by its reconstruction; half of the latents get a little noise."""
    left, top, width, height = cv2.boundingRect(region.astype(np.uint8))
    rows = slice(max(0, top - CONTEXT), top + height + CONTEXT)
    columns = slice(max(0, left - CONTEXT), left + width + CONTEXT)
    box = rgb[rows, columns]
    strength = float(random.uniform(0.05, 0.3)) if random.random() < 0.5 else 0.0
    # Pad to multiples of 16, the stride of the deepest autoencoder.
    padded = cv2.copyMakeBorder(box, 0, -box.shape[0] % 16, 0, -box.shape[1] % 16, cv2.BORDER_REFLECT_101)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(random.integers(2**31)))
        back = autoencoder(torch.from_numpy(padded).permute(2, 0, 1)[None].float() / 255, strength)
    out = rgb.copy()
    out[rows, columns] = to_uint8(back[0].permute(1, 2, 0).numpy() * 255)[: box.shape[0], : box.shape[1]]
    return out
