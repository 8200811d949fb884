"""Receipts, letters, labels and bills that we draw ourselves, then photograph, scan or export, and in which words and numbers are replaced.

A page records the position of every word; `capture` photographs it, and `replace_words` edits the photograph as people do: the word
is painted over and retyped, or copied from elsewhere on the page. `replace_found_words` does the same in a real document.
Anything genuine pages may have (a different font in filled-in fields, stamps, handwriting, printed pictures) is there before the capture.
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
    top: float  # in the line, as the drawing library counts
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
    found = [] if folder is None else sorted(str(path) for path in folder.rglob("*.[ot]tf"))
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
    mark_page(picture, fonts, random)
    if kind == "label" and random.random() < 0.7:
        bars = np.cumsum(random.integers(1, 5, 60)) * max(1, width // 220) + edge
        for first, last in zip(bars[::2], bars[1::2]):
            if last < width - edge:
                draw.rectangle((int(first), height - edge - 3 * line, int(last), height - edge), ink)
    return Page(np.asarray(picture), words, ink)


def mark_page(picture: Image.Image, fonts: tuple[str, ...], random: np.random.Generator) -> None:
    """Draws on `picture` what genuine pages have besides their text, each with some probability."""
    width, height = picture.size
    draw = ImageDraw.Draw(picture)

    def colour() -> tuple[int, ...]:
        return tuple(int(one) for one in random.integers(0, 190, 3))

    def somewhere() -> tuple[int, int]:
        return int(random.integers(int(width * 0.85))), int(random.integers(int(height * 0.9)))

    for _ in range(int(random.choice(4, p=[0.45, 0.25, 0.2, 0.1]))):  # fields filled in on a different machine
        name, size = fonts[int(random.integers(len(fonts)))], int(random.integers(11, 36))
        draw.text(somewhere(), number(random) if random.random() < 0.5 else word(random), colour(), font(name, size))
    if random.random() < 0.25:  # a stamp
        size = int(random.integers(14, 30))
        sheet = Image.new("L", (size * 10, size * 3), 0)
        ImageDraw.Draw(sheet).rectangle((2, 2, size * 10 - 3, size * 3 - 3), outline=255, width=2)
        ImageDraw.Draw(sheet).text((size, size // 2), word(random).upper(), 255, font(fonts[int(random.integers(len(fonts)))], size))
        sheet = sheet.rotate(float(random.uniform(-25, 25)), expand=True, resample=Image.Resampling.BILINEAR)
        picture.paste(Image.new("RGB", sheet.size, colour()), somewhere(), sheet.point([int(one * 0.75) for one in range(256)]))
    for _ in range(int(random.integers(0, 3)) if random.random() < 0.35 else 0):  # handwriting
        x, y = somewhere()
        path = np.cumsum(random.normal([4, 0], [4, 7], (int(random.integers(8, 40)), 2)), axis=0) + [x, y]
        draw.line([tuple(point) for point in path], colour(), int(random.integers(1, 4)), joint="curve")
    if random.random() < 0.3:  # a logo or a printed picture
        side = int(random.integers(30, max(31, width // 4)))
        patch = cv2.resize(random.integers(0, 255, (int(random.integers(2, 9)), int(random.integers(2, 9)), 3)).astype(np.uint8), (side, side), interpolation=int(random.integers(0, 3)))
        picture.paste(Image.fromarray(patch), somewhere())
    if random.random() < 0.3:  # lines and tinted rows of a form
        for y in random.integers(0, height, int(random.integers(1, 9))):
            draw.line((0, int(y), width, int(y)), colour(), int(random.integers(1, 3)))


def exported(page: Page, size: tuple[int, int]) -> Captured:
    """The page as a program exports it, without a camera or scanner; cropped or extended to height and width `size`."""
    high, wide = (min(one, other) for one, other in zip(page.rgb.shape[:2], size, strict=True))
    rgb = np.full((*size, 3), page.rgb[0, 0], np.uint8)
    rgb[:high, :wide] = page.rgb[:high, :wide]
    return Captured(rgb, page, np.eye(3))


def capture(page: Page, ground: np.ndarray, random: np.random.Generator) -> Captured:
    """@param ground uint8 [H,W,3], what the page lies on; it sets the size of the picture"""
    height, width = ground.shape[:2]
    high, wide = page.rgb.shape[:2]
    if random.random() < 0.15:
        return exported(page, (height, width))
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
    """Replaces one to three words or parts of them; the share covers what was painted over."""
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
    """Paints over part of the word and types something else there. Draws on `after`; returns the mask, uint8 0 or 255."""
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
    after[rows, columns] = filled_paper(part, hole, random)
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
    """Pastes another word of the picture over this one. Draws on `after`; returns the mask."""
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


def find_words(rgb: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Left, top, width and height in px of what look like dark words on a lighter ground."""
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    dark = (cv2.GaussianBlur(grey, (0, 0), 12).astype(np.int16) - grey > 25).astype(np.uint8)
    joined = cv2.morphologyEx(dark, cv2.MORPH_CLOSE, np.ones((1, 7), np.uint8))
    _, _, found, _ = cv2.connectedComponentsWithStats(joined)
    height, width = grey.shape
    words = []
    for left, top, wide, high, area in found[1:]:
        inside = left > 3 and top > 3 and left + wide < width - 3 and top + high < height - 3
        if inside and 8 <= high <= 60 and 0.4 * high <= wide <= 14 * high and area > 0.2 * wide * high:
            words.append((int(left), int(top), int(wide), int(high)))
    return words


