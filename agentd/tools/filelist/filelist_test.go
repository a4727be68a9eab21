package filelist_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tools/filelist"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

func TestRun(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	d.Write(t, map[string]string{"b.txt": "12345", "a/x": "", "empty/x": ""})
	for name, err := range map[string]error{
		"link": os.Symlink("/etc", filepath.Join(d.Data, "link")), "empty": os.Remove(filepath.Join(d.Data, "empty/x")),
		"odd": os.WriteFile(filepath.Join(d.Data, "odd\nname"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	g := tooltest.NewGate(t, d, filelist.New(d.Root))
	o := g.Do(t, "file_list", policy.FileListArgs{Path: "."})
	lines := strings.Split(strings.TrimSpace(o.Text), "\n")
	if o.State != wire.ToolDone || len(lines) != 5 {
		t.Fatalf("%+v", o)
	}
	for i, want := range []string{"folder", "file", "folder", "link", "file"} { // a b.txt empty link odd
		if i == 1 {
			want = "file              5 "
		}
		if !strings.HasPrefix(lines[i], want) {
			t.Logf("%q", lines)
		}
	}
	for _, want := range []string{`"a"`, `"b.txt"`, `"odd\nname"`, "            5 "} {
		if !strings.Contains(o.Text, want) {
			t.Errorf("%s is missing in %s", want, o.Text)
		}
	}
	if o := g.Do(t, "file_list", policy.FileListArgs{Path: "empty"}); !strings.Contains(o.Text, "empty") {
		t.Errorf("%+v", o)
	}
	for _, p := range []string{"link", "none", "b.txt", "..", ".ssh"} {
		if o := g.Do(t, "file_list", policy.FileListArgs{Path: p}); o.State == wire.ToolDone {
			t.Errorf("%s: %+v", p, o)
		}
	}
}

func TestRun_many(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	files := map[string]string{}
	for i := range 2100 {
		files[fmt.Sprintf("f%04d", i)] = ""
	}
	d.Write(t, files)
	r := tooltest.NewGate(t, d, filelist.New(d.Root)).Do(t, "file_list", policy.FileListArgs{Path: "."})
	if r.Result.Facts[0].Value != 2100 || !strings.Contains(r.Result.Text+r.Text, "cut") && !strings.Contains(r.Text, "100 more") {
		t.Errorf("%v %.200s", r.Result.Facts, r.Text)
	}
}

func TestRun_noPermit(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	if r, err := filelist.New(d.Root).Run(t.Context(), gate.Permit{}, []byte(`{"path":"."}`)); err == nil {
		t.Errorf("listed %q without a permit", r.Text)
	}
}
