package wire

import "time"

// The methods about the archives of all that a customer has on the server. Params → result. An archive gives no power. The one of
// conversations, receipts and rules holds what the owner's pages show, and each text in it has passed redaction. The one of the
// files travels sealed to a key of the browser that asks, as files do.
const (
	MethodExportStart Method = "export.start" // ExportStart → Export; while one is being made, that one
	MethodExportGet   Method = "export.get"   // nothing → Export: the newest
	MethodExportRead  Method = "export.read"  // ExportRead → ExportPart: a stretch of one that is done
	MethodExportFiles Method = "export.files" // ExportFilesRead → FilePart: a stretch of its files, sealed
)

// ExportPartSize is how many bytes of an archive travel at once.
const ExportPartSize = 256 << 10

// Names and bounds of the archive of files.
const (
	ExportFilesName = "my-files.zip" // as its boxes name it
	ExportFilesMax  = 1 << 30        // bytes of all files in it together
)

// ExportKept is how long an archive stays on the server.
const ExportKept = 24 * time.Hour

// ExportState is where an archive stands.
type ExportState string

// The states of an archive.
const (
	ExportNone    ExportState = "none"    // there is none; one that was cut by a restart is none
	ExportRunning ExportState = "running" // it is being made
	ExportDone    ExportState = "done"
	ExportFailed  ExportState = "failed"
)

// ExportStart asks for an archive.
type ExportStart struct {
	By Origin `json:"by"`
}

// Export is an archive.
type Export struct {
	ID            string      `json:"id"` // empty: there is none
	State         ExportState `json:"state"`
	Conversations int         `json:"conversations"` // in it so far
	Size          int64       `json:"size"`          // bytes, once it is done
	At            time.Time   `json:"at"`            // when it was asked for
	Until         time.Time   `json:"until"`         // when it is removed, once it is done

	Files *ExportFiles `json:"files,omitempty"` // nil: this server does not pack files
}

// ExportFiles is the archive of the files of the business.
type ExportFiles struct {
	Count int          `json:"count"` // files in it so far
	Size  int64        `json:"size"`  // bytes of the archive, once it is done
	Left  []ExportLeft `json:"left"`  // what is not in it, by reason
}

// ExportWhy is why a file is not in the archive.
type ExportWhy string

// The reasons for which a file is left out.
const (
	ExportClosed  ExportWhy = "closed"  // its name says that it may hold passwords or keys
	ExportOver    ExportWhy = "over"    // the files before it have filled ExportFilesMax
	ExportNoRoom  ExportWhy = "no_room" // the disk of the server has no room for it
	ExportOther   ExportWhy = "other"   // a link, a device or a folder that cannot be read
	ExportChanged ExportWhy = "changed" // it was changed or deleted while it was copied
)

// ExportLeft are files that are not in the archive.
type ExportLeft struct {
	Why   ExportWhy `json:"why"`
	Count int       `json:"count"`
	Some  []string  `json:"some"` // paths of the first of them; the index in the archive names all
}

// ExportFilesRead asks for a stretch of the archive of files.
type ExportFilesRead struct {
	ID       string `json:"id"`
	Offset   int64  `json:"offset"`
	ReplyKey string `json:"reply_key"` // of the browser: P-256, base64url without padding
}

// ExportRead asks for a stretch of an archive.
type ExportRead struct {
	ID     string `json:"id"`
	Offset int64  `json:"offset"`
}

// ExportPart is a stretch of ExportPartSize bytes, or what is left.
type ExportPart struct {
	Size int64  `json:"size"` // of the whole archive
	Box  []byte `json:"-"`    // see Boxed
}

// TakeBox takes what came beside the result.
func (p *ExportPart) TakeBox(box []byte) { p.Box = box }
