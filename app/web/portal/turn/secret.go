package turn

import (
	"gatehouse/agentd/wire"
	"gatehouse/views/portal"
)

// awaits says whether the call waits for a person to give a value.
func (c *call) awaits() bool { return c.data.State == wire.ToolAwaitingSecret }

// asked is what the person is asked for; nil when the record does not say.
func (c *call) asked(names Names) *portal.SecretAskedProps {
	r := c.data.Secret
	if r == nil {
		return nil
	}
	return &portal.SecretAskedProps{ID: r.ID, Agent: names(r.Agent).Name, Name: r.Name, Prompt: r.Prompt, Generate: r.Generate, At: r.CreatedAt}
}
