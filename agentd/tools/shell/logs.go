package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tools/shell/inside"
)

var (
	// logReaders show what the machine wrote down of strangers: the name that somebody tried to sign in with, the address
	// that they asked for.
	logReaders = []string{"journalctl", "lastb", "mailq", "postqueue"}
	// logWords are words with which other programs do.
	logWords = map[string]string{
		"systemctl": "status", "docker": "logs", "docker-compose": "logs", "podman": "logs", "nerdctl": "logs", "kubectl": "logs", "crictl": "logs",
	}
	// logPlaces are folders in which it stands.
	logPlaces = []string{"/var/log", "/var/mail", "/var/spool"}
	// starters start the program that their words name.
	starters = []string{"sudo", "nice", "ionice", "timeout", "env", "nohup", "stdbuf", "time", "command", "xargs"}
)

// showsStrangers says whether a command shows what comes from outside the business, or writes it to a file. Its text
// decides: whoever wrote it has not read yet what it shows, and hides nothing for its sake.
func showsStrangers(command string) (shows bool) {
	file, err := policy.ParseShell(command)
	if err != nil {
		return false // and it does not run
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			shows = shows || showsLog(written(n.Args))
		case *syntax.Redirect:
			shows = shows || n.Op == syntax.RdrIn && inLogs(policy.Rough(n.Word))
		}
		return !shows
	})
	return shows
}

func showsLog(words []string) bool {
	for i, w := range words {
		prog := filepath.Base(w)
		switch word, some := logWords[prog]; {
		case slices.Contains(logReaders, prog):
			return true
		case some:
			return slices.Contains(words[i:], word)
		case slices.Contains(starters, prog), strings.HasPrefix(w, "-"), strings.Contains(w, "="), strings.Trim(w, "0123456789smh") == "":
			continue // the program is still to come
		}
		names := inside.Tells(prog) && !slices.Contains(words, "-exec") || prog == "df"
		return !names && slices.ContainsFunc(words[i+1:], inLogs)
	}
	return false
}

func inLogs(name string) bool {
	return slices.ContainsFunc(logPlaces, func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") })
}

func written(words []*syntax.Word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = policy.Rough(w)
	}
	return out
}
