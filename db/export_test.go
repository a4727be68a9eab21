package db

// SQLState is the SQLSTATE in err, for tests.
var SQLState = sqlState
