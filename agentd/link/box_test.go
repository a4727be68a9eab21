package link

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestEncode_box: bytes that go beside an answer arrive as they are, and the answer itself is clean.
func TestEncode_box(t *testing.T) {
	t.Parallel()
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	frame := wire.Frame{V: wire.Version, Type: wire.TypeRPCReply}
	box := bytes.Repeat([]byte(secret), 1000)
	for _, result := range []string{`{"text":"token ` + secret + `"}`, `{}`, `{"text":"}"}`} {
		msgs, err := encode(frame, wire.RPCReply{ID: "7", Result: json.RawMessage(result), Box: box})
		if err != nil || len(msgs) != 1 {
			t.Fatalf("%d messages, %v", len(msgs), err)
		}
		var f wire.Frame
		var got wire.RPCReply
		if err := json.Unmarshal(msgs[0], &f); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(f.Body, &got); err != nil || got.ID != "7" || !bytes.Equal(got.Box, box) {
			t.Fatalf("%+v, %v", got.ID, err)
		}
		if strings.Contains(string(got.Result), secret) {
			t.Errorf("sent: %s", got.Result)
		}
	}
	msgs, err := encode(frame, wire.RPCReply{ID: "7", Result: json.RawMessage(`{"box":"` + secret + `"}`)})
	if err != nil || strings.Contains(string(msgs[0]), secret) {
		t.Errorf("what calls itself a box: %s, %v", msgs[0], err)
	}
}
