ALTER TABLE tenants ADD COLUMN default_options TEXT;
