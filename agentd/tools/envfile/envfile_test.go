package envfile_test

import (
	"os/exec"
	"strings"
	"testing"

	"gatehouse/agentd/tools/envfile"
)

const sample = "# made by hand\n\nexport URL=https://x.example # main\nNAME = 'a b'\nQUOTED=\"say \\\"hi\\\" for \\$5\"\nEMPTY=\nnot a setting\nURL=https://y.example\n"

func TestFile(t *testing.T) {
	t.Parallel()
	f := envfile.Parse(sample)
	if f.Text() != sample {
		t.Errorf("reading and writing changes it:\n%s", f.Text())
	}
	if got := strings.Join(f.Keys(), " "); got != "URL NAME QUOTED EMPTY" {
		t.Error(got)
	}
	for key, want := range map[string]string{"URL": "https://y.example", "NAME": "a b", "QUOTED": `say "hi" for $5`, "EMPTY": ""} {
		if got, ok := f.Get(key); !ok || got != want {
			t.Errorf("%s = %q", key, got)
		}
	}
	if f.Set("NAME", "a b") || !f.Set("NAME", "c") || !f.Set("NEW", "d e") || !f.Set("URL", "https://z.example") {
		t.Error("Set says what changed")
	}
	want := "# made by hand\n\nURL=https://z.example\nNAME=c\nQUOTED=\"say \\\"hi\\\" for \\$5\"\nEMPTY=\nnot a setting\nURL=https://z.example\nNEW='d e'\n"
	if f.Text() != want {
		t.Errorf("got\n%s", f.Text())
	}
}

// TestSet_shellsAgree: what is written is what a POSIX shell reads, whatever stands in it.
func TestSet_shellsAgree(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to compare with")
	}
	for _, v := range []string{"plain", "two words", "it's", `"quoted"`, "$HOME", "`id`", `back\slash`, `it's "$HOME" \ and more`, "a#b", "a #b", "*", "~", "a;id", "käse", "&|<>()"} {
		f := envfile.Parse("")
		f.Set("V", v)
		out, err := exec.CommandContext(t.Context(), sh, "-c", f.Text()+`printf %s "$V"`).CombinedOutput()
		if err != nil || string(out) != v {
			t.Errorf("%q is read as %q by a shell, %v: %s", v, out, err, f.Text())
		}
		if again, _ := envfile.Parse(f.Text()).Get("V"); again != v {
			t.Errorf("%q is read as %q by us", v, again)
		}
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{"DB_PASSWORD": true, "API_KEY": true, "SMTP_PASS": true, "SESSION_SECRET": true, "PORT": false, "LOG_LEVEL": false, "SITE_URL": false} {
		if got := envfile.Secret(key, "hello"); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
	if envfile.Secret("DB_PASSWORD", "") {
		t.Error("an empty value is no secret")
	}
}

func FuzzFile(f *testing.F) {
	f.Add(sample, "v'\"")
	f.Fuzz(func(t *testing.T, text, value string) {
		if strings.ContainsAny(value, "\r\n") {
			return
		}
		file := envfile.Parse(text)
		before := len(file.Keys())
		file.Set("GATEHOUSE_TEST", value)
		again := envfile.Parse(file.Text())
		if got, ok := again.Get("GATEHOUSE_TEST"); !ok || got != strings.TrimSpace(value) && got != value || len(again.Keys()) < before {
			t.Fatalf("%q in %q is read back as %q", value, text, got)
		}
	})
}
