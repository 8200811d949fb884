ALTER TABLE analyses ADD COLUMN input_etag TEXT;
ALTER TABLE analyses ADD COLUMN input_replaced_at INTEGER;
CREATE INDEX analyses_by_deletion ON analyses (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE legal_holds (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  analysis_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, analysis_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE loose_objects (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  storage_config_id TEXT REFERENCES storage_configs (id),
  key TEXT NOT NULL,
  sweep_at INTEGER NOT NULL
) STRICT;
CREATE INDEX loose_objects_by_key ON loose_objects (key);
