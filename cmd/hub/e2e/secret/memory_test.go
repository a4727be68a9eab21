package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// formsOf are the forms in which a value is looked for where there is too much to decode: as it is and in the encodings
// that programs use without being asked to.
func formsOf(value string) map[string][]byte {
	raw := []byte(value)
	wide := make([]byte, 0, 2*len(raw))
	var units strings.Builder
	for _, b := range raw {
		wide = append(wide, b, 0)
		fmt.Fprintf(&units, `\u%04x`, b)
	}
	mirrored := bytes.Clone(raw)
	slices.Reverse(mirrored)
	forms := map[string][]byte{
		"as it is": raw, "reversed": mirrored, "UTF-16": wide, "JSON": []byte(units.String()),
		"hex": []byte(hex.EncodeToString(raw)), "hex in capitals": []byte(strings.ToUpper(hex.EncodeToString(raw))),
	}
	for name, alphabet := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64 of URLs": base64.RawURLEncoding} {
		for i := range 3 { // it depends on what stands before
			whole := alphabet.EncodeToString(append(make([]byte, i), raw...))
			forms[fmt.Sprintf("%s, place %d", name, i)] = []byte(whole[4*min(i, 1) : len(whole)-4])
		}
	}
	return forms
}

// inMemory says how often forms stand in what a process can write to: whatever it was ever told and has not forgotten.
func inMemory(t *testing.T, pid int, forms map[string][]byte) map[string]int {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mem.Close() }() // it was only read
	looked, found := 0, map[string]int{}
	for line := range strings.Lines(string(maps)) {
		var from, to int64
		var mode string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); err == nil && strings.HasPrefix(mode, "rw") {
			looked += countIn(io.NewSectionReader(mem, from, to-from), forms, found)
		}
	}
	if looked < 10<<20 {
		t.Fatalf("only %d bytes of memory could be read", looked)
	}
	return found
}

// countIn adds how often forms stand in what can be read of r, and says how much that was; of a region for devices it is
// nothing. It holds a small part at a time: whoever looks at its own memory in one piece needs as much again each time.
func countIn(r io.Reader, forms map[string][]byte, found map[string]int) (looked int) {
	const part = 1 << 20
	longest := 0
	for _, form := range forms {
		longest = max(longest, len(form))
	}
	b, kept := make([]byte, longest+part), 0 // what was kept of the part before, then the next part
	for {
		n, err := io.ReadFull(r, b[kept:kept+part])
		looked += n
		for how, form := range forms {
			if times := bytes.Count(b[max(0, kept-len(form)+1):kept+n], form); times > 0 {
				found[how] += times
			}
		}
		if err != nil {
			return looked
		}
		kept = copy(b, b[kept+n-longest:kept+n])
	}
}

// TestInMemory holds a value in each of its forms and finds it in this process.
func TestInMemory(t *testing.T) {
	t.Parallel()
	forms := formsOf(e2e.Random())
	held := make([][]byte, 0, len(forms))
	for _, form := range forms {
		held = append(held, bytes.Clone(form))
	}
	ballast := make([]byte, 16<<20)
	for i := range ballast {
		ballast[i] = byte(i)
	}
	found := inMemory(t, os.Getpid(), forms)
	for how := range forms {
		if found[how] < 2 { // once in forms, once in held
			t.Errorf("%s was found %d times", how, found[how])
		}
	}
	runtime.KeepAlive(held)
	runtime.KeepAlive(ballast)
}