def replace_found_words(rgb: np.ndarray, fonts: tuple[str, ...], random: np.random.Generator) -> Edited | None:
    """Retypes, swaps for others of its words or letters, or erases one to three words of a real document; None if it has few words."""
    words = find_words(rgb)
    if len(words) < 12:
        return None
    after, share, how = rgb.copy(), np.zeros(rgb.shape[:2], np.uint8), []
    for _ in range(int(random.choice([1, 2, 3], p=[0.6, 0.25, 0.15]))):
        left, top, wide, high = words[int(random.integers(len(words)))]
        kind = str(random.choice(["typed", "copied", "copied letter", "erased"], p=[0.62, 0.2, 0.1, 0.08]))
        if kind == "typed" and wide > 2 * high and random.random() < 0.5:  # a part of it
            part = int(wide * random.uniform(0.3, 0.8))
            left, wide = left + (wide - part if random.random() < 0.7 else 0), part
        alike = [one for one in words if 0.85 < one[3] / high < 1.18 and one[:2] != (left, top)]
        place = None
        if kind == "copied":
            place = swapped(rgb, after, (left, top, wide, high), alike, random)
        elif kind == "copied letter":
            letters = [letter for one in alike[:: max(1, len(alike) // 12)] for letter in letters_of(rgb, one)]
            own = letters_of(rgb, (left, top, wide, high))
            if own and letters:
                place = exchanged(rgb, after, own[int(random.integers(len(own)))], letters, random)
        else:
            place = retyped(after, (left, top, wide, high), fonts, random, kind == "erased")
        if place is not None:
            share = np.maximum(share, place)
            how.append(kind)
    return blended(rgb, after, share, f"document: {', '.join(how)}") if how else None


def blended(host: np.ndarray, after: np.ndarray, share: np.ndarray, how: str) -> Edited:
    """What `edited` returns, computed only around the change."""
    left, top, wide, high = cv2.boundingRect(share)
    part, rgb = (slice(top, top + high), slice(left, left + wide)), host.copy()
    rgb[part] = edited(host[part], after[part], share[part], how).rgb
    return Edited(rgb, share, np.zeros_like(share), how)


def swapped(rgb: np.ndarray, after: np.ndarray, box: tuple[int, int, int, int], alike: list, random: np.random.Generator) -> np.ndarray | None:
    """Pastes one of the words `alike` over the word in `box`. Draws on `after`; returns the mask."""
    if not alike:
        return None
    left, top, _, high = box
    x, y, source_wide, source_high = alike[int(random.integers(len(alike)))]
    edge = int(random.integers(1, 4))
    patch = rgb[max(0, y - edge) : y + source_high + edge, max(0, x - edge) : x + source_wide + edge]
    bottom = min(rgb.shape[0], top + high + edge)
    first = max(0, bottom - patch.shape[0])
    patch = patch[: bottom - first, : rgb.shape[1] - max(0, left - edge)]
    place = np.zeros(rgb.shape[:2], np.uint8)
    columns = slice(max(0, left - edge), max(0, left - edge) + patch.shape[1])
    after[first : first + patch.shape[0], columns] = patch
    place[first : first + patch.shape[0], columns] = 255
    return place


def letters_of(rgb: np.ndarray, box: tuple[int, int, int, int]) -> list[tuple[int, int, int, int]]:
    """Left, top, width and height of the dark shapes in a word that are as high as most of it."""
    left, top, wide, high = box
    grey = cv2.cvtColor(rgb[top : top + high, left : left + wide], cv2.COLOR_RGB2GRAY)
    _, dark = cv2.threshold(grey, 0, 1, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    _, _, found, _ = cv2.connectedComponentsWithStats(dark)
    return [(left + int(x), top + int(y), int(w), int(h)) for x, y, w, h, _ in found[1:] if h > 0.6 * high and 0.15 * high < w < 1.2 * high]


def exchanged(rgb: np.ndarray, after: np.ndarray, letter: tuple[int, int, int, int], letters: list, random: np.random.Generator) -> np.ndarray | None:
    """Pastes another letter of the same size over `letter`, as who changes an amount does. Draws on `after`; returns the mask."""
    left, top, wide, high = letter
    alike = [one for one in letters if abs(one[3] - high) <= 1 + high // 20 and abs(one[2] - wide) <= 1 + wide // 4 and one[:2] != (left, top)]
    if not alike:
        return None
    x, y, source_wide, source_high = alike[int(random.integers(len(alike)))]
    height, width = rgb.shape[:2]
    edge = 1 if random.random() < 0.5 else 2
    place = np.zeros((height, width), np.uint8)
    place[max(0, top - edge) : top + high + edge, max(0, left - edge) : left + wide + edge] = 255
    around = (slice(max(0, top - 12), top + high + 12), slice(max(0, left - 12), left + wide + 12))
    after[around] = filled_paper(after[around], place[around], random)
    patch = rgb[max(0, y - edge) : y + source_high + edge, max(0, x - edge) : x + source_wide + edge]
    first, start = max(0, top + high + edge - patch.shape[0]), max(0, left + (wide - patch.shape[1]) // 2)
    patch = patch[: height - first, : width - start]
    after[first : first + patch.shape[0], start : start + patch.shape[1]] = patch
    place[first : first + patch.shape[0], start : start + patch.shape[1]] = 255
    return place


def retyped(after: np.ndarray, box: tuple[int, int, int, int], fonts: tuple[str, ...], random: np.random.Generator, erased: bool) -> np.ndarray:
    """Paints over the word in `box` and types another one. Draws on `after`; returns the mask, uint8 0 or 255."""
    left, top, wide, high = box
    height, width = after.shape[:2]
    across, down = 8 * high + 40, high + 40  # what may be touched around the word
    part = (slice(max(0, top - down), min(height, top + high + down)), slice(max(0, left - across), min(width, left + wide + across)))
    mask = np.zeros((height, width), np.uint8)
    mask[part] = typed_over(after[part], (left - part[1].start, top - part[0].start, wide, high), fonts, random, erased)
    return mask


def typed_over(after: np.ndarray, box: tuple[int, int, int, int], fonts: tuple[str, ...], random: np.random.Generator, erased: bool) -> np.ndarray:
    """`retyped` for the part of a page around the word."""
    left, top, wide, high = box
    mask = np.zeros(after.shape[:2], np.uint8)
    edge = int(random.integers(1, 4))
    mask[max(0, top - edge) : top + high + edge, max(0, left - edge) : left + wide + edge] = 255
    around = (slice(max(0, top - 12), top + high + 12), slice(max(0, left - 12), left + wide + 12))
    part, hole, line = after[around], mask[around], line_of(after, box)
    ink = np.percentile(part[hole > 0], 6, axis=0) + random.uniform(-18, 10, 3)
    after[around] = filled_paper(part, hole, random)
    if erased:
        return mask
    text, is_number = (number(random), True) if random.random() < 0.65 else (word(random), False)
    name = fonts[int(random.integers(len(fonts)))]
    tall, baseline = line
    reference = font(name, 64).getbbox("H0", anchor="ls")
    letters = font(name, max(7, round(64 * tall / -reference[1])))
    while len(text) > 1 and letters.getlength(text) > wide + high * random.uniform(0, 2):
        text = text[1:]
    keeps_right = is_number and random.random() < 0.7  # as amounts do, which stand below each other
    at = (left + wide + random.uniform(-0.5, 0.5) if keeps_right else left + random.normal(0, 0.7), baseline + misplaced(random))
    sheet = Image.new("L", after.shape[1::-1], 0)
    ImageDraw.Draw(sheet).text(at, text, 255, letters, anchor="rs" if keeps_right else "ls")
    cover = np.asarray(sheet)
    if random.random() < 0.7:
        cover = cv2.GaussianBlur(cover, (0, 0), random.uniform(0.3, 1.1))
    alpha = cover.astype(np.float32)[..., None] / 255 * random.uniform(0.8, 1)
    after[:] = to_uint8(after * (1 - alpha) + np.clip(ink, 0, 255) * alpha)
    return np.maximum(mask, cv2.dilate((cover > 20).astype(np.uint8) * 255, np.ones((3, 3), np.uint8)))


def line_of(rgb: np.ndarray, box: tuple[int, int, int, int]) -> tuple[float, float]:
    """Height in px of the tall letters of the word in `box` and its neighbours in the row, and the line that the word stands on."""
    _, top, _, high = box
    own = letters_of(rgb, box)
    lower = np.array([y + h for _, y, _, h in own] or [top + high])
    near = np.abs(lower[:, None] - lower) <= 0.08 * high
    highest = lower[near.mean(1) >= 1 / 3].min(initial=top + high)  # letters such as g end lower
    baseline = float(np.median(lower[np.abs(lower - highest) <= 0.08 * high])) if own else float(highest)
    row = [one for one in find_words(rgb) if abs(one[1] + one[3] - top - high) < 0.4 * high and one[3] < 1.5 * high]
    heights = [h for one in row for _, y, _, h in letters_of(rgb, one) if abs(y + h - baseline) < 0.12 * high]
    heights += [h for _, y, _, h in own if abs(y + h - baseline) < 0.12 * high]
    return (float(np.percentile(heights, 85)) if heights else float(high)), baseline


def misplaced(random: np.random.Generator) -> float:
    """How far from its line, in px, new text stands: exactly on it, at whole pixels, or wherever a text box lies."""
    how = random.random()
    return 0.0 if how < 0.3 else float(random.integers(-1, 2)) if how < 0.65 else float(random.normal(0, 0.5))


def filled_paper(part: np.ndarray, hole: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """`part` uint8 [H,W,3] with blank paper where `hole` is not 0: inpainted or in one colour, sometimes with noise."""
    if random.random() < 0.5:
        filled = cv2.inpaint(part, hole, 3, cv2.INPAINT_TELEA if random.random() < 0.7 else cv2.INPAINT_NS)
    else:
        ring = cv2.dilate(hole, np.ones((9, 9), np.uint8)) - hole
        filled = np.where(hole[..., None] > 0, np.percentile(part[ring > 0], 60, axis=0), part).astype(np.uint8)
    if random.random() >= 0.4:
        return filled
    noisy = to_uint8(filled + random.standard_normal(filled.shape, np.float32) * random.uniform(0.5, 3))
    return np.where(hole[..., None] > 0, noisy, part)
