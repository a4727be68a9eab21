package db

// SQLState is the SQLSTATE in err, for tests.
var SQLState = sqlState

// MigrateFiles is Migrate with other files, for tests.
var MigrateFiles = migrate
