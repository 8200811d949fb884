"""What a cache was made from, kept beside it, so that it is made anew when that changed.

Seed, counts and settings stand as they are; code, pictures and weights as hashes.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from forensics_training import TRAINING
from forensics_training.data.crops import Pictures


Fingerprint = dict[str, str | int]


def fingerprint(pictures: Pictures, code: Sequence[str], **settings: str | int) -> Fingerprint:
    """@param code the modules of this folder that say what the numbers will be
    @param settings whatever else does: seed, counts, hashes of weights"""
    listed = json.dumps([asdict(item) for item in pictures.items])
    return {"code": code_hash(code), "pictures": hashed(listed.encode()), **settings}


def code_hash(names: Sequence[str]) -> str:
    """Of what the modules do: neither comments nor doc strings nor formatting count."""
    return hashed(*(bare((TRAINING / "forensics_training" / f"{name}.py").read_text()).encode() for name in names))


def bare(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree)


def hashed(*parts: bytes) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
    return total.hexdigest()


def keep(path: Path, made_from: Fingerprint, make: Callable[[Path], None]) -> None:
    """Has `path` made unless it is there and was made from the same. Says what changed where it is made anew.

    @param make writes the file at the path it is given, which then takes its place in one step
    """
    name, note = f"{path.parent.name}/{path.name}", path.with_suffix(".made-from.json")
    if path.exists():
        before = json.loads(note.read_text()) if note.exists() else {}
        changed = sorted(key for key in made_from.keys() | before.keys() if made_from.get(key) != before.get(key))
        if not changed:
            return
        why = f"changed: {', '.join(changed)}" if before else "nothing says what it was made from"
        print(f"{name} is made anew ({why})", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    note.unlink(missing_ok=True)  # first: a run that is cut off must not leave new numbers beside an old note
    unfinished = path.with_name(f"unfinished-{path.name}")
    make(unfinished)
    unfinished.rename(path)
    note.write_text(json.dumps(made_from, indent=1) + "\n")
    print(name, flush=True)
