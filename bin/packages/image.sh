#!/usr/bin/env bash
# The image of the manual's Containerfile, without a container service: `bin/packages/image.sh FOLDER`, which contains the
# Debian package. Its base is made from Debian packages. Prints the size of the image, named `forensics` in `buildah`.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(realpath "$1")

base=$(mktemp)
trap 'rm "$base"' EXIT
mmdebstrap --quiet --format=tar --variant=essential --include=libstdc++6,passwd,usr-is-merged \
  --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/man/*' bookworm "$base"
container=$(buildah from scratch)
buildah add --quiet "$container" "$base" / >/dev/null
buildah commit --quiet --rm "$container" debian:bookworm-slim >/dev/null

sed -n '/^```dockerfile container$/,/^```$/{/^```/!p}' "$root/src/manual/deployment.md" |
  buildah bud --isolation chroot --pull-never --format docker --tag forensics --file - "$folder" >&2
buildah images --json forensics
