package main

import (
	"strings"
	"testing"
)

// TestSecrets_short: a value that cannot be told from other text is taken with a warning, which does not repeat it.
func TestSecrets_short(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	for _, c := range []struct {
		in, act string
		warned  bool
	}{{"8-Of-Em!", "set", false}, {"7-OfEm!", "rotate", true}, {"7-OfEm?", "set", true}} {
		out, errOut, code := invoke(t, c.in, "secrets", c.act, "--state", dir, "door.pin")
		if code != 0 || strings.Contains(errOut, "shorter than 8 characters") != c.warned || strings.Contains(out+errOut, c.in) {
			t.Errorf("%s of %d characters: exit %d, said %q and %q", c.act, len(c.in), code, out, errOut)
		}
	}
}

// TestSecrets_shortImported: of a file, each short value is warned of by its name.
func TestSecrets_shortImported(t *testing.T) {
	t.Parallel()
	pin, code := "7-OfEm!", "8-Of-Em!"
	out, errOut, exit := invoke(t, "DOOR_PIN="+pin+"\nDOOR_CODE="+code+"\nsafe.pin=12\n", "secrets", "import", "--state", stateDir(t), "-")
	if exit != 0 || strings.Count(errOut, "shorter than 8 characters") != 2 || !strings.Contains(errOut, "door.pin is") || !strings.Contains(errOut, "safe.pin is") {
		t.Errorf("exit %d, said %q", exit, errOut)
	}
	if said := out + errOut; strings.Contains(said, pin) || strings.Contains(said, code) {
		t.Errorf("a value was said: %q", said)
	}
}
