#!/usr/bin/env bash
# Runs the tests of the training code. The last line is `N passed, N failed`; it is appended to $TEST_COUNTS too.
# The environment is built from pyproject.toml once and cached outside the checkout, so that every checkout on this machine shares it.
# So is the result of a whole run that passed: the same committed files in the same environment are not tested twice.
# Arguments go to pytest: ./run-tests.sh tests/locator
set -euo pipefail
cd "$(dirname "$0")"

# A key that changes with the interpreter and the pinned requirements, then the requirements, all on one line.
read -r key requirements < <(python3 - <<'END'
import hashlib, sys, tomllib

project = tomllib.load(open("pyproject.toml", "rb"))["project"]
requirements = [*project["dependencies"], *project["optional-dependencies"]["test"]]
print(hashlib.sha256("\n".join([sys.version, sys.base_prefix, *requirements]).encode()).hexdigest()[:16], *requirements)
END
)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/forensics-training
environment=$cache/$key
python=$environment/bin/python

# Everything the tests read is in this folder. Empty if anything is not committed.
tested=
if (($# == 0)) && [ -z "$(git status --porcelain -- . 2>/dev/null || echo none)" ]; then
  tested=$cache/passed-$key-$(git rev-parse "HEAD:models/training")
fi
if [ -n "$tested" ] && [ -e "$tested" ]; then
  echo "Nothing in models/training changed since these tests passed on this machine."
  tee -a "${TEST_COUNTS:-/dev/null}" <"$tested"
  exit 0
fi

if [ ! -e "$environment" ]; then
  # Built under another name and renamed when complete, so that an interrupted installation never looks finished.
  unfinished=$environment.$$
  mkdir -p "$(dirname "$environment")"
  trap 'rm -rf "$unfinished"' EXIT
  python3 -m venv --clear "$unfinished"
  install=("$unfinished/bin/python" -m pip install --quiet --disable-pip-version-check)
  # The CPU build if the index has one: the plain build brings several GB of GPU libraries.
  torch=$(tr ' ' '\n' <<<"$requirements" | grep '^torch==')
  "${install[@]}" --retries 0 "$torch+cpu" 2>/dev/null || echo "The index has no CPU build of $torch; installing the plain one."
  "${install[@]}" $requirements
  # Another run may have finished first.
  [ -e "$environment" ] || mv "$unfinished" "$environment"
fi

status=0
output=$(mktemp)
trap 'rm -rf "$output" "$output.count" "${unfinished:-}"' EXIT
"$python" -m pytest -q --color=no -p no:cacheprovider "$@" 2>&1 | tee "$output" || status=$?
# 3 failed, 249 passed, 1 error in 60.11s
tail -n 1 "$output" | awk '
  { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) passed = $(i - 1); if ($i ~ /^(failed|errors?)/) failed += $(i - 1) } }
  END { printf "%d passed, %d failed\n", passed, failed }' >"$output.count"
tee -a "${TEST_COUNTS:-/dev/null}" <"$output.count"
if [ -n "$tested" ] && [ "$status" = 0 ]; then cp "$output.count" "$tested"; fi
exit "$status"
