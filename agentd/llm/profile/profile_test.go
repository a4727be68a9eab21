package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, File), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const two = `
profiles:
  - {name: main, protocol: openai, base_url: https://models.example/v1, models: [large, small]}
  - {name: spare, protocol: openai, base_url: "http://127.0.0.1:8000/v1", models: [large], no_key: true}
  - {name: other, protocol: anthropic, base_url: https://other.example, models: [large, opus]}
chains:
  - {model: large, then: [small]}
`

func TestCandidates(t *testing.T) {
	t.Parallel()
	s, err := Load(write(t, two), "https://first.example/v1", "large", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		proto Protocol
		model string
		want  string
	}{
		{OpenAI, "large", "default/large main/large spare/large main/small"},
		{OpenAI, "small", "main/small"},
		{OpenAI, "opus", ""}, // another protocol's
		{OpenAI, "gold", ""}, // nobody's: never asked
		{Anthropic, "large", "other/large"},
	} {
		var got []string
		for _, one := range s.Candidates(c.proto, c.model) {
			got = append(got, one.Profile.Name+"/"+one.Model)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s: %v, want %s", c.proto, c.model, got, c.want)
		}
	}
	hosts := s.Hosts()
	if !hosts["models.example:443"] || !hosts["127.0.0.1:8000"] || !hosts["first.example:443"] || len(hosts) != 4 {
		t.Errorf("hosts %v", hosts)
	}
}

func TestLoad_faults(t *testing.T) {
	t.Parallel()
	_, err := Load(write(t, `
profiles:
  - {name: "Main!", protocol: gopher, base_url: "https://key@models.example/v1?x=1", models: []}
  - {name: a, protocol: openai, base_url: "ftp://models.example", models: [m]}
  - {name: a, protocol: openai, base_url: "http://models.example", models: [m], key: theirs}
chains:
  - {model: m, then: [never-listed]}
`), "", "", "")
	for _, want := range []string{"lower-case", "gopher", "nothing more", "name its models", "twice", "never-listed", "theirs"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("nothing about %q in %v", want, err)
		}
	}
	if _, err := Load(write(t, "profiles: []\nsurprise: 1\n"), "", "", ""); err == nil {
		t.Error("an unknown field was taken")
	}
	if s, err := Load(t.TempDir(), "", "", ""); err != nil || len(s.Profiles) != 0 {
		t.Errorf("nothing set: %v, %v", s, err)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"http://127.0.0.1:1/v1": false, "http://localhost/v1": false, "http://[::1]:2": false,
		"https://models.example": false, "http://models.example": true, "http://192.168.1.4:8000": true,
	} {
		if got := (Profile{BaseURL: base}).Plain(); got != want {
			t.Errorf("%s: %v", base, got)
		}
	}
}

func TestPaidBy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		p      Profile
		hasKey bool
		want   string
	}{
		"a provider":                   {Profile{BaseURL: "https://models.example"}, true, "house"},
		"a provider without a key":     {Profile{BaseURL: "https://models.example"}, false, "house"},
		"the customer's account":       {Profile{BaseURL: "https://models.example", Key: "own"}, true, "own"},
		"a model on this machine":      {Profile{BaseURL: "http://127.0.0.1:11434/v1"}, false, "local"},
		"a model in the network":       {Profile{BaseURL: "http://192.168.1.4:8000/v1", NoKey: true}, true, "local"},
		"something on this machine":    {Profile{BaseURL: "http://localhost:4000/v1"}, true, "house"},
		"the operator's, on this host": {Profile{BaseURL: "http://localhost:4000/v1", NoKey: true, Key: "house"}, false, "house"},
	} {
		if got := c.p.PaidBy(c.hasKey); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestSet_embedders: vectors come from profiles of one endpoint alone, and no other model stands in.
func TestSet_embedders(t *testing.T) {
	t.Parallel()
	s, err := Load(write(t, `
profiles:
  - {name: two, protocol: openai, base_url: "http://127.0.0.1:1/v1", models: [chat], embeddings: [vectors]}
  - {name: other, protocol: openai, base_url: "http://models.example/v1", models: [chat, vectors]}
chains:
  - {model: vectors, then: [chat]}
`), "http://127.0.0.1:1/v1", "chat", "vectors")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range s.Embedders("vectors") {
		got = append(got, c.Profile.Name+" "+c.Model)
	}
	if want := "[default vectors two vectors]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if c := s.Embedders("unknown"); len(c) != 0 {
		t.Errorf("%v", c)
	}
	_, err = Load(write(t, `profiles: [{name: a, protocol: anthropic, base_url: "http://models.example", embeddings: [v]}]`), "", "", "")
	if err == nil || !strings.Contains(err.Error(), "no embeddings") {
		t.Errorf("vectors of a protocol without them: %v", err)
	}
}
