package wire

import "time"

// MethodChannelStrangers lists strangers: people who wrote to a channel that is open to everybody, and whom nobody has confirmed.
// ChannelStrangersParams → ChannelStrangersResult. Since version 6.
const MethodChannelStrangers Method = "channel.strangers"

// What a stranger may cost. A day and an hour are the last 24 and the last one.
const (
	MaxStrangerHour    = 30        // messages of one
	MaxStrangerDay     = 100       // likewise
	MaxStrangerTokens  = 300_000   // that models read and write for one within a day
	MaxStrangersTokens = 3_000_000 // for all of a channel together
	MaxStrangers       = 10_000    // of one channel that are remembered
	MaxStrangersPage   = 200       // of one list
	MaxStrangerText    = 4000      // characters of an answer that a person writes
)

// StrangerSettings are how a channel that is open to everybody deals with strangers. What is empty is left out of what is signed.
type StrangerSettings struct {
	// Replies lets the channel's agent answer a stranger without a question to the owner: the very person who wrote, in the
	// conversation in which they wrote, and where it is sure that it was them.
	Replies bool `json:"replies,omitempty"`
	// Language is that of the sentences that are not the agent's, where a stranger's own is not known: empty for English, or de.
	Language string `json:"language,omitempty"`
}

// StrangerState is where the conversation with a stranger stands.
type StrangerState string

// The states.
const (
	StrangerTalking StrangerState = "talking"
	StrangerPerson  StrangerState = "person"  // a person of the business has it, and the agent is silent
	StrangerOut     StrangerState = "out"     // they wrote STOP: they get nothing until they write START
	StrangerErasing StrangerState = "erasing" // what is kept of them is being deleted
	StrangerBlocked StrangerState = "blocked" // the owner turned them away; only ever shown, never kept
)

const (
	// StrangerLanguage is the language beside English in which strangers are told things.
	StrangerLanguage = "de"
	// StrangerBySelf is who had their data deleted, where they themselves did.
	StrangerBySelf = "stranger"
)

// ChannelStranger is somebody who wrote to a channel that is open to everybody.
type ChannelStranger struct {
	ID       string        `json:"id"`
	Channel  string        `json:"channel"`
	Address  string        `json:"address"`
	Name     string        `json:"name,omitempty"` // what they call themselves there, which anybody can
	State    StrangerState `json:"state"`
	Told     bool          `json:"told"`               // they were sent that they write to a machine
	Messages int           `json:"messages"`           // that were taken from them
	Session  string        `json:"session,omitempty"`  // their newest conversation
	Language string        `json:"language,omitempty"` // of what they wrote; empty: not known
	First    time.Time     `json:"first_at"`
	Last     time.Time     `json:"last_at"`
	Since    time.Time     `json:"since"` // of State
}

// ChannelStrangersParams asks for those of a channel, who wrote last first.
type ChannelStrangersParams struct {
	Channel string        `json:"channel"`
	State   StrangerState `json:"state,omitempty"` // empty: all
	Limit   int           `json:"limit"`
	After   string        `json:"after,omitempty"` // Next of the page before
}

// ChannelStrangersResult is one page of them.
type ChannelStrangersResult struct {
	Items []ChannelStranger `json:"items"`
	Next  string            `json:"next"` // empty: there are no more
}

// StrangerCounts is how many strangers of a channel stand where.
type StrangerCounts struct {
	Talking    int       `json:"talking"`
	Person     int       `json:"person"`
	Out        int       `json:"out"`
	Erased     int       `json:"erased"`               // whose data was deleted, in the last 90 days
	LastErased time.Time `json:"last_erased,omitzero"` // when the last of them was
}

// What is done with strangers.
const (
	ChannelDoTake  ChannelDo = "take"      // a person takes the conversation over, and the agent is silent
	ChannelDoBack  ChannelDo = "hand_back" // the agent goes on
	ChannelDoWrite ChannelDo = "write"     // a person answers: Text is sent, word for word
	ChannelDoErase ChannelDo = "erase"     // what is kept of them is deleted
)
