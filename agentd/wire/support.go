package wire

import (
	"strings"
	"time"

	"gatehouse/agentd/policy/canonical"
)

// ChangeSupport is the change of power that opens a support window: our staff may look at content of the server until it ends.
// Its body is SupportBody.
const ChangeSupport ChangeKind = "support.open"

// SupportKind is a kind of content that a support window opens.
type SupportKind string

// The kinds of content that a support window opens.
const (
	SupportLogs          SupportKind = "logs"          // what containers write
	SupportInspect       SupportKind = "inspect"       // how containers are set up
	SupportFiles         SupportKind = "files"         // the list of files and the text of a file
	SupportConversations SupportKind = "conversations" // what people and the team said
	SupportMachine       SupportKind = "machine"       // nothing on the server: rescue system and old disks at its provider
)

// SupportKinds are all kinds, in the order in which pages list them.
func SupportKinds() []SupportKind {
	return []SupportKind{SupportLogs, SupportInspect, SupportFiles, SupportConversations, SupportMachine}
}

// Bounds of a support window.
const (
	MinSupportHours   = 1
	MaxSupportHours   = 24
	MaxSupportPurpose = 300 // characters
	MaxSupportStaff   = 10
)

// SupportBody is what is signed to open a support window. It holds the keys of the staff themselves, so that nobody on the way
// can put another one in their place. They count for looking in this window, and for nothing else.
type SupportBody struct {
	Hours   int            `json:"hours"`
	ID      string         `json:"id"` // UUID; a window is opened once
	Purpose string         `json:"purpose"`
	Staff   []SupportStaff `json:"staff"`
	What    []SupportKind  `json:"what"` // in the order of SupportKinds
}

// SupportStaff is one of our staff who may look, and the key that they sign each look with.
type SupportStaff struct {
	Kind KeyKind `json:"kind"` // BrowserKey or SoftwareKey
	Name string  `json:"name"` // e-mail address
	SPKI string  `json:"spki"`
}

// Methods about support windows. Params → result.
const (
	MethodSupportOpen  Method = "support.open"  // SupportOpen → SupportState
	MethodSupportLook  Method = "support.look"  // SupportLook → SupportLooked, with the content in a box
	MethodSupportLooks Method = "support.looks" // SupportLooksParams → SupportLooks
)

// SupportOpen asks a server to open a window. A repeat of one that is known is answered with how that one stands.
type SupportOpen struct {
	Body      SupportBody `json:"body"`
	Version   int64       `json:"version"` // of the configuration that was signed
	Signature *Signature  `json:"signature,omitempty"`
	By        DecidedBy   `json:"by"`
}

// SupportClose tells a server that a window was closed. That is less power, so nobody signs it.
type SupportClose struct {
	ID string    `json:"id"`
	By DecidedBy `json:"by"`
}

// SupportState says how a window stands. agentd sends it to the hub whenever that changes.
type SupportState struct {
	ID       string    `json:"id"`
	OpenedAt time.Time `json:"opened_at"`
	Until    time.Time `json:"until"`
	ClosedAt time.Time `json:"closed_at"` // zero while it is open
	Why      string    `json:"why"`       // SupportClosed or SupportRanOut; empty while it is open
	By       string    `json:"by"`        // who closed it; empty otherwise
}

// Why a window has ended.
const (
	SupportClosed = "closed"
	SupportRanOut = "ran_out"
)

// SupportSee is what a look shows.
type SupportSee string

// What a look shows.
const (
	SeeContainers    SupportSee = "containers" // names and states, to choose from
	SeeLogs          SupportSee = "logs"
	SeeInspect       SupportSee = "inspect"
	SeeFiles         SupportSee = "files"
	SeeFile          SupportSee = "file"
	SeeConversations SupportSee = "conversations"
	SeeConversation  SupportSee = "conversation"
)

// Of are the kinds of content that let one see it: one of them is enough. None: there is no such look.
func (s SupportSee) Of() []SupportKind {
	return map[SupportSee][]SupportKind{
		SeeContainers: {SupportLogs, SupportInspect}, SeeLogs: {SupportLogs}, SeeInspect: {SupportInspect},
		SeeFiles: {SupportFiles}, SeeFile: {SupportFiles},
		SeeConversations: {SupportConversations}, SeeConversation: {SupportConversations},
	}[s]
}

// SupportAsk names what one of our staff wants to see.
type SupportAsk struct {
	See   SupportSee `json:"see"`
	Name  string     `json:"name,omitempty"`  // of the container, path of the file or folder, id of the conversation
	After string     `json:"after,omitempty"` // cursor of a list; of a conversation the turn before which to begin
	Lines int        `json:"lines,omitempty"` // of a log, 1 to MaxSupportLines; 0 means 200
}

// MaxSupportLines is how many lines of a log are shown at once.
const MaxSupportLines = 1000

// SupportLook asks for content. The key of a member of staff has signed it together with the key for the box of the answer.
type SupportLook struct {
	Window    string     `json:"window"`
	Ask       SupportAsk `json:"ask"`
	BoxKey    string     `json:"box_key"` // as SecretPublic reads it; made for this look
	Signature *Signature `json:"signature,omitempty"`
}

// LookText is what a member of staff signs to see something: six lines joined by \n: "gatehouse-support-look-v1", server id,
// id of the window, hex SHA-256 of the canonical JSON of the ask, key for the box, time.
func LookText(serverID string, l SupportLook, at time.Time) (string, error) {
	ask, err := canonical.Of(l.Ask)
	if err != nil {
		return "", err
	}
	return strings.Join([]string{"gatehouse-support-look-v1", serverID, l.Window, canonical.Sum(ask), l.BoxKey, signedTime(at)}, "\n"), nil
}

// LookPurpose binds the box of an answer to the text that was signed to get it.
func LookPurpose(serverID, window, text string) FilePurpose {
	return FilePurpose{Method: MethodSupportLook, ServerID: serverID, Name: window, Version: canonical.Sum([]byte(text))}
}

// SupportLooked answers a SupportLook. The content is in the box.
type SupportLooked struct {
	Until time.Time `json:"until"`
	Box   []byte    `json:"-"`
}

// TakeBox takes what came beside the answer.
func (l *SupportLooked) TakeBox(box []byte) { l.Box = box }

// SupportLog is the end of what a container wrote.
type SupportLog struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
	Cut   bool     `json:"cut,omitempty"` // there was more than fits
}

// SupportInspected is how a container is set up.
type SupportInspected struct {
	Name  string        `json:"name"`
	Facts []SupportFact `json:"facts"`
}

// SupportFact is one fact about a container.
type SupportFact struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

// SupportContainers are the containers of a server.
type SupportContainers struct {
	Items []ContainerInfo `json:"items"`
}

// SupportLine tells the hub that one of our staff looked, or was refused. What exactly was looked at stays on the server.
type SupportLine struct {
	ID      string     `json:"id"`
	Window  string     `json:"window"`
	Staff   string     `json:"staff"` // as the window names them; empty where no key of the window signed
	See     SupportSee `json:"see"`
	At      time.Time  `json:"at"`
	Refused string     `json:"refused,omitempty"` // why, in words for people
}

// SupportLooksParams asks what was looked at in a window.
type SupportLooksParams struct {
	Window string `json:"window"`
}

// SupportLooks is what was looked at in a window, newest first, at most 200.
type SupportLooks struct {
	Items []SupportSeen `json:"items"`
}

// SupportSeen is one look, with what it was at.
type SupportSeen struct {
	SupportLine
	Name string `json:"name"` // of the container, file or conversation
}
