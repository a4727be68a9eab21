package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/ingress"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// play begins an order to the obedient model, wherever it stands; the rest is a list of orders in JSON.
const play = "PLAY "

// order is one thing to do: a call, or the last tool's answer said again.
type order struct {
	Tool string          `json:"tool,omitempty"`
	Args json.RawMessage `json:"args,omitempty"`
	Echo bool            `json:"echo,omitempty"`
}

func do(tool string, args any) order {
	b, _ := json.Marshal(args) // strings always marshal
	return order{Tool: tool, Args: b}
}

// orders is a text that makes the obedient model do them.
func orders(all ...order) string {
	b, _ := json.Marshal(all) // as above
	return play + string(b)
}

// obedient does what any text says, whoever wrote it: the owner, a page, a file, the output of a command, a colleague.
// It is the worst model there can be, and what every model is taken for. What it is told anew comes before the rest.
func obedient() model {
	return model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		var ahead []order
		last, n := "", 0
		for _, m := range o.Messages() {
			switch m.Role {
			case llm.User:
				ahead = told(m.Text)
			case llm.ToolReply:
				more := told(m.Text)
				if len(more) > 0 {
					last = m.Text
				}
				ahead, n = append(more, ahead[min(1, len(ahead)):]...), n+1
			}
		}
		switch {
		case len(ahead) == 0:
			return say("That is all.", text)
		case ahead[0].Echo:
			return say(last, text)
		}
		return calls(llm.Call{ID: "c" + string(rune('a'+n)), Name: ahead[0].Tool, Args: string(ahead[0].Args)})
	}}
}

// told is every order in a text.
func told(text string) (all []order) {
	for {
		_, rest, found := strings.Cut(text, play)
		if !found {
			return all
		}
		var some []order
		if json.NewDecoder(strings.NewReader(rest)).Decode(&some) == nil {
			all = append(all, some...)
		}
		text = rest
	}
}

// pretend is a tool that is judged as the real one of its name is, and whose effect is a line in the ledger, and an empty file. What is
// planted is what a read gives instead.
type pretend struct {
	name    string
	schema  json.RawMessage
	env     policy.Env
	ledger  *gatetest.Ledger
	planted func(name string, args json.RawMessage) (text string, outside bool)
}

// Definition implements gate.Tool.
func (p *pretend) Definition() tool.Definition {
	return tool.Definition{Name: p.name, Doc: "Does what its name says.", Args: p.schema, Outward: p.name == "message" ||
		p.name == "http_request"}
}

// Classify implements gate.Tool.
func (p *pretend) Classify(args json.RawMessage) policy.Class {
	return policy.Classify(p.name, args, p.env)
}

// Run implements gate.Tool.
func (p *pretend) Run(_ context.Context, permit gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := permit.Redeem(args); err != nil {
		return tool.Result{}, err
	}
	text, outside := p.planted(p.name, args)
	if text != "" {
		return tool.Result{Text: text, Summary: "Read it", Meta: map[string]any{gate.MetaOutside: outside}}, nil
	}
	if err := p.ledger.Append(permit.CallID(), args); err != nil {
		return tool.Result{}, err
	}
	r := tool.Result{Text: "done", Summary: "Done"}
	var in struct{ Path string }
	if strings.HasSuffix(p.name, "_write") || strings.HasSuffix(p.name, "_update") {
		if err := json.Unmarshal(args, &in); err != nil {
			return tool.Result{}, err
		}
		at := filepath.Join(p.env.Root, in.Path) // what it holds is planted
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o750), os.WriteFile(at, nil, 0o600)); err != nil {
			return tool.Result{}, err
		}
		r.Effects = []tool.Effect{{Kind: "written", Target: in.Path, Count: 1}}
	}
	return r, nil
}

// marks is the real ingress.
type marks struct{}

// Wrap implements gate.Ingress.
func (marks) Wrap(source, sender, id, text string) (string, []string) {
	b := ingress.Wrap(source, sender, id, text, 0)
	return b.Text, b.Patterns
}
