-- Deferred: the name is reserved before its tenant is inserted.
CREATE TABLE tenant_names (
  name TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX tenant_names_by_tenant ON tenant_names (tenant_id);
INSERT INTO tenant_names SELECT name, id FROM tenants;
