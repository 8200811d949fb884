-- JSON: what its reports print besides the case, and why it failed.
ALTER TABLE analyses ADD COLUMN case_data TEXT;
ALTER TABLE analyses ADD COLUMN failure TEXT;
