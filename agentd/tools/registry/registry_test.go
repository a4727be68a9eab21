package registry_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/tools/registry"
)

func write(t *testing.T, dir, text string) {
	t.Helper()
	path := filepath.Join(dir, registry.File)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Duration(len(text)) * time.Second)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := registry.New(dir)
	if all, err := r.All(); err != nil || len(all) > 0 {
		t.Fatalf("without a file: %v, %v", all, err)
	}
	write(t, dir, `{"tools":[{"name":"ghost","api_base":"http://127.0.0.1:2368/ghost/api/admin","external_url":"https://blog.example.com","auth":{"type":"bearer","ref":"ghost.admin_key"}}]}`)
	g, ok, err := r.Find("ghost")
	if err != nil || !ok || g.Auth.Header != "Authorization" || g.Home().String() != "http://127.0.0.1:2368" || !g.Has(registry.Origin{Scheme: "https", Host: "blog.example.com", Port: 443}) ||
		g.Has(registry.Origin{Scheme: "https", Host: "blog.example.com", Port: 8443}) || g.Has(registry.Origin{Scheme: "http", Host: "blog.example.com", Port: 443}) {
		t.Fatalf("%+v, %v, %v", g, ok, err)
	}
	if reg := r.Registered(); len(reg) != 1 || len(reg[0].Bases) != 2 || reg[0].Bases[1] != "https://blog.example.com" {
		t.Errorf("%+v", reg)
	}
	write(t, dir, `{"tools":[{"name":"crm","internal_url":"http://10.0.0.5"}]}`)
	if _, ok, err := r.Find("ghost"); ok || err != nil {
		t.Errorf("a tool that is gone is still there: %v", err)
	}
}

func TestRegistry_refusals(t *testing.T) {
	t.Parallel()
	one := func(fields string) string {
		return `{"tools":[{"name":"a","internal_url":"http://h.example",` + fields + `}]}`
	}
	for what, text := range map[string]string{
		"no JSON": "{", "unknown field": one(`"x":1`), "twice": `{"tools":[{"name":"a","internal_url":"http://h.example"},{"name":"a","internal_url":"http://h.example"}]}`,
		"field twice": `{"tools":[{"name":"a","name":"b","internal_url":"http://h.example"}]}`, "no URL": `{"tools":[{"name":"a"}]}`,
		"user in URL": `{"tools":[{"name":"a","internal_url":"http://u:p@h.example"}]}`, "other scheme": `{"tools":[{"name":"a","internal_url":"file:///etc"}]}`,
		"odd name": `{"tools":[{"name":"A b","internal_url":"http://h.example"}]}`, "unknown sign-in": one(`"auth":{"type":"magic","ref":"a.b"}`),
		"no ref": one(`"auth":{"type":"bearer"}`), "a value for a ref": one(`"auth":{"type":"bearer","ref":"Bearer abc"}`),
		"no header": one(`"auth":{"type":"header","ref":"a.b"}`), "header with line break": one(`"auth":{"type":"header","ref":"a.b","header":"X\nY"}`),
		"prefix with line break": one(`"auth":{"type":"header","ref":"a.b","header":"X","prefix":"a\r\nb: "}`), "ref without type": one(`"auth":{"ref":"a.b"}`),
		"port": `{"tools":[{"name":"a","internal_url":"http://h.example:99999"}]}`, "backslash": `{"tools":[{"name":"a","internal_url":"http://h.example\\@evil"}]}`,
	} {
		dir := t.TempDir()
		write(t, dir, text)
		r := registry.New(dir)
		if all, err := r.All(); err == nil || len(all) > 0 || r.Registered() != nil {
			t.Errorf("%s: %v", what, all)
		}
	}
	dir := t.TempDir()
	write(t, dir, `{"tools":[]}`)
	if err := os.Chmod(filepath.Join(dir, registry.File), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := registry.New(dir).All(); err == nil || !strings.Contains(err.Error(), "only its owner") {
		t.Errorf("anybody may write it: %v", err)
	}
}
