package gate

import (
	"encoding/json"
	"fmt"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// mask lets the question hold the arguments as people will see them: what looks like a secret does not leave the server.
// The digest binds both, what would run and what is shown, so that whoever signs can check what they read. The question
// is masked as a whole, as it is on its way out: what stands beside the arguments can tell that a word in them is secret.
func (a *question) mask() error {
	raw, err := json.Marshal(a.Approval)
	if err != nil {
		return fmt.Errorf("mask approval: %w", err)
	}
	var out wire.Approval
	if err := json.Unmarshal(redact.Frame(redact.ToHub, raw), &out); err != nil {
		return fmt.Errorf("mask approval: %w", err)
	}
	shown, err := canonical.JSON(out.Args)
	if err != nil {
		return fmt.Errorf("mask approval: %w", err)
	}
	a.Args = shown
	if sum := canonical.Sum(shown); sum != a.ArgsHash {
		a.ShownHash = sum
	}
	return nil
}
