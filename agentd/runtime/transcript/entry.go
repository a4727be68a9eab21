package transcript

import (
	"time"

	"gatehouse/agentd/llm"
)

// The kinds of entries.
const (
	Assistant = "assistant" // a model's answer to one step
	Tool      = "tool"      // the result of a call
	Check     = "check"     // what the answer check told the model
)

// Entry is one line of a transcript.
type Entry struct {
	RunID  string
	Kind   string
	Step   int
	Text   string
	Calls  []Call
	CallID string
	At     time.Time
}

// Call is a tool call as the model wrote it, with an id of ours.
type Call struct {
	ID   string `json:"id"`
	Ref  string `json:"ref"` // the provider's id
	Tool string `json:"tool"`
	Args string `json:"args"`
	// Agent is in whose name the call is made, when that is not the run's own.
	Agent string `json:"agent,omitempty"`
}

// Message is what the model reads of an entry. refs maps our call ids to the provider's.
func (e Entry) Message(refs map[string]string) llm.Message {
	switch e.Kind {
	case Tool:
		return llm.Message{Role: llm.ToolReply, Text: e.Text, CallID: refs[e.CallID]}
	case Check:
		return llm.Message{Role: llm.User, Text: e.Text}
	}
	m := llm.Message{Role: llm.Assistant, Text: e.Text}
	for _, c := range e.Calls {
		refs[c.ID] = c.Ref
		m.Calls = append(m.Calls, llm.Call{ID: c.Ref, Name: c.Tool, Args: c.Args})
	}
	return m
}
