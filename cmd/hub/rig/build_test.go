package rig_test

import (
	"debug/elf"
	"path/filepath"
	"testing"

	"gatehouse/cmd/hub/rig"
)

// TestBuild_static: what is shipped needs no loader and no library of the machine it runs on.
func TestBuild_static(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := rig.Build("../../..", dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hub", "agentd"} {
		f, err := elf.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
				t.Errorf("%s has a %v: it is not static", name, p.Type)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
