"""Synthetic graphics (shapes, charts, text, window layouts, test patterns) that are neither photographs nor generated.

The detector sees some of them with the target 'no usable trace' for both classes, so that the service abstains on charts and
screenshots. Everything is drawn here; no file is read. Canvases are uint8 [side, side, 3] RGB and are drawn on in place.
"""

from __future__ import annotations

import cv2
import numpy as np

WORDS = ("Total", "Order 17", "Search", "Settings", "2024-05-11", "Hello", "37.5 %", "Monday", "Save", "A B C")


def draw_picture(side: int, random: np.random.Generator) -> np.ndarray:
    """uint8 [side, side, 3], RGB."""
    canvas = background(side, random)
    kinds = (window_layout, shapes, sketch, blend, pattern, chart, page_of_text, scenery, code)
    kinds[int(random.choice(len(kinds), p=(0.2, 0.15, 0.08, 0.1, 0.12, 0.12, 0.1, 0.08, 0.05)))](canvas, random)
    if random.random() < 0.5:
        for _ in range(int(random.integers(0, 5))):
            letters(canvas, random)
    return canvas


def paste_on_page(photograph: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A page or a screen that shows the photograph: as a whole neither photograph nor generated.

    @param photograph uint8 [height, width, 3]
    @returns the same shape, the photograph on less than half of it
    """
    height, width = photograph.shape[:2]
    side = max(height, width)
    page = np.full((side, side, 3), 255, np.uint8) if random.random() < 0.6 else background(side, random)
    (page_of_text if random.random() < 0.6 else window_layout)(page, random)
    page = np.ascontiguousarray(page[:height, :width])
    share = random.uniform(0.3, 0.68)
    small = cv2.resize(photograph, (int(width * share), int(height * share)), interpolation=cv2.INTER_AREA)
    top, left = (int(random.integers(0, room - used + 1)) for room, used in zip((height, width), small.shape))
    page[top : top + small.shape[0], left : left + small.shape[1]] = small
    return page


def draw_scene(side: int, random: np.random.Generator) -> np.ndarray:
    """A rendered scene: textured ground with discs and polygons of other textures in front, with hard edges and a grain of their own,
    though nothing was inserted. Half are rendered larger and downscaled; some get sensor noise or a Bayer mosaic.

    @returns uint8 [side, side, 3], RGB
    """
    large = side * int(random.choice((1, 1, 2, 3)))
    light = np.empty((large, large, 3), np.float32)
    everywhere = np.ones((large, large), bool)
    paint(light, everywhere, random)
    below = (np.arange(large)[:, None] - large * random.uniform(0.3, 0.6) - (np.arange(large) - large / 2) * random.uniform(-0.1, 0.1)) > 0
    paint(light, below, random)
    for _ in range(int(random.integers(3, 16))):
        paint(light, outline(large, random), random)
    small = cv2.resize(light, (side, side), interpolation=cv2.INTER_AREA) if large > side else light
    if random.random() < 0.6:
        small = small + random.standard_normal(small.shape, np.float32) * np.sqrt(random.uniform(0.2, 2) + random.uniform(0, 0.08) * small)
    rgb = np.clip(small, 0, 255).round().astype(np.uint8)
    if random.random() < 0.4:
        rows, columns = np.mgrid[0:side, 0:side] % 2
        mosaic = np.take_along_axis(rgb, (rows + columns)[..., None], 2)[..., 0]
        rgb = cv2.cvtColor(mosaic, cv2.COLOR_BayerBG2RGB)
    return rgb


def paint(light: np.ndarray, where: np.ndarray, random: np.random.Generator) -> None:
    """Paints the mask `where` with a shaded, textured colour."""
    side = light.shape[0]
    along = np.linspace(-1, 1, side, dtype=np.float32)
    shade = 1 + random.uniform(-0.4, 0.4) * along[:, None] + random.uniform(-0.4, 0.4) * along
    shade *= 1 + random.uniform(0, 0.7) * texture(side, random)
    light[where] = (shade[..., None] * random.uniform(30, 230, 3).astype(np.float32))[where].clip(0, 255)


def texture(side: int, random: np.random.Generator) -> np.ndarray:
    """Fractal noise float32 [side, side], about -1..1, coarser octaves stronger."""
    value, finest = np.zeros((side, side), np.float32), random.uniform(1, 12)
    for octave in range(6):
        knots = max(2, int(side / (finest * 2**octave)))
        value += cv2.resize(random.uniform(-1, 1, (knots, knots)).astype(np.float32), (side, side), interpolation=cv2.INTER_LINEAR) * 0.12 * 1.35**octave
    return value


def outline(side: int, random: np.random.Generator) -> np.ndarray:
    """Mask bool [side, side] of a disc or a polygon."""
    mask, middle, radius = np.zeros((side, side), np.uint8), np.array(point(side, random)), side * random.uniform(0.04, 0.2)
    if random.random() < 0.5:
        cv2.circle(mask, middle.tolist(), int(radius), 1, -1)
    else:
        corners = np.sort(random.uniform(0, 2 * np.pi, int(random.integers(3, 7))))
        reach = radius * random.uniform(0.6, 1.4, (len(corners), 1))
        cv2.fillPoly(mask, [(middle + reach * np.stack([np.cos(corners), np.sin(corners)], 1)).astype(np.int32)], 1)
    return mask > 0


def shapes(canvas: np.ndarray, random: np.random.Generator) -> None:
    for _ in range(int(random.integers(4, 24))):
        shape(canvas, random)


def blend(canvas: np.ndarray, random: np.random.Generator) -> None:
    """Smooth colour gradients as in wallpapers and slides, sometimes with a little grain."""
    side = canvas.shape[0]
    knots = int(random.integers(2, 5))
    small = random.uniform(0, 255, (knots, knots, 3)).astype(np.float32)
    value = cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC)
    if random.random() < 0.2:
        value += random.standard_normal(value.shape, np.float32) * random.uniform(0.5, 3)
    canvas[:] = np.clip(value, 0, 255).round().astype(np.uint8)


def pattern(canvas: np.ndarray, random: np.random.Generator) -> None:
    """Test patterns: waves, rings, checkerboards, stripes, colour bars; with moire where they are too fine."""
    side = canvas.shape[0]
    y, x = np.mgrid[0:side, 0:side].astype(np.float32)
    kind, angle = int(random.integers(5)), random.uniform(0, np.pi)
    along, period = x * np.cos(angle) + y * np.sin(angle), float(np.exp(random.uniform(np.log(2.1), np.log(80))))
    if kind == 0:
        wave = np.sin(2 * np.pi * along / period)
    elif kind == 1:
        middle = random.uniform(0, side, 2)
        wave = np.cos(((x - middle[0]) ** 2 + (y - middle[1]) ** 2) * np.pi / (side * period))
    elif kind == 2:
        wave = np.sign(np.sin(np.pi * x / period) * np.sin(np.pi * y / period))
    elif kind == 3:
        wave = np.sign(np.sin(2 * np.pi * along / period))
    else:
        bars = random.uniform(0, 255, (1, int(random.integers(3, 10)), 3)).astype(np.float32)
        canvas[:] = cv2.resize(bars, (side, side), interpolation=cv2.INTER_NEAREST).astype(np.uint8)
        return
    one, other = np.array(colour(random)), np.array(colour(random))
    canvas[:] = (one + (other - one) * (wave[..., None] + 1) / 2).clip(0, 255).astype(np.uint8)


def chart(canvas: np.ndarray, random: np.random.Generator) -> None:
    side = canvas.shape[0]
    canvas[:] = 255 if random.random() < 0.7 else 30
    edge, count = side // 10, int(random.integers(3, 16))
    for line in np.linspace(edge, side - edge, 6).astype(int):
        cv2.line(canvas, (edge, int(line)), (side - edge, int(line)), (200, 200, 200), 1)
    heights = np.clip(random.normal(0.5, 0.25, count), 0.02, 0.95)
    across = np.linspace(edge, side - edge, count + 1).astype(int)
    kind, ink = int(random.integers(3)), colour(random)
    down = (side - edge - heights * (side - 2 * edge)).astype(int)
    if kind == 0:
        for at in range(count):
            cv2.rectangle(canvas, (int(across[at]) + 2, int(down[at])), (int(across[at + 1]) - 2, side - edge), ink, -1)
    elif kind == 1:
        points = np.stack([across[:-1], down], 1).astype(np.int32)
        cv2.polylines(canvas, [points], False, ink, int(random.integers(1, 4)), cv2.LINE_AA)
    else:
        ends = np.cumsum(heights / heights.sum() * 360)
        for start, end in zip([0, *ends[:-1]], ends):
            cv2.ellipse(canvas, (side // 2, side // 2), (side // 3, side // 3), 0, start, end, colour(random), -1, cv2.LINE_AA)
    for line in range(4):
        letters(canvas, random, (2, int(edge + line * side / 5)), (90, 90, 90))


def page_of_text(canvas: np.ndarray, random: np.random.Generator) -> None:
    """A printed or scanned page of text, sometimes unevenly lit."""
    side = canvas.shape[0]
    paper = random.uniform(225, 255, 3) if random.random() < 0.6 else np.full(3, 255.0)
    shade = cv2.resize(random.uniform(-8, 4, (3, 3)).astype(np.float32), (side, side), interpolation=cv2.INTER_CUBIC)
    canvas[:] = np.clip(paper + shade[..., None] * (random.random() < 0.5), 0, 255).astype(np.uint8)
    left, size = int(random.integers(4, 40)), random.uniform(0.3, 0.7)
    font, ink, step = int(random.integers(0, 8)), int(random.integers(0, 90)), int(random.integers(10, 26))
    for line in range(step, side, step):
        if random.random() < 0.12:
            continue
        text = " ".join(random.choice(WORDS, int(random.integers(2, 14))))
        cv2.putText(canvas, text, (left, line), font, size, (ink, ink, ink), 1, cv2.LINE_AA)
    if random.random() < 0.3:
        canvas[:] = cv2.GaussianBlur(canvas, (0, 0), random.uniform(0.4, 0.9))


def scenery(canvas: np.ndarray, random: np.random.Generator) -> None:
    """A flat illustration: sky, hills, a disc, simple shapes."""
    side = canvas.shape[0]
    across = np.arange(side)
    cv2.circle(canvas, point(side, random), side // int(random.integers(6, 14)), colour(random), -1, cv2.LINE_AA)
    for level in np.linspace(0.35, 0.9, int(random.integers(2, 6))):
        wave = sum(np.sin(across / side * random.uniform(2, 14) + random.uniform(0, 6)) * random.uniform(0, 0.06) for _ in range(3))
        outline = ((level + wave) * side).astype(np.int32)
        corners = np.concatenate([np.stack([across, outline], 1), [[side, side], [0, side]]]).astype(np.int32)
        cv2.fillPoly(canvas, [corners], colour(random), cv2.LINE_AA)
    for _ in range(int(random.integers(0, 8))):
        shape(canvas, random)


def code(canvas: np.ndarray, random: np.random.Generator) -> None:
    """QR codes, bar codes, pixel art."""
    side, modules = canvas.shape[0], int(random.integers(12, 48))
    rows = modules if random.random() < 0.7 else 1
    cells = (random.random((rows, modules, 1)) < 0.5) * np.ones(3)
    if random.random() < 0.3:
        cells = random.uniform(0, 1, (rows, modules, 3))
    canvas[:] = 255
    edge = side // 12
    canvas[edge : side - edge, edge : side - edge] = cv2.resize(
        (cells * 255).astype(np.uint8), (side - 2 * edge, side - 2 * edge), interpolation=cv2.INTER_NEAREST
    )


def background(side: int, random: np.random.Generator) -> np.ndarray:
    """A flat colour, mostly light, or a gradient."""
    start = np.full(3, 255.0) if random.random() < 0.4 else random.uniform(0, 255, 3)
    end = random.uniform(0, 255, 3) if random.random() < 0.35 else start
    along = np.linspace(0, 1, side)[:, None, None]
    rows = start + (end - start) * along + np.zeros((side, side, 3))
    return np.ascontiguousarray(rows.transpose(1, 0, 2) if random.random() < 0.5 else rows).round().astype(np.uint8)


def shape(canvas: np.ndarray, random: np.random.Generator) -> None:
    side = canvas.shape[0]
    fill = -1 if random.random() < 0.6 else int(random.integers(1, 5))
    place, size = point(side, random), int(random.integers(4, side // 2))
    kind = int(random.integers(4))
    if kind == 0:
        cv2.circle(canvas, place, size // 2, colour(random), fill, cv2.LINE_AA)
    elif kind == 1:
        cv2.rectangle(canvas, place, point(side, random), colour(random), fill, cv2.LINE_AA)
    elif kind == 2:
        corners = np.array([point(side, random) for _ in range(int(random.integers(3, 7)))], np.int32)
        cv2.fillPoly(canvas, [corners], colour(random), cv2.LINE_AA)
    else:
        cv2.line(canvas, place, point(side, random), colour(random), int(random.integers(1, 6)), cv2.LINE_AA)


def window_layout(canvas: np.ndarray, random: np.random.Generator) -> None:
    """Bars, boxes and lines of text as on a screen."""
    side, top = canvas.shape[0], 0
    ink = colour(random)
    while top < side:
        height = int(random.integers(14, 60))
        if random.random() < 0.4:
            cv2.rectangle(canvas, (int(random.integers(0, 20)), top), (side, top + height), colour(random), -1)
        for line in range(top + 10, min(side, top + height), int(random.integers(10, 18))):
            letters(canvas, random, (int(random.integers(0, 30)), line), ink)
        top += height + int(random.integers(0, 8))


def sketch(canvas: np.ndarray, random: np.random.Generator) -> None:
    """Pen strokes as random walks."""
    side, ink = canvas.shape[0], colour(random)
    for _ in range(int(random.integers(5, 30))):
        steps = random.normal(0, random.uniform(2, 12), (int(random.integers(5, 40)), 2)).cumsum(0)
        points = (np.array(point(side, random)) + steps).round().astype(np.int32)
        cv2.polylines(canvas, [points], False, ink, int(random.integers(1, 4)), cv2.LINE_AA)


def letters(canvas: np.ndarray, random: np.random.Generator, place=None, ink=None) -> None:
    text = " ".join(random.choice(WORDS, int(random.integers(1, 5))))
    size, font = random.uniform(0.3, 1.1), int(random.integers(0, 8))
    at = place or point(canvas.shape[0], random)
    cv2.putText(canvas, text, at, font, size if place is None else 0.38, ink or colour(random), 1, cv2.LINE_AA)


def point(side: int, random: np.random.Generator) -> tuple[int, int]:
    return int(random.integers(0, side)), int(random.integers(0, side))


def colour(random: np.random.Generator) -> tuple[int, int, int]:
    if random.random() < 0.3:
        grey = int(random.integers(0, 256))
        return grey, grey, grey
    return int(random.integers(0, 256)), int(random.integers(0, 256)), int(random.integers(0, 256))
