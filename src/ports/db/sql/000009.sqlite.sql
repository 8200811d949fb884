-- Includes seq: without it the whole chain is read to return its entries in order.
CREATE INDEX audit_by_subject ON audit_entries (chain, entry ->> '$.subject', seq);

-- These triggers catch mistakes of this program and of an operator; anyone who wants to forge the log can drop them.
CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_entries_kept BEFORE DELETE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
-- INSERT OR REPLACE deletes without firing the trigger above.
CREATE TRIGGER audit_entries_unreplaced BEFORE INSERT ON audit_entries
WHEN EXISTS (SELECT 1 FROM audit_entries WHERE chain = NEW.chain AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_heads_step BEFORE UPDATE ON audit_heads
  WHEN NEW.chain <> OLD.chain OR NEW.count <> OLD.count + 1
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_heads_kept BEFORE DELETE ON audit_heads
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- Count 0: the chain of the service, and those of tenants older than the log, have yet to be started.
INSERT INTO audit_heads SELECT id, 0, printf('%064d', 0) FROM tenants;
INSERT INTO audit_heads VALUES ('service', 0, printf('%064d', 0));
