package turn

import (
	"gatehouse/agentd/wire"
	"gatehouse/views/portal/credential"
)

// awaits says whether the call waits for a person to give a value.
func (c *call) awaits() bool { return c.data.State == wire.ToolAwaitingSecret }

// wantsSecret says whether some call of the turn waits for a person to give a value.
func (t *Turn) wantsSecret() bool {
	for _, c := range t.calls {
		if c.awaits() {
			return true
		}
	}
	return false
}

// asked is what the person is asked for; nil when the record does not say.
func (t *Turn) asked(c *call, names Names) *credential.RequestProps {
	r := c.data.Secret
	if r == nil {
		return nil
	}
	return &credential.RequestProps{ID: r.ID, Session: t.session, Agent: names(r.Agent).Name, Name: r.Name, Generate: r.Generate, At: r.CreatedAt}
}
