package agentd

import "gatehouse/agentd/ingress"

// wrapped makes content from outside fit for a model.
type wrapped struct{}

// Wrap implements gate.Ingress.
func (wrapped) Wrap(source, sender, id, text string) (string, []string) {
	b := ingress.Wrap(source, sender, id, text, 0)
	return b.Text, b.Patterns
}
