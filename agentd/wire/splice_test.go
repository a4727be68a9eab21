package wire

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

// TestBytes_asMarshal: what is put together is what encoding as a whole would give, for JSON as encoding writes it.
func TestBytes_asMarshal(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{``, `0`, `null`, `{}`, `{"text":"a \u003cb\u003e 10}"}`, `[1,{"a":[]}]`, `"10}"`} {
		e := RunEvent{Root: "r", Session: "s\"0}", N: 10, Event: EventDelta, Data: json.RawMessage(raw)}
		same(t, e, e.Bytes)
		f := Frame{V: Version, ID: "id", Type: TypeChatEvent, Seq: 10, Ack: 10, Time: time.Unix(10, 0).UTC(), Body: json.RawMessage(raw)}
		same(t, f, f.bytes)
		e.Data, f.Body = nil, nil
		same(t, e, e.Bytes)
		same(t, f, f.bytes)
	}
}

func same(t *testing.T, v any, get func() ([]byte, error)) {
	t.Helper()
	want, err := json.Marshal(v)
	if err != nil { // an empty piece is no JSON
		return
	}
	if got, err := get(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
