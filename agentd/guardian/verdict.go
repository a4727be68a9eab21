package guardian

import (
	"encoding/json"
	"fmt"
	"strings"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/strict"
)

// Verdict is the guardian's answer.
type Verdict struct {
	Verdict policy.Opinion `json:"verdict"`
	Reason  string         `json:"reason"`
}

// maxAnswer is the longest answer that is read at all.
const maxAnswer = 8 << 10

// Read takes exactly one JSON object with exactly these two fields, once each, and nothing around it.
func Read(text string) (Verdict, error) {
	if len(text) > maxAnswer {
		return Verdict{}, fmt.Errorf("it is longer than %d bytes", maxAnswer)
	}
	v, err := strict.Parse[Verdict](json.RawMessage(strings.TrimSpace(text)))
	if err != nil {
		return Verdict{}, err
	}
	switch v.Verdict {
	case policy.Harmless, policy.Block, policy.Escalate:
		return v, nil
	}
	return Verdict{}, fmt.Errorf("%.20q is no verdict", string(v.Verdict))
}
