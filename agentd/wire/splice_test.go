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

// FuzzPeel: what is taken apart is what decoding as a whole would give, or what it would refuse.
func FuzzPeel(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"v":1,"body":{"root":"r","n":1,"data":{"a":1}}}`, `{"v":1,"body":{"n":1,"data":1,"event":"final"}}`, `{"v":1,"body":1}}`,
		`{"v":1,"body":1,"v":2}`, `{"v":1,"Body":1,"body":2}`, `{"v":1,"body":1,"body":2}`, `{"id":",\"body\":1}`, `{"x":{"v":1,"body":1}}`, `{,"body":1}`,
		`{"x":[1,"body":1}`, `{"v":1,"body": null }`, `{"v":"a","body":1}`, ` {"v":1,"body":1} `, `{"body":{"x":{"n":1,"data":2},"n":3}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		var want Frame
		wrong := json.Unmarshal(msg, &want)
		got, err := frameOf(bytes.Clone(msg))
		if (err == nil) != (wrong == nil) {
			t.Fatalf("%s: %v, as a whole %v", msg, err, wrong)
		}
		if err != nil {
			return
		}
		alike(t, msg, got, want)
		var inner RunEvent
		wrong = json.Unmarshal(want.Body, &inner)
		e, err := got.Event()
		if (err == nil) != (wrong == nil) {
			t.Fatalf("event of %s: %v, as a whole %v", msg, err, wrong)
		}
		if err == nil {
			alike(t, msg, e, inner)
		}
	})
}

// alike compares what two values say in JSON: spaces around a piece do not count.
func alike(t *testing.T, msg []byte, got, want any) {
	t.Helper()
	a, err := json.Marshal(got)
	b, werr := json.Marshal(want)
	if err != nil || werr != nil || !bytes.Equal(a, b) {
		t.Fatalf("%s: %s, %v; as a whole %s, %v", msg, a, err, b, werr)
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
