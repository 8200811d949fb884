-- PostgreSQL joined at this step. What it needs beyond the tables that both engines share:

-- The order of insertion, which SQLite keeps by itself.
ALTER TABLE jobs ADD COLUMN rowid BIGINT GENERATED ALWAYS AS IDENTITY;

CREATE UNLOGGED TABLE request_counts (
  who TEXT PRIMARY KEY,
  begun_at INTEGER NOT NULL,
  requests INTEGER NOT NULL
);

-- The query builder writes null where SQLite assigns the next number.
CREATE SEQUENCE webhook_deliveries_seq OWNED BY webhook_deliveries.seq;
CREATE FUNCTION number_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.seq := coalesce(NEW.seq, nextval('webhook_deliveries_seq')); RETURN NEW; END $$;
CREATE TRIGGER webhook_deliveries_numbered BEFORE INSERT ON webhook_deliveries
  FOR EACH ROW EXECUTE FUNCTION number_delivery();
CREATE SEQUENCE loose_objects_seq OWNED BY loose_objects.id;
CREATE FUNCTION number_object() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.id := coalesce(NEW.id, nextval('loose_objects_seq')); RETURN NEW; END $$;
CREATE TRIGGER loose_objects_numbered BEFORE INSERT ON loose_objects
  FOR EACH ROW EXECUTE FUNCTION number_object();

-- Search: any part of the name or comment of a tenant's analyses, or the name of the user who changed them last.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE INDEX analyses_by_words ON analyses
  USING gin (tenant_id, name_folded gin_trgm_ops, comment_folded gin_trgm_ops) WHERE deleted_at IS NULL;
CREATE INDEX analyses_by_actor ON analyses (last_changed_by_id) WHERE last_changed_by_type = 'user';

-- Includes seq: without it the whole chain is read to return its entries in order.
CREATE INDEX audit_by_subject ON audit_entries (chain, (entry::json ->> 'subject'), seq);

-- These triggers catch mistakes of this program and of an operator; anyone who wants to forge the log can drop them.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entries_kept BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_heads_step BEFORE UPDATE ON audit_heads FOR EACH ROW
  WHEN (NEW.chain <> OLD.chain OR NEW.count <> OLD.count + 1) EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_heads_kept BEFORE DELETE ON audit_heads
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
INSERT INTO audit_heads VALUES ('service', 0, repeat('0', 64));
