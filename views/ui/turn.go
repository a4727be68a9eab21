package ui

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
)

// Thread is a conversation. Turns are the oldest first.
type Thread struct {
	Session string
	Label   string // for those who do not see it: "Conversation with the team"
	Older   string // address of the turns before; empty when there are none
	Turns   []Turn
}

// Turn is what a person wrote, or the run that answers it.
type Turn struct {
	Run    string // run id; both turns of a run carry it
	Person bool   // written by a person: Text and At alone matter
	Report bool   // with Person: nobody wrote it, it is what sub-agents report
	Who    string // name of the person
	Agent  Agent
	At     time.Time
	Text   string     // of a person, as typed
	Files  []FileLink // that came with the message, or that the answer names

	Memories []Remembered // notes that the agent was reminded of

	State string            // queued, running, parked, done, failed, stopped
	Why   string            // of queued and failed, in words for people
	Flow  []templ.Component // Prose, ToolChip, HandOffBox, ApprovalCard, in order
	Tail  string            // HTML of the block still being written
	Proof *Evidence         // nil until the run has ended
	Doubt string            // strip above an answer whose claims are not proven
	Links []Crumb           // "Open run"
}

// FileLink is a file of the business, with the page that shows it.
type FileLink struct {
	Name   string
	Folder string // "" for the one that holds all
	Href   string
}

// HandOff is one hop from an agent to another, with what that one wrote and did.
type HandOff struct {
	Run   string // delegated run
	From  Agent
	To    Agent
	Task  string
	State string // as of a Turn
	Flow  []templ.Component
	Tail  string
	Calls int  // shown when folded
	Open  bool // the one that works is open
}

// The ids that pushes of a run go to. Flow takes appended blocks, Tail the block still being written, Foot the state.
func TurnID(run string) string { return "turn-" + run }
func FlowID(run string) string { return "flow-" + run }
func TailID(run string) string { return "tail-" + run }
func FootID(run string) string { return "foot-" + run }
func HopID(run string) string  { return "hop-" + run }

// ThreadID is where new turns are appended.
const ThreadID = "thread"

var runWords = map[string]receiptLook{
	"queued":  {"ui.run.queued", "clock", "off"},
	"running": {"ui.run.running", "dots", "busy"},
	"parked":  {"ui.run.parked", "hand", "warn"},
	"done":    {"ui.run.done", "check", "ok"},
	"failed":  {"ui.run.failed", "alert", "bad"},
	"stopped": {"ui.run.stopped", "stop", "warn"},
}

func runOf(state string) receiptLook {
	if l, ok := runWords[state]; ok {
		return l
	}
	return runWords["queued"]
}

// RunWord names the state of a run.
func RunWord(ctx context.Context, state string) string { return i18n.T(ctx, runOf(state).word) }

// RunOpen says whether a run in this state will still do something.
func RunOpen(state string) bool { return state == "queued" || state == "running" || state == "parked" }

// Remembered is a note that an agent was reminded of before it answered.
type Remembered struct{ Text, From, Href string }
