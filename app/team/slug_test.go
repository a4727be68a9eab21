package team_test

import (
	"testing"

	"gatehouse/app/team"
)

func TestIDOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Gärtner für Büros": "gaertner-fuer-bueros", "  R&D  ": "r-and-d", "Zoë": "zoe", "3D": "agent-3d", "x": "agent-x",
		"🌱": "", "園": "",
		"A very long name that nobody would ever give": "a-very-long-name-that-nobody-would-ever",
	} {
		if got := team.IDOf(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
