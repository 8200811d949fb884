UPDATE jobs SET owner = payload ->> 'tenantId' WHERE kind = 'analysis.run';
