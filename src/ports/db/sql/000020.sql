-- An address may have an account in each of several tenants: see src/service/access/users.ts.
DROP INDEX users_by_email;
CREATE INDEX users_by_email ON users (email) WHERE issuer IS NULL;
