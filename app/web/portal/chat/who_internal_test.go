package chat

import (
	"testing"

	"gatehouse/agentd/wire"
)

// TestPersonTurn_who: a mail with the reader's address is the reader's own only where the server is sure of it, and says how it came.
func TestPersonTurn_who(t *testing.T) {
	t.Parallel()
	const reader = "owner@example.com"
	for _, c := range []struct {
		from wire.Origin
		want string
	}{
		{wire.Origin{Channel: "portal", Email: reader}, "You"},
		{wire.Origin{Channel: "portal", Email: "mate@example.com"}, "mate@example.com"},
		{wire.Origin{Channel: "email", Email: reader, Owner: true}, "You, by e-mail"},
		{wire.Origin{Channel: "email", Email: reader}, "owner@example.com, by e-mail"},
		{wire.Origin{Channel: "email", Email: "guest@elsewhere.example"}, "guest@elsewhere.example, by e-mail"},
		{wire.Origin{Channel: "telegram", Address: "8000000001", Owner: true}, "The owner, by Telegram"},
		{wire.Origin{Channel: "telegram", Address: "8000000002"}, "8000000002, by Telegram"},
	} {
		if got := personTurn(t.Context(), wire.Turn{From: c.from}, reader).Who; got != c.want {
			t.Errorf("%+v is %q, not %q", c.from, got, c.want)
		}
	}
}
