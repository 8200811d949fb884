"""Drawn pictures: shapes, lines, letters, gradients, window-like layouts. Neither photograph nor generated.

Training shows a few of them with the target 'no usable trace' in both class heads, so that a chart or a screenshot makes
the service abstain. Everything is drawn here; no file is read.
"""

from __future__ import annotations

import cv2
import numpy as np

WORDS = ("Total", "Order 17", "Search", "Settings", "2024-05-11", "Hello", "37.5 %", "Monday", "Save", "A B C")


def draw_picture(side: int, random: np.random.Generator) -> np.ndarray:
    """uint8 [side, side, 3], RGB."""
    canvas = background(side, random)
    kind = random.random()
    if kind < 0.4:
        window_layout(canvas, random)
    elif kind < 0.8:
        for _ in range(int(random.integers(4, 24))):
            shape(canvas, random)
    else:
        sketch(canvas, random)
    for _ in range(int(random.integers(0, 5))):
        letters(canvas, random)
    return canvas


def background(side: int, random: np.random.Generator) -> np.ndarray:
    """Flat, mostly light, or a gradient."""
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
    """Bars, boxes and lines of text, as on a screen."""
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
    """Wandering pen strokes."""
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
