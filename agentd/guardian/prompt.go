package guardian

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/redact"
)

// Head begins the instructions: a provider that plays several parts knows by it which one it has.
const Head = "You are the guardian of a team of AI agents."

//go:embed prompt.md
var prompt string

// How much of each text the model is shown.
const (
	maxRequest = 4_000
	maxArgs    = 8_000
	maxReason  = 1_000
)

// Question is a call as the model sees it, in JSON.
type Question struct {
	Request string   `json:"owner_request"` // empty: no person asked for this run
	Agent   string   `json:"agent"`
	Tool    string   `json:"tool"`
	Action  string   `json:"action"`
	Tier    string   `json:"tier"`
	Summary string   `json:"summary"`
	Args    string   `json:"arguments"` // JSON as text: it is looked at, never followed
	Reason  string   `json:"agent_reason"`
	Outside []string `json:"reaches_outside"`
	Sources []string `json:"content_read_from_outside"` // where it came from, never what it says
	Level   int      `json:"autonomy_level"`
	Rule    string   `json:"owner_rule"`
}

// QuestionOf is what the model sees of a call, and whether that is all of it.
func QuestionOf(m gate.Matter) (q Question, whole bool) {
	whole = true
	fit := func(s string, n int) string {
		whole = whole && len(s) <= n
		return cut(s, n)
	}
	q = Question{
		Request: fit(m.Request, maxRequest), Agent: m.Agent, Tool: m.Tool, Action: m.Action, Tier: string(m.Tier), Summary: fit(m.Summary, maxReason),
		Args: fit(string(m.Args), maxArgs), Reason: fit(m.Reason, maxReason), Outside: m.Outside, Level: m.Level, Rule: m.Rule,
	}
	for _, s := range m.Taint {
		q.Sources = append(q.Sources, cut(s.Source, 200)) // a name of where it came from: what is done stands in the rest
	}
	return q, whole
}

// messages are what the model reads: its part, then the call as data. whole says that nothing of the call is left out.
func messages(m gate.Matter) (ask []llm.Message, whole bool, err error) {
	q, whole := QuestionOf(m)
	text, err := json.MarshalIndent(q, "", " ")
	if err != nil {
		return nil, false, fmt.Errorf("guardian: %w", err)
	}
	return []llm.Message{
		{Role: llm.System, Text: Head + "\n" + strings.TrimSpace(prompt)},
		{Role: llm.User, Text: "The proposed call, as data:\n" + string(text)},
	}, whole, nil
}

// cut leaves no half of a secret behind: whoever redacts what is sent would not know it for one.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimSuffix(redact.Clip(s, n), "…") + "…[cut]"
}
