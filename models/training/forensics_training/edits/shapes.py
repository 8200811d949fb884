"""Regions as a person would select them: smooth blobs, polygons, merged superpixels, similar colours, objects.

A network trained on circles learns circles; shapes that follow the content keep it from taking every object boundary for a seam.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

AREA = (0.012, 0.3)  # wanted share of the picture, log-uniform
HARD, SMOOTHED = 0.4, 0.3  # probabilities of a hard edge and of one smoothed over a pixel; else feathered
FEATHER = (1.0, 4.0)  # px, sigma of the Gaussian
OBJECT_SIDE = 96  # px; side of the thumbnail that GrabCut runs on: 16 ms instead of 200 ms
COMPACT = 1.0  # weight of a pixel of distance against a grey level when superpixels are merged; 0 gives snakes
TRIES = 4
CHANCES = {"blob": 0.2, "polygon": 0.12, "superpixels": 0.2, "colour": 0.2, "object": 0.28}

Shape = Callable[[np.ndarray, float, np.random.Generator], np.ndarray]  # RGB, wanted share -> bool [H,W]


def draw_shape(rgb: np.ndarray, random: np.random.Generator) -> tuple[str, np.ndarray]:
    """Name and bool mask [H,W] of one connected region without holes that covers 0.6 to 40 % of `rgb`."""
    for _ in range(TRIES):
        name = str(random.choice(list(CHANCES), p=list(CHANCES.values())))
        mask = SHAPES[name](rgb, wanted_area(random), random)
        mask = mask if name == "polygon" else tidy(mask)  # a polygon keeps its corners
        if 0.5 * AREA[0] <= mask.mean() <= 0.4:
            return name, mask
    return "blob", tidy(blob(rgb, wanted_area(random), random))


def wanted_area(random: np.random.Generator) -> float:
    return float(np.exp(random.uniform(*np.log(AREA))))


def blob(rgb: np.ndarray, area: float, random: np.random.Generator) -> np.ndarray:
    """A closed contour whose radius is a sum of low harmonics, squeezed and rotated."""
    angle = np.linspace(0, 2 * np.pi, 96, endpoint=False)
    radius = np.ones_like(angle)
    for wave in range(2, 7):
        radius += random.uniform(0, 0.5) / wave * np.cos(wave * angle + random.uniform(0, 2 * np.pi))
    squeeze, turn = random.uniform(0.5, 1), random.uniform(0, np.pi)
    x, y = radius * np.cos(angle), radius * np.sin(angle) * squeeze
    outline = np.stack([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)], 1)
    return filled(rgb.shape[:2], outline, area, random)


def polygon(rgb: np.ndarray, area: float, random: np.random.Generator) -> np.ndarray:
    """A polygon of three to eight corners, or a rectangle."""
    if random.random() < 0.4:
        half = random.uniform(0.4, 1)
        outline = np.array([[-1, -half], [1, -half], [1, half], [-1, half]])[:, :: int(random.choice([-1, 1]))]
        return filled(rgb.shape[:2], outline, area, random)
    corners = int(random.integers(3, 9))
    angle = (np.arange(corners) + random.uniform(-0.3, 0.3, corners)) * 2 * np.pi / corners
    radius = random.uniform(0.5, 1, corners)
    return filled(rgb.shape[:2], np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1), area, random)


def filled(size: tuple[int, int], outline: np.ndarray, area: float, random: np.random.Generator) -> np.ndarray:
    """`outline` [N,2] around the origin, scaled to the wanted share and placed mostly inside the picture."""
    height, width = size
    unit = cv2.contourArea(outline.astype(np.float32))
    points = outline * np.sqrt(area * height * width / max(unit, 1e-3))
    room = np.maximum(0, np.array([width, height]) / 2 - np.abs(points).max(axis=0) * 0.8)
    centre = np.array([width, height]) / 2 + random.uniform(-1, 1, 2) * room
    mask = np.zeros(size, np.uint8)
    cv2.fillPoly(mask, [np.round(points + centre).astype(np.int32)], 1)
    return mask > 0


def superpixels(rgb: np.ndarray, area: float, random: np.random.Generator) -> np.ndarray:
    """Watershed superpixels, grown from one by its neighbour nearest in colour and position."""
    labels = cells(rgb, int(random.integers(14, 30)), random)
    count = int(labels.max()) + 1
    sizes = np.maximum(np.bincount(labels.ravel(), minlength=count), 1)
    y, x = np.mgrid[: labels.shape[0], : labels.shape[1]]
    layers = (*(rgb[..., c] for c in range(3)), COMPACT * y, COMPACT * x)
    cell = np.stack([np.bincount(labels.ravel(), layer.ravel(), count) / sizes for layer in layers], 1)
    taken = np.zeros(count, bool)
    taken[labels[int(random.integers(labels.shape[0])), int(random.integers(labels.shape[1]))]] = True
    while sizes[taken].sum() < area * labels.size:
        grown = cv2.dilate(taken[labels].astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        near = np.setdiff1d(np.unique(labels[grown]), np.flatnonzero(taken))
        if near.size == 0:
            break
        distance = np.abs(cell[near] - cell[taken].mean(axis=0)).sum(axis=1)
        taken[near[int(np.argmin(distance))]] = True
    return taken[labels]


def cells(rgb: np.ndarray, step: int, random: np.random.Generator) -> np.ndarray:
    """int32 [H,W], labels from 0: superpixels whose boundaries follow image edges, one about every `step` px."""
    height, width = rgb.shape[:2]
    markers = np.zeros((height, width), np.int32)
    y, x = np.mgrid[step // 2 : height : step, step // 2 : width : step].reshape(2, -1)
    y = np.clip(y + random.integers(-step // 4, step // 4 + 1, y.size), 0, height - 1)
    x = np.clip(x + random.integers(-step // 4, step // 4 + 1, x.size), 0, width - 1)
    markers[y, x] = np.arange(1, y.size + 1)
    cv2.watershed(np.ascontiguousarray(rgb), markers)
    # Watershed lines and the frame are -1; give each such pixel to a neighbouring superpixel.
    for _ in range(2):
        near = cv2.dilate(markers.astype(np.float32), np.ones((3, 3))).astype(np.int32)
        markers = np.where(markers > 0, markers, near)
    return np.maximum(markers, 1) - 1


def colour(rgb: np.ndarray, area: float, random: np.random.Generator) -> np.ndarray:
    """Magic wand: flood fill from one pixel, the tolerance raised until the wanted area is reached."""
    height, width = rgb.shape[:2]
    smooth = cv2.medianBlur(np.ascontiguousarray(rgb), 7)
    start = (int(random.integers(width)), int(random.integers(height)))
    mask = np.zeros((height + 2, width + 2), np.uint8)
    for tolerance in (4, 8, 14, 22, 32):
        mask[:] = 0
        options = 8 | (1 << 8) | cv2.FLOODFILL_MASK_ONLY | cv2.FLOODFILL_FIXED_RANGE
        cv2.floodFill(smooth, mask, start, 0, (tolerance,) * 3, (tolerance,) * 3, options)
        if mask[1:-1, 1:-1].mean() >= area:
            break
    return mask[1:-1, 1:-1] > 0


def grabcut_object(rgb: np.ndarray, area: float, random: np.random.Generator) -> np.ndarray:
    """An object, by GrabCut from an ellipse (Rother, Kolmogorov and Blake, SIGGRAPH 2004), its random start seeded."""
    small = cv2.resize(np.ascontiguousarray(rgb), (OBJECT_SIDE, OBJECT_SIDE), interpolation=cv2.INTER_AREA)
    shape = random.uniform(0.7, 1.4)
    size = np.clip(np.sqrt(area * 3) * OBJECT_SIDE * np.array([shape, 1 / shape]), 12, OBJECT_SIDE - 8).astype(int)
    centre = [int(random.uniform(side / 2 + 2, OBJECT_SIDE - side / 2 - 2)) for side in size]
    mask = np.full((OBJECT_SIDE, OBJECT_SIDE), cv2.GC_BGD, np.uint8)
    for share, kind in ((0.5, cv2.GC_PR_FGD), (0.2, cv2.GC_FGD)):  # probable and certain foreground
        cv2.ellipse(mask, centre, [max(2, int(side * share)) for side in size], 0, 0, 360, kind, cv2.FILLED)
    cv2.setRNGSeed(int(random.integers(2**31 - 1)))
    cv2.grabCut(small, mask, None, None, None, 2, cv2.GC_INIT_WITH_MASK)
    inside = (mask & 1).astype(np.float32)
    return cv2.resize(cv2.GaussianBlur(inside, (0, 0), 0.8), rgb.shape[1::-1], interpolation=cv2.INTER_CUBIC) > 0.5


SHAPES: dict[str, Shape] = {
    "blob": blob, "polygon": polygon, "superpixels": superpixels, "colour": colour, "object": grabcut_object,
}  # fmt: skip


def tidy(mask: np.ndarray) -> np.ndarray:
    """The largest connected component, holes filled, thin protrusions removed."""
    width = int(np.clip(np.sqrt(mask.sum()) / 6, 3, 15)) | 1
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, disc(width // 2 | 1))
    outlines, _ = cv2.findContours(
        cv2.morphologyEx(closed, cv2.MORPH_OPEN, disc(width)), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    out = np.zeros(mask.shape, np.uint8)
    if outlines:
        cv2.drawContours(out, [max(outlines, key=cv2.contourArea)], 0, 1, cv2.FILLED)
    return out > 0


def disc(width: int) -> np.ndarray:
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))


def soften(mask: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """bool [H,W] -> alpha mask uint8 0..255 with a hard, smoothed or feathered edge."""
    share, kind = mask.astype(np.uint8) * 255, random.random()
    if kind < HARD:
        return share
    sigma = 0.6 if kind < HARD + SMOOTHED else random.uniform(*FEATHER)
    return cv2.GaussianBlur(share, (0, 0), sigma)


def blend(before: np.ndarray, after: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Alpha blending: exactly `before` where `share` is 0, `after` where it is 255."""
    part = share.astype(np.float32)[..., None] / 255
    return (before + (after.astype(np.float32) - before) * part).round().astype(np.uint8)
