package redact

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestBytes_jsonStaysJSON(t *testing.T) {
	t.Parallel()
	secret := some(rand.New(rand.NewPCG(3, 3)), alnum, 20) + `"\é`
	e := NewWith([]Known{{"it", secret}, {"pin", "73915284"}})
	raw, err := json.Marshal(map[string]any{
		"text": "before " + secret + " after", "n": 73915284, secret: 1, "password": "hunter2hunter2", "list": []any{"x", secret},
		"inner": `{"token":"` + secret + `"}`, "nothing": "the word password stays",
	})
	if err != nil {
		t.Fatal(err)
	}
	out := e.Bytes(raw)
	var back map[string]any
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if strings.Contains(string(out), secret[:12]) || strings.Contains(string(out), "hunter2") || strings.Contains(string(out), "73915284") {
		t.Errorf("a secret stays in %s", out)
	}
	if back["nothing"] != "the word password stays" || back["text"] != "before [SECRET:it] after" || back["n"] != "[SECRET:pin]" {
		t.Errorf("changed too much or too little: %s", out)
	}
	if again := e.Bytes(out); !bytes.Equal(again, out) {
		t.Errorf("not the same the second time: %s", again)
	}
}

// What was seen before is remembered with the name it stood under, and with the secrets of its time.
func TestBytes_remembered(t *testing.T) {
	t.Parallel()
	e := New()
	for range 2 {
		got := string(e.Bytes([]byte(`{"note":"hunter","password":"hunterX!","kind":"note=\"hunter"}`)))
		if got != `{"note":"hunter","password":"[REDACTED:password]","kind":"note=\"hunter"}` {
			t.Error(got)
		}
	}
	e.SetSecrets([]Known{{"it", "Hunter"}})
	if got := string(e.Bytes([]byte(`{"note":"Hunter"}`))); got != `{"note":"[SECRET:it]"}` {
		t.Error(got)
	}
}
