"""Edits that phones and web services offer: a region regenerated, the sky replaced, different words on a sign."""

from __future__ import annotations

import cv2
import numpy as np
from PIL import Image, ImageDraw

from forensics_training.degrade.processing import to_uint8
from forensics_training.edits.documents import font, number, word
from forensics_training.edits.paste import Edited, edited, match_colours
from forensics_training.edits.shapes import draw_shape, soften


def regenerated(host: np.ndarray, again: np.ndarray | None, random: np.random.Generator) -> Edited:
    """Replaces a region with its rendering by an autoencoder, a denoiser or resampling.

    @param again the host after an autoencoder, if any
    """
    name, shape = draw_shape(host, random)
    share = soften(shape, random)
    if again is not None:
        return edited(host, again, share, f"{name}, autoencoder")
    if random.random() < 0.5:
        height, width = host.shape[:2]
        factor = random.uniform(0.35, 0.8)
        small = cv2.resize(host, (int(width * factor), int(height * factor)), interpolation=cv2.INTER_AREA)
        return edited(host, cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), share, f"{name}, resampled")
    left, top, wide, high = cv2.boundingRect(share)
    out, box = host.copy(), (slice(top, top + high), slice(left, left + wide))
    out[box] = cv2.bilateralFilter(host[box], 7, random.uniform(15, 45), 4)
    return edited(host, out, share, f"{name}, denoised")


def sky(host: np.ndarray, donor: np.ndarray, random: np.random.Generator) -> Edited:
    """Replaces what is smooth and reaches the upper edge with the upper part of another picture."""
    height, width = host.shape[:2]
    smooth = cv2.GaussianBlur(host, (0, 0), 2)
    mask = np.zeros((height + 2, width + 2), np.uint8)
    limit, options = (int(random.integers(3, 7)),) * 3, 4 | (255 << 8) | cv2.FLOODFILL_MASK_ONLY
    for x in range(width // 10, width, width // 5):
        cv2.floodFill(smooth, mask, (x, 2), 0, limit, limit, options)
    shape = cv2.morphologyEx(mask[1:-1, 1:-1], cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)) > 0
    other = cv2.resize(donor[: max(8, donor.shape[0] // 2)], (width, height), interpolation=cv2.INTER_AREA)
    share = soften(shape, random)
    if random.random() < 0.5:
        other = match_colours(other, host, share, random.uniform(0.2, 0.6))
    return edited(host, other, share, "sky")


def sign(host: np.ndarray, fonts: tuple[str, ...], random: np.random.Generator) -> Edited:
    """Paints new words on a small quadrangle in its own colours, as on number plates, signs and displays."""
    height, width = host.shape[:2]
    text = number(random) if random.random() < 0.6 else " ".join(word(random) for _ in range(int(random.integers(1, 3))))
    size = int(random.uniform(0.03, 0.12) * min(height, width)) + 8
    letters = font(fonts[int(random.integers(len(fonts)))], size)
    wide, high = int(letters.getlength(text)) + size // 2, int(size * 1.4)
    if wide > width * 0.8 or high > height * 0.5:
        text = text[:4]
        wide = min(int(letters.getlength(text)) + size // 2, int(width * 0.9))
    left, top = int(random.integers(2, max(3, width - wide - 2))), int(random.integers(2, max(3, height - high - 2)))
    part = host[top : top + high, left : left + wide]
    dark, bright = np.percentile(part, 8, axis=(0, 1)), np.percentile(part, 92, axis=(0, 1))
    if random.random() < 0.3:
        dark, bright = np.array([15.0, 15, 20]), np.array([235.0, 235, 230])
    ground, ink = (bright, dark) if random.random() < 0.6 else (dark, bright)
    sheet = Image.new("L", (width, height), 0)
    ImageDraw.Draw(sheet).text((left + size // 4, top), text, 255, letters)
    plate, cover = np.zeros((height, width), np.uint8), np.asarray(sheet)
    plate[top : top + high, left : left + wide] = 255
    corners = np.array([[left, top], [left + wide, top], [left + wide, top + high], [left, top + high]], np.float32)
    motion = cv2.getPerspectiveTransform(corners, (corners + random.normal(0, 0.08 * size, (4, 2))).astype(np.float32))
    plate, cover = (cv2.warpPerspective(one, motion, (width, height)) for one in (plate, cover))
    sigma = random.uniform(0.3, 1.4)
    cover = cv2.GaussianBlur(cover, (0, 0), sigma).astype(np.float32)[..., None] / 255
    base = cv2.GaussianBlur(host, (0, 0), size / 2) * 0.5 + ground * 0.5 if random.random() < 0.6 else np.broadcast_to(ground, host.shape)
    after = base * (1 - cover) + ink * cover + random.standard_normal(host.shape, np.float32) * random.uniform(0, 3)
    share = cv2.GaussianBlur(plate, (0, 0), random.uniform(0.4, 1.2))
    return edited(host, to_uint8(after), share, "sign")
