package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/llm"
)

// request is the start of the body of a request, in the protocol's words. The SDK's own types say the same, but write
// each level of a message anew from the level below, which cost more than all the rest of asking.
type request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Options  options   `json:"stream_options"`
	Messages []message `json:"messages"`
}

type options struct {
	Usage bool `json:"include_usage"`
}

type message struct {
	Role    string  `json:"role"`
	Content *string `json:"content,omitempty"`
	Calls   []call  `json:"tool_calls,omitempty"`
	CallID  string  `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name string `json:"name"`
	Args string `json:"arguments"`
}

// body puts a request into the protocol's words. Parallel calls are not asked for: they are the default everywhere, and
// endpoints that do not know the word refuse it.
func (p *Provider) body(o llm.Outgoing) ([]byte, error) {
	tools := make([][]byte, 0, len(o.Tools()))
	for _, d := range o.Tools() {
		t, err := p.tools.of(d)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return bodyOf(p.model, o.Messages(), tools)
}

func bodyOf(model string, messages []llm.Message, tools [][]byte) ([]byte, error) {
	r := request{Model: model, Messages: make([]message, len(messages)), Stream: true, Options: options{Usage: true}}
	for i, m := range messages {
		r.Messages[i] = messageOf(m)
	}
	b, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	if len(tools) == 0 {
		return b, nil
	}
	b = append(bytes.TrimSuffix(b, []byte("}")), `,"tools":[`...)
	b = append(b, bytes.Join(tools, []byte(","))...)
	return append(b, "]}"...), nil
}

func messageOf(m llm.Message) message {
	out := message{Role: string(m.Role), Content: &m.Text}
	switch m.Role {
	case llm.System:
	case llm.ToolReply:
		out.CallID = m.CallID
	case llm.Assistant:
		if m.Text == "" && len(m.Calls) > 0 {
			out.Content = nil
		}
		for _, c := range m.Calls {
			out.Calls = append(out.Calls, call{c.ID, "function", function{nameOf(c.Name), arguments(c.Args)}})
		}
	default:
		out.Role = string(llm.User)
	}
	return out
}

// nameOf is the name of a tool in the signs that endpoints take. They refuse a conversation for any other, and a model may
// have called what is no tool.
func nameOf(name string) string {
	return cmp.Or(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name), "_")
}

// arguments gives back what the model wrote. Endpoints that read old calls as JSON refuse a conversation in which
// one is broken, so a broken one is wrapped.
func arguments(args string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return args
	}
	wrapped, err := json.Marshal(map[string]string{"malformed": args})
	if err != nil {
		return "{}"
	}
	return string(wrapped)
}
