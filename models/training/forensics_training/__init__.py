"""Training of the two networks: the detector (generated or photographed?) and the locator (where was it changed?)."""

from pathlib import Path

TRAINING = Path(__file__).resolve().parent.parent  # the folder of pyproject.toml
WORK = TRAINING / ".work"  # caches, runs and intermediate models; ignored by git
SOURCES = TRAINING / "sources" / "sources.csv"
