-- The number of analyses of a tenant that are not deleted. Every list shows it, and counting a million rows that are not in
-- memory takes seconds.
CREATE TABLE analysis_counts (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  counted INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO analysis_counts
  SELECT tenant_id, count(*) FROM analyses WHERE deleted_at IS NULL GROUP BY tenant_id;
CREATE TRIGGER analysis_counted AFTER INSERT ON analyses WHEN NEW.deleted_at IS NULL BEGIN
  INSERT INTO analysis_counts VALUES (NEW.tenant_id, 1) ON CONFLICT DO UPDATE SET counted = counted + 1;
END;
CREATE TRIGGER analysis_uncounted AFTER DELETE ON analyses WHEN OLD.deleted_at IS NULL BEGIN
  UPDATE analysis_counts SET counted = counted - 1 WHERE tenant_id = OLD.tenant_id;
END;
CREATE TRIGGER analysis_recounted AFTER UPDATE OF deleted_at ON analyses
WHEN (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) BEGIN
  UPDATE analysis_counts SET counted = counted + iif(NEW.deleted_at IS NULL, 1, -1) WHERE tenant_id = NEW.tenant_id;
END;
