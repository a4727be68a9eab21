package account

import (
	"net/url"
	"time"
)

// DataPath is the page of the customer's own data.
const DataPath = "/app/settings/data"

// ArchivePath is one archive.
func ArchivePath(id string) string { return DataPath + "/" + url.PathEscape(id) }

// DataProps is the page of the customer's own data.
type DataProps struct {
	Away          bool
	Running       bool   // an archive is being made
	Failed        bool   // the last one was not made
	Conversations int    // in the one that is being made
	Archive       string // address of the newest one; empty: there is none
	Size          int64
	At, Until     time.Time
}
