"""Receipts, letters, labels and bills of our own drawing, photographed or scanned, with words and numbers replaced afterwards.

A page is drawn with the place of every word; `capture` photographs it, and `replace_words` edits the photograph as people do: the word
is painted over and typed anew, or copied from elsewhere on the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from forensics_training.degrade.processing import to_uint8
from forensics_training.edits.paste import Edited, edited

WORDS = (
    "total", "date", "invoice", "customer", "amount", "balance", "due", "order", "delivery", "address", "street", "payment", "cash", "card", "thank", "you",
    "for", "your", "visit", "coffee", "bread", "milk", "apples", "paper", "battery", "service", "hours", "rate", "tax", "net", "gross", "account", "number",
    "reference", "dear", "madam", "sir", "we", "confirm", "that", "the", "contract", "of", "will", "be", "paid", "until", "and", "with", "kind", "regards",
    "office", "north", "south", "parcel", "weight", "size", "sender", "receiver", "city", "phone", "mail", "signed", "by", "issued", "valid", "name", "born",
)  # fmt: skip
INKS = ((20, 20, 25), (40, 40, 60), (25, 35, 90), (70, 70, 70), (60, 30, 30))


@dataclass(frozen=True)
class Word:
    text: str
    left: float
    top: float  # of the line, as the drawing library counts
    font: str
    size: int


@dataclass(frozen=True)
class Page:
    rgb: np.ndarray
    words: list[Word]
    ink: tuple[int, int, int]


@dataclass(frozen=True)
class Captured:
    """A photograph of a page. `motion`: homography [3,3] from page to picture."""

    rgb: np.ndarray
    page: Page
    motion: np.ndarray


@lru_cache(maxsize=400)
def font(path: str, size: int) -> ImageFont.FreeTypeFont:
    """@param path empty for the font that comes with the drawing library"""
    return ImageFont.truetype(path, size) if path else ImageFont.load_default(size)


def fonts_in(folder: Path | None) -> tuple[str, ...]:
    found = [] if folder is None else sorted(str(path) for path in folder.glob("*.[ot]tf"))
    return tuple(found) or ("",)


def number(random: np.random.Generator) -> str:
    kind = int(random.integers(6))
    if kind == 0:
        return f"{random.uniform(0.5, 3000):,.2f}"
    if kind == 1:
        return f"{int(random.integers(1, 29)):02d}.{int(random.integers(1, 13)):02d}.20{int(random.integers(15, 28))}"
    if kind == 2:
        return str(int(random.integers(1000, 99_999_999)))
    if kind == 3:
        return f"{random.choice(['$', '€', '£'])}{random.uniform(1, 900):.2f}"
    if kind == 4:
        return f"{int(random.integers(0, 24)):02d}:{int(random.integers(0, 60)):02d}"
    return f"{random.uniform(0, 30):.1f} %"


def word(random: np.random.Generator) -> str:
    text = str(random.choice(WORDS))
    return text.capitalize() if random.random() < 0.3 else text.upper() if random.random() < 0.15 else text


def draw_page(height: int, width: int, fonts: tuple[str, ...], random: np.random.Generator) -> Page:
    paper = np.array([255, 255, 255]) - random.uniform(0, 22, 3) * (random.random() < 0.6)
    picture = Image.new("RGB", (width, height), tuple(paper.astype(int)))
    draw, words, ink = ImageDraw.Draw(picture), [], INKS[int(random.integers(len(INKS)))]
    kind = str(random.choice(["receipt", "letter", "bill", "label"]))
    body, head = (fonts[int(random.integers(len(fonts)))] for _ in range(2))
    size = int(np.clip(width * random.uniform(0.022, 0.042) * (1.6 if kind == "label" else 1), 11, 44))
    edge, line = int(width * random.uniform(0.04, 0.1)), int(size * random.uniform(1.25, 1.8))

    def put(text: str, left: float, top: float, name: str = body, points: int = size) -> float:
        draw.text((left, top), text, ink, font(name, points))
        words.append(Word(text, left, top, name, points))
        return left + font(name, points).getlength(text)

    def place_right(text: str, right: float, top: float) -> None:
        put(text, right - font(body, size).getlength(text), top)

    top = edge
    put(" ".join(word(random) for _ in range(2)), edge, top, head, int(size * random.uniform(1.2, 2)))
    top += int(size * 2.6)
    while top < height - edge - line:
        if random.random() < 0.1:
            top += line
            continue
        if kind in ("receipt", "bill"):
            at = put(word(random), edge, top)
            if random.random() < 0.5:
                put(word(random), at + size * 0.4, top)
            if kind == "bill" and random.random() < 0.7:
                place_right(number(random), width * 0.65, top)
            place_right(number(random), width - edge, top)
            if random.random() < 0.12:
                draw.line((edge, top + line - 3, width - edge, top + line - 3), ink, 1)
        else:
            at, fill = edge, random.uniform(0.4, 1)
            while at < edge + (width - 2 * edge) * fill:
                text = number(random) if random.random() < 0.2 else word(random)
                if at + font(body, size).getlength(text) > width - edge:
                    break
                at = put(text, at, top) + size * 0.35
        top += line
    if kind == "label" and random.random() < 0.7:
        bars = np.cumsum(random.integers(1, 5, 60)) * max(1, width // 220) + edge
        for first, last in zip(bars[::2], bars[1::2]):
            if last < width - edge:
                draw.rectangle((int(first), height - edge - 3 * line, int(last), height - edge), ink)
    return Page(np.asarray(picture), words, ink)


def capture(page: Page, ground: np.ndarray, random: np.random.Generator) -> Captured:
    """@param ground uint8 [H,W,3], what the page lies on; the picture has its size"""
    height, width = ground.shape[:2]
    high, wide = page.rgb.shape[:2]
    scanned = random.random() < 0.35
    corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    if scanned:
        angle, factor = np.deg2rad(random.normal(0, 0.8)), max(height / high, width / wide) * 1.01
        turn = factor * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        target = (corners - [wide / 2, high / 2]) @ turn.T + [width / 2, height / 2]
    else:
        share = random.uniform(0.8, 1.25)
        factor = min(height / high, width / wide) * share
        angle = np.deg2rad(random.normal(0, 6))
        turn = factor * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        target = (corners - [wide / 2, high / 2]) @ turn.T + [width / 2, height / 2] + random.uniform(-0.04, 0.04, (4, 2)) * [width, height]
    motion = cv2.getPerspectiveTransform(corners, target.astype(np.float32))
    flat = cv2.warpPerspective(page.rgb, motion, (width, height), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    if not scanned:
        inside = cv2.warpPerspective(np.full((high, wide), 255, np.uint8), motion, (width, height))
        alpha = cv2.GaussianBlur(inside, (0, 0), 0.8).astype(np.float32)[..., None] / 255
        flat = flat * alpha + ground * (1 - alpha)
        light = cv2.resize(random.uniform(0.6, 1.05, (3, 3)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
        flat = flat * light[..., None] * random.uniform(0.88, 1.0, 3).astype(np.float32)
    if random.random() < 0.7:
        flat = cv2.GaussianBlur(flat, (0, 0), random.uniform(0.4, 1.1))
    noise = random.standard_normal((height, width, 3), np.float32)
    if random.random() < 0.6:
        noise = cv2.GaussianBlur(noise, (0, 0), random.uniform(0.4, 0.8)) * 2
    return Captured(to_uint8(flat + noise * random.uniform(0.4, 4)), page, motion)


def replace_words(captured: Captured, fonts: tuple[str, ...], random: np.random.Generator) -> Edited:
    """One to three words or parts of them replaced; the share covers what was painted over."""
    height, width = captured.rgb.shape[:2]
    after, share, how = captured.rgb.copy(), np.zeros((height, width), np.uint8), []
    shown = [one for one in captured.page.words if in_picture(corners_of(captured, one, one.text), width, height)]
    numbers = [one for one in shown if any(sign.isdigit() for sign in one.text)]
    for _ in range(int(random.choice([1, 2, 3], p=[0.6, 0.25, 0.15]))):
        offered = numbers if numbers and random.random() < 0.7 else shown
        if not offered:
            break
        one = offered[int(random.integers(len(offered)))]
        kind = str(random.choice(["typed", "copied", "erased"], p=[0.65, 0.27, 0.08]))
        source = shown[int(random.integers(len(shown)))]
        mask = copied(after, captured, one, source, random) if kind == "copied" else typed(after, captured, one, fonts, random, kind == "erased")
        share = np.maximum(share, mask)
        how.append(kind)
    return edited(captured.rgb, after, share, f"document: {', '.join(how)}")


def corners_of(captured: Captured, one: Word, text: str, before: str = "") -> np.ndarray:
    """[4,2] px in the picture: around `text`, which follows `before` in the word."""
    letters = font(one.font, one.size)
    left = one.left + letters.getlength(before)
    box = letters.getbbox(text)
    frame = [[left + box[0], one.top + box[1]], [left + box[2], one.top + box[1]], [left + box[2], one.top + box[3]], [left + box[0], one.top + box[3]]]
    return cv2.perspectiveTransform(np.array([frame], np.float64), captured.motion)[0]


def in_picture(corners: np.ndarray, width: int, height: int) -> bool:
    return bool(corners.min() > 4 and corners[:, 0].max() < width - 4 and corners[:, 1].max() < height - 4)


def typed(after: np.ndarray, captured: Captured, one: Word, fonts: tuple[str, ...], random: np.random.Generator, erased: bool) -> np.ndarray:
    """Paints over a part of the word and types something else there. Draws on `after`; returns the mask, uint8 0 or 255."""
    first, last = 0, len(one.text)
    if len(one.text) > 2 and random.random() < 0.5:
        first = int(random.integers(0, len(one.text) - 1))
        last = int(random.integers(first + 1, len(one.text) + 1))
    old, height, width = one.text[first:last], *after.shape[:2]
    corners = corners_of(captured, one, old, one.text[:first])
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 255)
    mask = cv2.dilate(mask, np.ones((3, 3), np.uint8), iterations=int(random.integers(1, 3)))
    left, top, wide, high = cv2.boundingRect(mask)
    rows, columns = slice(max(0, top - 12), top + high + 12), slice(max(0, left - 12), left + wide + 12)
    part, hole = after[rows, columns], mask[rows, columns]
    ink = np.percentile(part[hole > 0], 6, axis=0) + random.uniform(-18, 10, 3)
    if random.random() < 0.5:
        filled = cv2.inpaint(part, hole, 3, cv2.INPAINT_TELEA if random.random() < 0.7 else cv2.INPAINT_NS)
    else:  # one colour of paper
        ring = cv2.dilate(hole, np.ones((9, 9), np.uint8)) - hole
        filled = np.where(hole[..., None] > 0, np.percentile(part[ring > 0], 60, axis=0), part).astype(np.uint8)
    if random.random() < 0.4:
        noisy = to_uint8(filled + random.standard_normal(filled.shape, np.float32) * random.uniform(0.5, 3))
        filled = np.where(hole[..., None] > 0, noisy, part)
    after[rows, columns] = filled
    if erased:
        return mask
    new = "".join(str(random.integers(10)) if sign.isdigit() else sign for sign in old) if any(sign.isdigit() for sign in old) else word(random)[: max(1, len(old))]
    name = one.font if random.random() < 0.6 else fonts[int(random.integers(len(fonts)))]
    letters = font(name, max(8, one.size + int(random.integers(-1, 2))))
    sheet = Image.new("L", captured.page.rgb.shape[1::-1], 0)
    ImageDraw.Draw(sheet).text((one.left + font(one.font, one.size).getlength(one.text[:first]), one.top + random.normal(0, 0.5)), new, 255, letters)
    cover = cv2.warpPerspective(np.asarray(sheet), captured.motion, (width, height), flags=cv2.INTER_LINEAR)
    if random.random() < 0.6:
        cover = cv2.GaussianBlur(cover, (0, 0), random.uniform(0.3, 0.9))
    alpha = cover.astype(np.float32)[..., None] / 255 * random.uniform(0.8, 1)
    after[:] = to_uint8(after * (1 - alpha) + np.clip(ink, 0, 255) * alpha)
    return np.maximum(mask, cv2.dilate((cover > 20).astype(np.uint8) * 255, np.ones((3, 3), np.uint8)))


def copied(after: np.ndarray, captured: Captured, one: Word, source: Word, random: np.random.Generator) -> np.ndarray:
    """Another word of the picture pasted over this one. Draws on `after`; returns the mask."""
    boxes = []
    for item in (one, source):
        corners = corners_of(captured, item, item.text)
        boxes.append([*np.floor(corners.min(0)).astype(int), *np.ceil(corners.max(0)).astype(int)])
    (left, top, right, bottom), (x, y, x_end, y_end) = boxes
    patch = captured.rgb[max(0, y - 1) : y_end + 1, max(0, x - 1) : x_end + 1]
    factor = (bottom - top + 2) / patch.shape[0]
    if 0.9 < factor < 1.1:
        factor = 1
    patch = cv2.resize(patch, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC) if factor != 1 else patch
    patch = patch[: after.shape[0] - top, : min(after.shape[1] - left, max(right - left, int(patch.shape[1] * random.uniform(0.6, 1))))]
    mask = np.zeros(after.shape[:2], np.uint8)
    mask[top : top + patch.shape[0], left : left + patch.shape[1]] = 255
    after[top : top + patch.shape[0], left : left + patch.shape[1]] = patch
    return mask
