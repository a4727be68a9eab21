package demo

import "time"

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
	var all []File
	all = append(all, texts()...)
	all = append(all, prices())
	all = append(all, invoices(today)...)
	all = append(all, orders(today)...)
	all = append(all, logs(today)...)
	return append(all, leftovers(today)...)
}
