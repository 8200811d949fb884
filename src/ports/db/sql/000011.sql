ALTER TABLE examinations ADD COLUMN method_maps BLOB;
