-- Which formats are taken is a setting, not a rule of the table. A check goes only with its column.
ALTER TABLE analyses ADD COLUMN any_format TEXT NOT NULL DEFAULT 'jpg';
UPDATE analyses SET any_format = format;
ALTER TABLE analyses DROP COLUMN format;
ALTER TABLE analyses RENAME COLUMN any_format TO format;
