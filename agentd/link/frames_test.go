package link

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"testing"

	"gatehouse/agentd/wire"
)

// TestFrames: a frame goes to the taker of its type. What can never be taken is refused for good, any other error is not.
func TestFrames(t *testing.T) {
	t.Parallel()
	later := errors.New("later")
	var got wire.RunCancel
	all := Frames{
		wire.TypeRunCancel:   Take(func(_ context.Context, _ *sql.Tx, c wire.RunCancel) error { got = c; return nil }),
		wire.TypeChatMessage: Take(func(context.Context, *sql.Tx, wire.ChatMessage) error { return &wire.RPCError{Code: "bad_request"} }),
		wire.TypeConfigPush:  Take(func(context.Context, *sql.Tx, wire.Config) error { return later }),
	}
	for name, c := range map[string]struct {
		of   wire.Type
		body string
		want error
	}{
		"taken":            {wire.TypeRunCancel, `{"run_id":"r"}`, nil},
		"unreadable":       {wire.TypeRunCancel, `[]`, ErrRefused},
		"refused by part":  {wire.TypeChatMessage, `{}`, ErrRefused},
		"nobody's":         {wire.TypeAlert, `{}`, ErrRefused},
		"not possible now": {wire.TypeConfigPush, `{}`, later},
	} {
		err := all.Apply(t.Context(), nil, wire.Frame{Type: c.of, Body: json.RawMessage(c.body)})
		if !errors.Is(err, c.want) || errors.Is(err, ErrRefused) != errors.Is(c.want, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got.RunID != "r" {
		t.Errorf("%+v", got)
	}
}
