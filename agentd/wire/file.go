package wire

import "time"

// The methods about the files of the business. Params → result. Reading needs no signature: what comes in clear has passed
// redaction, and the bytes of files travel sealed to a key of the browser that asks.
const (
	MethodFilesList  Method = "files.list"  // FilesParams → FilesResult: one folder, or what is found below it
	MethodFilesGet   Method = "files.get"   // FileParams → File, with its text where there is one to show
	MethodFilesImage Method = "files.image" // FileParams → FileImage: drawn anew on the server
	MethodFilesRead  Method = "files.read"  // FileRead → FilePart: a stretch of a file, sealed
)

// Bounds of what is read at once.
const (
	FilePartSize = 256 << 10 // bytes of a file that travel at once
	MaxPreview   = 200 << 10 // bytes of text that are shown
)

// FilesParams asks for one page of a folder, or with Q for what has a name like that in it and below.
type FilesParams struct {
	Path  string `json:"path"` // beneath the data folder; empty: the data folder itself
	Q     string `json:"q,omitempty"`
	After string `json:"after,omitempty"` // cursor from the page before; not with Q
	Limit int    `json:"limit"`           // 1 to 200; 0 means 100
}

// FilesResult is one page of a folder: folders first, each kind by name.
type FilesResult struct {
	Path  string     `json:"path"` // as it is named beneath the data folder; empty for that itself
	Here  FileInfo   `json:"here"` // the folder itself
	Items []FileInfo `json:"items"`
	Next  string     `json:"next"`           // empty at the end
	Total int        `json:"total"`          // entries of the folder, or what was found
	More  bool       `json:"more,omitempty"` // with Q: there may be more than was found
}

// FileKind is what an entry of a folder is.
type FileKind string

// The kinds of entries.
const (
	FileFolder FileKind = "folder"
	FilePlain  FileKind = "file"
	FileOther  FileKind = "other" // a link, a device: nothing that is opened here
)

// FileInfo is one entry of a folder.
type FileInfo struct {
	Path     string    `json:"path"` // beneath the data folder
	Kind     FileKind  `json:"kind"`
	Size     int64     `json:"size"` // bytes; of plain files alone
	Modified time.Time `json:"modified"`
	Closed   bool      `json:"closed,omitempty"` // its name says that it may hold secrets: it is not opened
	Version  string    `json:"version"`          // names what is there now; another one once it changes
	// Unkept says that deleting or replacing it could not be taken back: it is too large to be kept. In the answer to an act
	// it says that of what the act took away.
	Unkept bool `json:"unkept,omitempty"`
}

// FileParams names a file.
type FileParams struct {
	Path string `json:"path"`
}

// FileShow is how a file can be shown.
type FileShow string

// The ways to show a file.
const (
	ShowText     FileShow = "text"
	ShowMarkdown FileShow = "markdown"
	ShowImage    FileShow = "image"
	ShowNothing  FileShow = "" // it can only be downloaded
)

// File is one file. What it says has passed redaction: it is for reading, not for keeping.
type File struct {
	FileInfo
	Show FileShow `json:"show"`
	Text string   `json:"text,omitempty"`
	Cut  bool     `json:"cut,omitempty"` // Text is only the beginning
}

// FileImage is a picture that the server has decoded and drawn anew: never the bytes of the file.
type FileImage struct {
	Type   string `json:"type"` // image/png or image/jpeg
	Box    []byte `json:"-"`    // the bytes of the picture; see Boxed
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// FileRead asks for a stretch of a file.
type FileRead struct {
	Path     string `json:"path"`
	Version  string `json:"version"` // of the content that is being read; another one is a conflict
	Offset   int64  `json:"offset"`
	ReplyKey string `json:"reply_key"` // of the browser: P-256, base64url without padding
}

// FilePart is a stretch of FilePartSize bytes, or what is left of the file.
type FilePart struct {
	Size int64  `json:"size"` // bytes of the whole file
	Box  []byte `json:"-"`    // see SealFile and Boxed
}

// TakeBox takes what came beside the result.
func (p *FilePart) TakeBox(box []byte) { p.Box = box }

// TakeBox takes what came beside the result.
func (i *FileImage) TakeBox(box []byte) { i.Box = box }
