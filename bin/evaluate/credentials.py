"""Prints what c2pa-python finds in each file: its validation state and the codes of the active manifest, a line of JSON."""

import json
import sys

from c2pa import C2paError, Reader

for path in sys.argv[1:]:
    try:
        with open(path, "rb") as file:
            store = json.loads(Reader("image/jpeg", file).json())
    except C2paError.ManifestNotFound:
        print(json.dumps({"state": "none", "codes": []}))
        continue
    results = store["validation_results"]["activeManifest"]
    codes = sorted({entry["code"] for entries in results.values() for entry in entries})
    print(json.dumps({"state": store["validation_state"], "codes": codes}))
