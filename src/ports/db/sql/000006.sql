ALTER TABLE api_keys ADD COLUMN replaced_at INTEGER;
