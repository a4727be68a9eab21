package wire

// The methods that change a conversation. Params → result.
const (
	MethodSessionRename  Method = "session.rename"  // SessionRename → SessionInfo
	MethodSessionArchive Method = "session.archive" // SessionArchive → SessionInfo
	MethodSessionDelete  Method = "session.delete"  // SessionDelete → SessionDeleted; a repeat changes nothing
)

// MaxTitle is how many characters the name of a conversation may have.
const MaxTitle = 80

// SessionRename gives a conversation another name.
type SessionRename struct {
	SessionID string `json:"session_id"`
	Title     string `json:"title"` // 1 to MaxTitle characters, one line
}

// SessionArchive takes a conversation out of the list, or puts it back. A new message puts it back as well.
type SessionArchive struct {
	SessionID string `json:"session_id"`
	Archived  bool   `json:"archived"`
}

// ChangeSessionDelete is signed although it gives no power: nobody else can bring back what it destroys. Body:
// SessionDeleteBody.
const ChangeSessionDelete ChangeKind = "session.delete"

// SessionDeleteBody is what is signed to delete a conversation.
type SessionDeleteBody struct {
	SessionID string `json:"session_id"`
}

// SessionDelete asks a server to delete a conversation with all that was said and done in it. What the receipts keep stays.
type SessionDelete struct {
	SessionID string     `json:"session_id"`
	Signature *Signature `json:"signature,omitempty"`
	By        Origin     `json:"by"`
}

// SessionDeleted says that a conversation is gone.
type SessionDeleted struct {
	SessionID string `json:"session_id"`
}
