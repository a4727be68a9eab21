package chat

import (
	"context"
	"encoding/json"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
)

// Echo sends body, which must be JSON, to the customer's server and returns what comes back: the same, kept nowhere.
func (s *Service) Echo(ctx context.Context, of account.CustomerID, body []byte) ([]byte, error) {
	return ask[json.RawMessage](ctx, s, of, wire.MethodEcho, json.RawMessage(body))
}
