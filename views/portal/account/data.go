package account

import (
	"net/url"
	"time"
)

// DataPath is the page of the customer's own data.
const DataPath = "/app/settings/data"

// ArchivePath is one archive.
func ArchivePath(id string) string { return DataPath + "/" + url.PathEscape(id) }

// KnownPath is where what the website knows comes from.
const KnownPath = DataPath + "/account"

// PackedPath is where an archive of files comes from, a stretch at a time.
func PackedPath(id string) string { return ArchivePath(id) + "/files" }

// DataProps is the page of the customer's own data.
type DataProps struct {
	Away          bool
	Running       bool   // an archive is being made
	Failed        bool   // the last one was not made
	Conversations int    // in the one that is being made
	Archive       string // address of the newest one; empty: there is none
	Size          int64
	At, Until     time.Time

	Packs  bool         // the server packs files
	Files  int          // in the archive that is being made
	Packed *PackedProps // nil: there is none
}

// PackedProps is an archive of the files of the business.
type PackedProps struct {
	Action, Name, Version, Server string // as the script asks for it
	Files                         int
	Size                          int64
	Left                          []LeftProps
}

// LeftProps are files that are not in it.
type LeftProps struct {
	Why   string // as package wire names it
	Count int
	Some  []string // paths of the first of them
}

// More is how many are not named.
func (l LeftProps) More() int { return l.Count - len(l.Some) }
