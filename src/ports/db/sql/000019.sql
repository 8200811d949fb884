-- Keys of what files say of themselves, such as the serial number of a camera: see src/service/analyses/seen-before.ts.
ALTER TABLE fingerprints ADD COLUMN facts TEXT NOT NULL DEFAULT '[]';
