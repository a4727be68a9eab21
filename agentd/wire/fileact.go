package wire

import "time"

// The methods that change files for a person. Each act is signed with kind ChangeFile over its FileAct.
const (
	MethodFilesUpload   Method = "files.upload"   // FileUpload → FileUploading: begins an upload, or says how far it is
	MethodFilesPart     Method = "files.part"     // FilePartIn → FileUploading, after the stretch is written
	MethodFilesFinish   Method = "files.finish"   // FileFinish → FileInfo, after the whole file is in its place
	MethodFilesChange   Method = "files.change"   // FileChange → FileInfo: folder, move, delete, restore
	MethodFilesVersions Method = "files.versions" // FileParams → FileVersionsResult: what can be taken back
)

// ChangeFile is a change of a file by a person; body: FileAct.
const ChangeFile ChangeKind = "file"

// MaxUpload is the largest file in bytes that can be uploaded.
const MaxUpload = 1 << 30

// FileDo is what a person does to a file.
type FileDo string

// What a person does to files.
const (
	FileDoUpload  FileDo = "upload"  // to Path; the folders above it are made where they are missing
	FileDoFolder  FileDo = "folder"  // a new one at Path
	FileDoMove    FileDo = "move"    // Path becomes To
	FileDoDelete  FileDo = "delete"  // a file, or a folder with nothing in it
	FileDoRestore FileDo = "restore" // takes back the change Of, of the file at Path
)

// FileAct is what is signed: everything that decides what happens. A field that an act has no use for is empty.
type FileAct struct {
	ID     string `json:"id"` // UUIDv7: names the act, which happens once
	Do     FileDo `json:"do"`
	Path   string `json:"path"`
	To     string `json:"to"`     // move
	Of     string `json:"of"`     // restore
	Before string `json:"before"` // version of what is there now, as the person saw it; empty: nothing
	Size   int64  `json:"size"`   // upload: bytes
	Hash   string `json:"hash"`   // upload: PartsHash
	Own    bool   `json:"own"`    // upload: it comes from the business itself, not from outside
	// Anyway is set on a restore by a person who was told that the file was changed again since (FileVersion.Later).
	Anyway bool `json:"anyway,omitempty"`
}

// FileUpload begins an upload. Parts are the hex SHA-256 of each stretch of FilePartSize bytes.
type FileUpload struct {
	Act       FileAct    `json:"act"`
	Parts     []string   `json:"parts"`
	Signature *Signature `json:"signature"` // of one that was begun before: may be nil
	By        DecidedBy  `json:"by"`
}

// FileUploading says how far an upload is.
type FileUploading struct {
	ID   string `json:"id"`
	Next int64  `json:"next"` // number of the stretch that is wanted next, from 0
	Done bool   `json:"done"` // the file is in its place
}

// FilePartIn is one stretch of an upload, sealed to the server's key for secrets (MethodSecretsOpen): its purpose names the
// upload, the offset and the hash of the stretch.
type FilePartIn struct {
	ID    string `json:"id"`
	Index int64  `json:"index"`
	Box   []byte `json:"box"`
}

// FileFinish puts what was uploaded in its place.
type FileFinish struct {
	ID string `json:"id"`
}

// FileChange is any other act.
type FileChange struct {
	Act       FileAct    `json:"act"`
	Signature *Signature `json:"signature"`
	By        DecidedBy  `json:"by"`
}

// FileVersion is a change that can be taken back.
type FileVersion struct {
	ID    string        `json:"id"` // of the call of an agent, or of a person's act
	Path  string        `json:"path"`
	Did   FileVersionOf `json:"did"`
	Time  time.Time     `json:"time"`
	Until time.Time     `json:"until"`
	Agent string        `json:"agent,omitempty"`  // who did it, when an agent did
	RunID string        `json:"run_id,omitempty"` // its root run
	By    string        `json:"by,omitempty"`     // who did it, when a person did
	Files int           `json:"files"`
	Now   string        `json:"now"`             // version of what is at Path now; empty: nothing
	Later bool          `json:"later,omitempty"` // what this change left was changed again: taking it back undoes that too
	Lost  int           `json:"lost,omitempty"`  // entries that could not be kept and do not come back
}

// FileVersionOf is what a change did.
type FileVersionOf string

// What changes did.
const (
	FileMade    FileVersionOf = "made"
	FileChanged FileVersionOf = "changed"
	FileDeleted FileVersionOf = "deleted"
)

// FileVersionsResult is what can be taken back of a file, or of what lies in a folder; the newest first.
type FileVersionsResult struct {
	Items []FileVersion `json:"items"`
}
