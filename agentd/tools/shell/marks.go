package shell

import (
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

// noMarks refuses a command that does more than look and holds the mark of a secret: written, by whatever program, it
// would take the place of the secret.
func noMarks(command string, tier policy.Tier) error {
	mark := redact.Shown("", command)
	if mark == "" || tier == policy.Green {
		return nil
	}
	return tool.Refuse("The command holds %s. That mark stands for a value that you were not shown, and writing it would destroy the value. Nothing was done. "+
		"Change only lines that hold no mark, found by their name or number; a setting can be changed with env_update.", mark)
}
