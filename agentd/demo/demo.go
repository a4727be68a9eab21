package demo

import (
	"slices"
	"time"
)

// File is one demo file.
type File struct {
	Path string // under the data root, with slashes
	Body []byte
	Age  time.Duration // how long before seeding it was last changed
}

const day = 24 * time.Hour

// Old is the glob of the demo's old temporary files.
const Old = "tmp/*.tmp"

// Files are the demo files, the same for the same day.
func Files(today time.Time) []File {
	today = today.UTC().Truncate(day)
	return slices.Concat(texts(), []File{prices()}, dated(today), leftovers(1<<20))
}

// dated are the files whose names and contents are counted back from today.
func dated(today time.Time) []File {
	return slices.Concat(invoices(today), orders(today), logs(today))
}
