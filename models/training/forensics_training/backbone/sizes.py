"""Counts how common the sizes of generators are: `backbone-sizes --data DATA --model ../trace-3 --version VERSION`.

A generator writes its pictures in a few fixed sizes, which re-saving and messengers keep up to about 1,600 px; scaling keeps at least
their proportions. Most of these sizes come from no camera, no screen and no web template. A picture of such a size is more likely to be
generated, by at least the ratio stated here. Cropping removes this evidence, and anybody can give a photograph such a size, so the
ratios are below what the counts support.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from scipy.stats import beta

from forensics_training import SOURCES
from forensics_training.data.collect import read
from forensics_training.data.pictures import Item
from forensics_training.detector.calibrate import write_json

Size = tuple[int, int]  # longer and shorter side in pixels; pictures may be upright or not

GENERATORS: dict[str, tuple[Size, ...]] = {
    # Gemini API, "Image generation": sizes of Gemini 2.5 Flash Image, and of Gemini 3 Pro Image at 1K, 2K and 4K.
    "gemini-2.5": ((1248, 832), (1184, 864), (1152, 896), (1344, 768), (1536, 672)),
    "gemini-3": ((1264, 848), (1200, 896), (1152, 928), (1376, 768), (1584, 672)),
    "gemini-3 2K": ((2528, 1696), (2400, 1792), (2304, 1856), (2752, 1536), (3168, 1344)),
    "gemini-3 4K": ((5056, 3392), (4800, 3584), (4608, 3712), (5504, 3072), (6336, 2688)),
    # Vertex AI, "Imagen": 1K and 2K.
    "imagen": ((1408, 768), (1280, 896), (2816, 1536), (2560, 1792)),
    # OpenAI API, DALL-E 3; GPT-Image 2 as signed files have it.
    "openai": ((1792, 1024), (1672, 941), (1402, 1122), (1254, 1254), (1448, 1086), (1537, 1023)),
    # Podell et al., "SDXL", arXiv 2307.01952, appendix I.
    "sdxl": ((1152, 896), (1216, 832), (1344, 768), (1536, 640)),
    # As files have it that name the program.
    "midjourney": ((1456, 816), (1232, 928), (1344, 896)),
    "ideogram": ((1280, 704), (1312, 736), (1248, 832)),
}
# Sizes of whose proportions photographs have hardly any, unlike 3:2, 4:3 and 16:9.
RARE_PROPORTIONS = frozenset({(1408, 768), (1376, 768), (1456, 816), (1584, 672), (1280, 896), (1216, 832)})
# Below this, rounding leaves too little of the proportions.
LEAST_SIDE = 256


@dataclass(frozen=True)
class Group:
    ratio: float  # how many times as probable such a picture counts in a generated picture as in a photograph
    sizes: frozenset[Size]
    scaled: bool = False  # the proportions of such a size are enough

    def holds(self, size: Size) -> bool:
        return size in self.sizes or (self.scaled and size[1] >= LEAST_SIDE and any(is_scaled(size, one) for one in self.sizes))


def is_scaled(size: Size, original: Size) -> bool:
    """Whether one side follows from the other to half a pixel."""
    share = original[0] / original[1]
    return abs(size[0] - size[1] * share) <= 0.5 or abs(size[1] - size[0] / share) <= 0.5


def listed(data: Path) -> Iterable[tuple[str, bool, str, Size]]:
    """Every picture of the lists once: source, whether it is generated, part, size."""
    seen = set()
    for path in (SOURCES, data / "whole-pictures.csv", data / "manifest.csv"):
        for row in read(path):
            width, height = (row.get(name) or row.get(f"original_{name}") or 0 for name in ("width", "height"))
            size = int(width), int(height)
            source = row.get("repo") or row["source"]
            if row["label"] == "neither" or row["blob_sha"] in seen or 0 in size:
                continue
            seen.add(row["blob_sha"])
            generator = row.get("generator_or_kind") or row["generator"]
            part = Item(row["blob_sha"], row["split"], row["label"], source, generator).part
            yield source.lower(), row["label"] != "real", part, (max(size), min(size))


def count(pictures: Iterable[tuple[str, bool, str, Size]], group: Group) -> dict[str, dict[str, int]]:
    """How many sources have at least one such picture, and how many there are."""
    found: dict[str, set[str]] = {"generated": set(), "photographs": set()}
    every: dict[str, set[str]] = {"generated": set(), "photographs": set()}
    for source, fake, _, size in pictures:
        name = "generated" if fake else "photographs"
        every[name].add(source)
        if group.holds(size):
            found[name].add(source)
    return {name: {"found": len(found[name]), "of": len(every[name])} for name in every}


def bound(counted: dict[str, dict[str, int]]) -> float:
    """The ratio that the 95 % bounds (Clopper and Pearson) of both shares support."""
    (generated, of), (photographs, among) = (counted[name].values() for name in ("generated", "photographs"))
    return beta.ppf(0.025, generated, of - generated + 1) / beta.ppf(0.975, photographs + 1, among - photographs) if generated else 0.0


def supported(pictures: list[tuple[str, bool, str, Size]], ratio: float) -> frozenset[Size]:
    """Sizes whose shares of sources support the ratio; photographs may have them too."""
    sizes = {size for _, fake, _, size in pictures if fake}
    return frozenset(size for size in sizes if bound(count(pictures, Group(ratio, frozenset({size})))) >= ratio)


def judge(readings: list[Path], groups: list[Group]) -> None:
    """How many pictures, as they are, each group applies to first, and how many of these are called fake."""
    for label in ("ai-generated", "real"):
        seen, fake = Counter(), Counter()
        for row in (row for path in readings for row in read(path) if (row["condition"], row["label"]) == ("as is", label)):
            size = tuple(sorted((int(row["width"]), int(row["height"])), reverse=True))
            ratio = next((group.ratio for group in groups if group.holds(size)), 1)
            seen[ratio] += 1
            fake[ratio] += row["default"] == "fake"
        print(f"{label}, by ratio: {dict(seen)}, called fake: {dict(fake)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--readings", type=Path, nargs="*", default=[], help="by evaluate: called fake by size")
    parser.add_argument("--version", help="writes the model as this version")
    given = parser.parse_args()
    pictures = list(listed(given.data))
    own = [one for one in pictures if one[2] != "val"]
    documented = frozenset(size for sizes in GENERATORS.values() for size in sizes)
    # The first that holds counts.
    used = [Group(5, documented), Group(3, RARE_PROPORTIONS, scaled=True), Group(3, supported(own, 3) - documented)]
    groups = []
    for group in used:
        counted = count(own, group)
        sizes = [f"{longer}x{shorter}" for longer, shorter in sorted(group.sizes)]
        groups.append({"ratio": group.ratio, **({"leastSide": LEAST_SIDE} if group.scaled else {}), "sources": counted, "sizes": sizes})
        print(f"{groups[-1]}\nsupports {bound(counted):.1f}; val {count((one for one in pictures if one[2] == 'val'), group)}")
    judge(given.readings, used)
    if given.version:
        path = given.model / "manifest.json"
        manifest = json.loads(path.read_text())
        manifest |= {"version": given.version, "created": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "generatorSizes": groups}
        write_json(path, manifest)


if __name__ == "__main__":
    main()
