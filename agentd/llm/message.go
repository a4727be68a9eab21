package llm

import "gatehouse/agentd/tool"

// Role says whose words a message holds.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolReply Role = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Role   Role
	Text   string
	Calls  []Call // Assistant only: the tools it wants to use
	CallID string // ToolReply only: the Call.ID that it answers
}

// Call is a use of a tool as the model wrote it. Args need not be valid JSON: the gate judges that.
type Call struct {
	ID   string `json:"id"` // the provider's id, unique within one reply
	Name string `json:"name"`
	Args string `json:"args"`
}

// Request is what is asked of a model.
type Request struct {
	Agent    string // who asks, for the meter
	Parent   string // the agent for which a sub-agent asks; empty: it asks for itself
	Run      string // the root run that it asks for, for the meter; empty: for none
	Messages []Message
	Tools    []tool.Definition
}

// Reply is a whole answer. A reply that was cut off is an error instead, so that half a call can never be made.
type Reply struct {
	Text  string
	Calls []Call
	Usage Usage
}

// Usage counts tokens of one request; zero when the provider does not say.
type Usage struct{ Input, Output int64 }
