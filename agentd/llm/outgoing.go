package llm

import (
	"slices"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

// Outgoing is a Request that has passed redaction. It has no exported constructor: what a Provider sends, redact
// has seen.
type Outgoing struct {
	agent    string
	parent   string
	run      string
	messages []Message
	tools    []tool.Definition
}

// Agent is who asks.
func (o Outgoing) Agent() string { return o.agent }

// Parent is the agent for which a sub-agent asks; empty for all others.
func (o Outgoing) Parent() string { return o.parent }

// Run is the root run for which is asked; empty: for none.
func (o Outgoing) Run() string { return o.run }

// Messages is the conversation, oldest first.
func (o Outgoing) Messages() []Message { return o.messages }

// Tools are the tools that the model may use.
func (o Outgoing) Tools() []tool.Definition { return o.tools }

// outgoing is the one way out of the server to a model.
func outgoing(r Request) Outgoing {
	messages, texts := make([]Message, len(r.Messages)), make([]string, len(r.Messages))
	for i, m := range r.Messages {
		texts[i] = m.Text
	}
	texts = redact.Texts(texts)
	for i, m := range r.Messages {
		m.Text = texts[i]
		m.Calls = slices.Clone(m.Calls)
		for j := range m.Calls {
			m.Calls[j].Args = redact.JSON(m.Calls[j].Args)
		}
		messages[i] = m
	}
	return Outgoing{agent: r.Agent, parent: r.Parent, run: r.Run, messages: messages, tools: r.Tools}
}
