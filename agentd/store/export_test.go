package store

// MaxLog is how many pages the log may hold before the writer copies it itself.
const MaxLog = maxLog

// Copy copies the log as the copier does when it is time, and says how many pages the log holds.
func (db *DB) Copy() (pages int, err error) { return db.copyOnce() }
