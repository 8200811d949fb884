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

-- Small pictures for lists, as JPEG files.
CREATE TABLE thumbnails (
  analysis_id TEXT PRIMARY KEY,
  jpeg BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX analyses_by_project ON analyses (tenant_id, project_id, created_at DESC, id) WHERE project_id IS NOT NULL;
