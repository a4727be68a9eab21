package wire

import "time"

// The methods about the archive of all that a customer has on the server. Params → result. An archive gives no power: it holds
// what the owner's pages show, and each text in it has passed redaction.
const (
	MethodExportStart Method = "export.start" // ExportStart → Export; while one is being made, that one
	MethodExportGet   Method = "export.get"   // nothing → Export: the newest
	MethodExportRead  Method = "export.read"  // ExportRead → ExportPart: a stretch of one that is done
)

// ExportPartSize is how many bytes of an archive travel at once.
const ExportPartSize = 256 << 10

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
