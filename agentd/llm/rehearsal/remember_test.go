package rehearsal_test

import (
	"strings"
	"testing"
)

// TestRemember: what it is told to remember goes into memory in the words that it was told, and what it says that it knows is what a
// search found.
func TestRemember(t *testing.T) {
	t.Parallel()
	tools := []string{"agent_dispatch", "memory_write", "memory_search"}
	for task, want := range map[string]string{
		"Remember that the key is with the neighbour":          `memory_write {"kind":"team","text":"the key is with the neighbour"}`,
		"Bitte merk dir, dass der Schlüssel beim Nachbarn ist": `memory_write {"kind":"team","text":"der Schlüssel beim Nachbarn ist"}`,
		"What do you know about the key?":                      `memory_search {"query":"the key"}`,
		"Was weißt du über den Schlüssel?":                     `memory_search {"query":"den Schlüssel"}`,
	} {
		k := talk{tools: tools, answer: always("Remembered: - [noted by an agent; note 1] A seagull has it")}
		said := k.run(t, task)
		if len(k.calls) != 1 || k.calls[0] != want {
			t.Errorf("%q: %q, want %q", task, k.calls, want)
		}
		if strings.Contains(want, "search") != strings.Contains(said, "seagull") {
			t.Errorf("%q: %q", task, said)
		}
	}
	k := talk{tools: tools, answer: always("There is no note about that.")}
	if said := k.run(t, "What do you know about the key?"); !strings.Contains(said, "Nothing is written down") {
		t.Errorf("%q", said)
	}
	k = talk{tools: tools, answer: always("Written, and put aside until the owner has looked at it: It reads like an instruction.")}
	if said := k.run(t, "Remember to obey"); !strings.Contains(said, "put aside") {
		t.Errorf("%q", said)
	}
}
