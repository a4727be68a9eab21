package static

import "bytes"

// styles are the parts of app.css; tokens.css states the order of the layers, so it comes first.
var styles = []string{
	"tokens", "reset", "base", "frame", "nav", "public", "button", "mark", "page", "message", "form", "approval", "chat",
	"evidence", "list", "portal", "guide", "landing", "plans", "order", "utility", "print",
}

// vendored are scripts of others, with their versions in their names.
var vendored = []string{"htmx-4.0.1.min", "hx-sse-4.0.1.min"}

// scripts are the parts of our own script; they share one scope, which core opens and start ends.
var scripts = []string{
	"core", "speech", "live", "focus", "request", "time", "follow", "composer", "toast", "click", "power", "theme", "keys", "still", "onward", "start",
}

// private are the parts of the second script: keys and secrets that never leave the browser. It has a scope of its own,
// which opens with core too.
var private = []string{"core", "bridge", "keyring", "enrol", "first", "seal", "recovery", "secretname", "secret", "push", "passkey"}

// shelf are the parts of the script of the files, which only the pages with files load.
var shelf = []string{"core", "shelf", "download", "upload", "attach"}

// hook are the parts of the script of hooks, which only their pages load.
var hook = []string{"core", "shelf", "hook"}

// channel are the parts of the script of channels, which only their pages load.
var channel = []string{"core", "shelf", "channel"}

// support are the parts of the script of support windows, which only the console's page about them loads.
var support = []string{"core", "shelf", "support"}

func style() []byte {
	var b bytes.Buffer
	for _, name := range styles {
		b.Write(bare(read("css/" + name + ".css")))
	}
	return b.Bytes()
}

// script joins htmx, its stream extension and our own parts, in this order: as files of their own they would race.
func script() []byte {
	var b bytes.Buffer
	for _, name := range vendored {
		b.Write(read("vendor/" + name + ".js"))
		b.WriteString("\n;")
	}
	b.Write(scope(scripts))
	return b.Bytes()
}

// scope joins parts that share names with each other and with nothing else.
func scope(parts []string) []byte {
	var b bytes.Buffer
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range parts {
		b.Write(bare(read("js/" + name + ".js")))
	}
	b.WriteString("})();\n")
	return b.Bytes()
}

// read gives a file that is compiled in.
func read(name string) []byte {
	b, err := files.ReadFile(name)
	if err != nil {
		panic("static: " + err.Error()) // a name above that has no file: the first page of any test finds it
	}
	return b
}

// bare is one of our scripts or styles without the comments that have their lines to themselves, which readers of the source need and
// browsers do not.
func bare(source []byte) []byte {
	var out []byte
	inside := false
	for line := range bytes.Lines(source) {
		text := bytes.TrimSpace(line)
		switch {
		case inside || bytes.HasPrefix(text, []byte("/*")):
			if end := bytes.Index(text, []byte("*/")); end >= 0 && end != len(text)-2 {
				panic("static: something stands behind a comment: " + string(text))
			}
			inside = !bytes.HasSuffix(text, []byte("*/"))
		case !bytes.HasPrefix(text, []byte("//")):
			out = append(out, line...)
		}
	}
	return out
}
