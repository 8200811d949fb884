#!/usr/bin/env bash
# Trains the detector from the source lists to a model folder: ./train-detector.sh DATA MIRROR OUT VERSION [NAME]
# DATA holds manifest.csv and whole-pictures.csv, MIRROR copies of the repositories, OUT becomes the model folder. Interrupted, it resumes.
set -euo pipefail
data=$(realpath "$1") mirror=$(realpath "$2") out=$(realpath -m "$3") version=$4 name=${5:-lite2}
cd "$(dirname "$0")"
PATH=$PWD/.venv/bin:$PATH
run=.work/runs/$name

# Readings that are older than the checkpoint are made again.
read_part() {
  [ "$run/$1.pkl" -nt "$run/checkpoint.pt" ] && return
  detector-read --exported "$out" --mirror "$mirror" --out "$run/$1.part" "${@:2}"
  mv "$run/$1.part" "$run/$1.pkl"
}

collect-pictures --data "$data" --mirror "$mirror"
detector-train --name "$name" --backbone lite2 --steps 2000 --side 176
detector-export --run "$name" --out "$out"
read_part calibration --part calibration --whole 3 --crops 3 --ruined
read_part train --part train --whole 0 --crops 1
read_part val --part val --whole 3
detector-calibrate --run "$name" --calibration "$run/calibration.pkl" --train "$run/train.pkl" --val "$run/val.pkl" --version "$version" --out "$out"
