package receipt

import (
	"encoding/json"
	"testing"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// FuzzAppendChained: the quick way to a hash gives what the plain one gives, whatever stands in a record.
func FuzzAppendChained(f *testing.F) {
	f.Add(int64(1), int64(1_700_000_000_000_000), "call.started", "run", "call", "shell", "green", `{"a":1}`)
	f.Add(int64(1<<52), int64(0), "\"\\", "\u2028<&>", "\xff", "tab\t", "grün", `{"z":[null,"\u00e9"],"a":{}}`)
	f.Fuzz(func(t *testing.T, seq, micros int64, kind, run, call, tool, tier, body string) {
		b, err := canonical.JSON([]byte(body))
		at := time.UnixMicro(micros).UTC()
		if err != nil || at.Year() < 0 || at.Year() > 9999 || seq < 0 || seq > 1<<53 {
			return
		}
		r := wire.Receipt{Seq: seq, Time: at, Type: kind, RunID: run, CallID: call, Tool: tool, Tier: tier, Body: json.RawMessage(b), PrevHash: Genesis}
		want, err := HashOf(r)
		if err != nil {
			return
		}
		text, err := appendChained(nil, r)
		if got := hashText(text); err != nil || got != want {
			t.Fatalf("%+v: %s, %v; want %s", r, got, err, want)
		}
	})
}
