-- What examined pictures are recognised by: see src/service/analyses/seen-before.ts.
CREATE TABLE fingerprints (
  id INTEGER PRIMARY KEY,
  analysis_id TEXT NOT NULL UNIQUE,
  packed BLOB NOT NULL
) STRICT;

CREATE TABLE fingerprint_keys (
  key INTEGER NOT NULL,
  fingerprint INTEGER NOT NULL,
  PRIMARY KEY (key, fingerprint)
) STRICT, WITHOUT ROWID;

ALTER TABLE tenants ADD COLUMN seen_before INTEGER NOT NULL DEFAULT 1;
