#!/usr/bin/env bash
# The tests of the training code, in a virtual environment that it makes itself. The last line is `N passed, N failed`.
set -euo pipefail
cd "$(dirname "$0")"

if ! cmp -s requirements.txt .venv/requirements.txt; then
  python3 -m venv --clear .venv
  install=(.venv/bin/python -m pip install --quiet --disable-pip-version-check)
  # The CPU build, where the registry has it: the plain one brings libraries for graphics processors, several GB.
  torch=$(sed -n 's/^torch==//p' requirements.txt)
  "${install[@]}" --retries 0 "torch==$torch+cpu" 2>/dev/null || echo "No CPU build of torch $torch here; taking the plain one."
  "${install[@]}" --requirement requirements.txt
  # Last: an installation that was interrupted begins anew.
  cp requirements.txt .venv/
fi

status=0
.venv/bin/python -m pytest -q --color=no 2>&1 | tee .venv/output || status=$?
# 3 failed, 249 passed, 1 error in 60.11s
tail -n 1 .venv/output | awk '
  { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) passed = $(i - 1); if ($i ~ /^(failed|errors?)/) failed += $(i - 1) } }
  END { printf "%d passed, %d failed\n", passed, failed }' | tee -a "${TEST_COUNTS:-/dev/null}"
exit "$status"
