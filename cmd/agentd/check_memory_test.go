package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// notesFolder is a folder of notes: a file, one in a folder below, and one that is no Markdown.
func notesFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"suppliers.md":          "# Suppliers\n\nThe locksmith is called Kranich.\n\n- Flour comes from the mill in Lans.\n",
		"memory/2026-03-02.md":  "- Die Druckerei Falke liefert die Speisekarten am Freitag.\n- The dentist moved to Harbour Street.\n",
		"memory/notes.txt":      "The locksmith is called Falcon.\n",
		"memory/.hidden.md":     "The locksmith is called Owl.\n",
		"memory/put-aside.md":   `- The safe code is odd. <!-- note {"id":"a","from":"agent","held":"odd"} -->` + "\n",
		"memory/unreadable.md ": "The locksmith is called Crane.\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheckMemory(t *testing.T) {
	t.Parallel()
	dir := notesFolder(t)
	in := strings.Join([]string{
		`{"id":1,"q":"what is the locksmith called"}`,
		`{"id":"2","q":"Speisekartendruckerei"}`,
		`{"id":3,"q":"dentsit"}`,
		`{"id":4,"q":"safe code"}`,
		`{"id":5,"q":"zebra"}`,
		`{"id":6}`,
		`no JSON`,
	}, "\n")
	out, errOut, code := invoke(t, in, "check", "memory", "--dir", dir)
	compareLines(t, out, code, []string{
		`{"id":1,"hits":[{"file":"suppliers.md","line":3,"score":0.`,
		`{"id":"2","hits":[{"file":"memory/2026-03-02.md","line":1,"score":0.`,
		`{"id":3,"hits":[{"file":"memory/2026-03-02.md","line":2,"score":0.`,
		`{"id":4,"hits":[{"file":"memory/put-aside.md","line":1,"score":0.`,
		`{"id":5,"hits":[]}`,
		`{"id":6,"hits":[],"error":"the field \"q\" is missing"}`,
		`{"id":null,"hits":[],"error":"no question: `,
	})
	if errOut != "" {
		t.Errorf("said %q", errOut)
	}
	files := 0
	if err := fs.WalkDir(os.DirFS(dir), ".", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
		}
		return err
	}); err != nil || files != 6 {
		t.Errorf("%d files after it, %v", files, err)
	}
}

// TestCheckMemory_refuses: a folder that is not there is not made, and a file that is too large is named.
func TestCheckMemory_refuses(t *testing.T) {
	t.Parallel()
	dir := notesFolder(t)
	for _, args := range [][]string{{"--dir", filepath.Join(dir, "none")}, {}, {"--dir", dir, "--limit", "0"}, {"--dir", dir, "more"}} {
		if _, errOut, code := invoke(t, "", append([]string{"check", "memory"}, args...)...); code == 0 || errOut == "" {
			t.Errorf("%v: exit %d, %q", args, code, errOut)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("the folder was made")
	}
	big, err := os.Create(filepath.Join(dir, "big.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(64 << 20); err != nil {
		t.Fatal(err)
	}
	if err := big.Close(); err != nil {
		t.Fatal(err)
	}
	out, errOut, code := invoke(t, `{"id":1,"q":"locksmith","more":true}`, "check", "memory", "--dir", dir, "--limit", "1")
	if code != 0 || strings.Count(out, `"line":3`) != 1 || !strings.Contains(errOut, "big.md") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}
