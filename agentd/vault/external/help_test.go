package external_test

import (
	"context"
	"testing"

	"gatehouse/agentd/wire"
)

func auditOf() wire.SecretAuditParams { return wire.SecretAuditParams{Name: name, Limit: 50} }

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}
