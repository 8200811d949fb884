ALTER TABLE legal_holds ADD COLUMN created_by_user_id TEXT;
