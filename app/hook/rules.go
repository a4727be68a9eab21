package hook

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

// Rules gives the rules on events of a customer's server, by name.
func (s *Service) Rules(ctx context.Context, of account.CustomerID) (wire.EventRulesResult, error) {
	return server.Ask[wire.EventRulesResult](ctx, s.Peer, of, wire.MethodEventRulesList, wire.EventRulesParams{}, askWait)
}

// Rule gives one rule, also one that was deleted.
func (s *Service) Rule(ctx context.Context, of account.CustomerID, id string) (wire.EventRule, error) {
	return server.Ask[wire.EventRule](ctx, s.Peer, of, wire.MethodEventRuleGet, wire.EventRuleParams{ID: id}, askWait)
}

// Firings gives one page of what became of the events that a rule waits for, newest first.
func (s *Service) Firings(ctx context.Context, of account.CustomerID, p wire.EventFiringsParams) (wire.EventFirings, error) {
	return server.Ask[wire.EventFirings](ctx, s.Peer, of, wire.MethodEventRuleFirings, p, askWait)
}

// ChangeRule carries a person's act on a rule. The server checks the signature.
func (s *Service) ChangeRule(ctx context.Context, of account.CustomerID, c wire.EventRuleChange) (wire.EventRule, error) {
	return server.Ask[wire.EventRule](ctx, s.Peer, of, wire.MethodEventRuleChange, c, askWait)
}
