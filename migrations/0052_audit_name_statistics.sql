-- With a longer list of common values Postgres knows how rare each person is, and looks one up by the index.
ALTER INDEX audit_log_name ALTER COLUMN 1 SET STATISTICS 2000;
