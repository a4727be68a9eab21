package wire

import "time"

// The methods about what the team remembers, since version 5. Params → result.
const (
	MethodMemoryList   Method = "memory.list"   // MemoryParams → MemoryResult
	MethodMemoryChange Method = "memory.change" // MemoryChange → MemoryNote as it stands then; of one that is gone, its id alone
)

// MemoryShared stands for the folder that the whole team reads, where an agent's id could stand.
const MemoryShared = "shared"

// MaxMemoryText is how long one note can be, in characters.
const MaxMemoryText = 2000

// MemoryOrigin says where a note comes from.
type MemoryOrigin string

// Where notes come from.
const (
	MemoryFromOwner   MemoryOrigin = "owner"   // the owner wrote or confirmed it, with a signature
	MemoryFromAgent   MemoryOrigin = "agent"   // an agent noticed it, or was told it in a conversation
	MemoryFromOutside MemoryOrigin = "outside" // a run that had read content from outside wrote it
	MemoryFromFile    MemoryOrigin = "file"    // it was written into the file by something else than agentd
)

// MemoryParams asks for notes: those that fit Query, the best first, or, without one, all, those that last before those of a day,
// the newest day first.
type MemoryParams struct {
	Query  string       `json:"query"`
	Agent  string       `json:"agent"`  // an id, or MemoryShared; empty: all
	Origin MemoryOrigin `json:"origin"` // empty: all
	Held   bool         `json:"held"`   // those that were put aside, and no others
	After  string       `json:"after"`  // the id of the last note of the page before; not with a Query
	Limit  int          `json:"limit"`
}

// MemoryResult is a page of notes.
type MemoryResult struct {
	Items []MemoryNote `json:"items"`
	Next  string       `json:"next"` // for After; empty: there is no more
	Held  int          `json:"held"` // how many are put aside and wait for the owner, of all agents
	// LeftOut are files that the server does not read, too large or too many: some of them. Since version 6.
	LeftOut []string `json:"left_out,omitempty"`
	// Meaning says how the search by meaning stands; nil: it is off. Since version 6.
	Meaning *MemoryMeaning `json:"meaning,omitempty"`
}

// MemoryMeaning is how the search by meaning stands.
type MemoryMeaning struct {
	Model string    `json:"model"` // that says what notes mean
	Known int       `json:"known"` // notes of which it has said so
	Notes int       `json:"notes"` // of how many
	Since time.Time `json:"since"` // when it paused; zero: it works
	Why   string    `json:"why"`   // in words for people
}

// MemoryNote is one thing that is remembered.
type MemoryNote struct {
	ID     string       `json:"id"`
	Agent  string       `json:"agent"` // whose it is, or MemoryShared
	Text   string       `json:"text"`
	Origin MemoryOrigin `json:"origin"`
	Trust  int          `json:"trust"` // 0 to 100
	Core   bool         `json:"core"`  // stated by the owner: only a signed word changes it
	File   string       `json:"file"`  // from the root of memory
	Line   int          `json:"line"`
	Day    time.Time    `json:"day"`            // midnight UTC; zero: it does not age
	At     time.Time    `json:"at"`             // when it was written; zero: nobody knows
	RunID  string       `json:"run_id"`         // the run that wrote it
	By     string       `json:"by"`             // the agent that wrote it, where that is not Agent
	Held   string       `json:"held,omitempty"` // why it is put aside
	Score  float64      `json:"score"`          // how well it fits the query, 0 to 1
}

// MemoryUse is a note that an agent was reminded of before it answered.
type MemoryUse struct {
	ID     string       `json:"id"`
	Agent  string       `json:"agent"`
	Text   string       `json:"text"`
	Origin MemoryOrigin `json:"origin"`
}

// ChangeMemory is a change of memory by a person; body: MemoryAct.
const ChangeMemory ChangeKind = "memory"

// MemoryDo is what a person does with a note.
type MemoryDo string

// What a person does with notes. Those that give a note weight are signed; so is what changes or removes a core note.
const (
	MemoryDoState   MemoryDo = "state"   // a new core note with Text; signed
	MemoryDoCorrect MemoryDo = "correct" // its text becomes Text; signed
	MemoryDoConfirm MemoryDo = "confirm" // what it says is right; signed. One that was put aside is back
	MemoryDoHold    MemoryDo = "hold"    // put aside
	MemoryDoDelete  MemoryDo = "delete"
)

// Signed says whether what is done to a note, core or not, takes a signature.
func (d MemoryDo) Signed(core bool) bool {
	return core || d != MemoryDoHold && d != MemoryDoDelete
}

// MemoryAct is what is signed: everything that decides what happens.
type MemoryAct struct {
	ID    string   `json:"id"` // UUIDv7: names the act, which happens once; of a new note also its id
	Do    MemoryDo `json:"do"`
	Note  string   `json:"note"`  // its id; empty for a new one
	Agent string   `json:"agent"` // of a new one: whose it is, or MemoryShared
	Text  string   `json:"text"`  // state, correct
	Seen  string   `json:"seen"`  // the text of the note as the person saw it: another one is refused
}

// MemoryChange asks for an act.
type MemoryChange struct {
	Act       MemoryAct  `json:"act"`
	Signature *Signature `json:"signature"`
	By        DecidedBy  `json:"by"`
}
