package tool

// Attachment is a file of the business that goes with an answer, as it was when it was attached.
type Attachment struct {
	Path   string `json:"path"` // beneath the data folder
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // hex
}

// MaxAttachment is the largest file in bytes that goes with an answer: what most mail servers take, with what it takes to write it.
const MaxAttachment = 18 << 20
