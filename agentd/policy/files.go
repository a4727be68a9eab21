package policy

import (
	"fmt"
	"path"
	"strings"

	"gatehouse/agentd/lazyre"
)

// MaxFile is the largest file in bytes that file tools read or write.
const MaxFile = 10 << 20

// FileRead classifies reading one file.
func FileRead(p string, env Env) Class { return inRoot("files.file.read", p, env, Green, "Read ") }

// Attach classifies adding one file to the answer of a run. It is a reading: that the answer leaves the server is a call of its own.
func Attach(p string, env Env) Class { return inRoot("files.file.attach", p, env, Green, "Attach ") }

// FileList classifies listing one folder.
func FileList(p string, env Env) Class { return inRoot("files.folder.list", p, env, Green, "List ") }

// FileWrite classifies writing one file of size bytes.
func FileWrite(p string, size int, env Env) Class {
	const action = "files.file.write"
	c := inRoot(action, p, env, Yellow, "Write ")
	switch {
	case c.Tier == Forbidden:
		return c
	case size > MaxFile:
		return Refuse(action, fmt.Sprintf("The content is larger than %d bytes.", MaxFile))
	}
	rel, _, _ := Rel(p, env)
	if why := startup(rel); why != "" { // by the clean name: .bashrc/. is .bashrc
		return Refuse(action, "This file may not be written. "+why)
	}
	if rel == "." || p[len(p)-1] == '/' {
		return Refuse(action, "That is a folder, not a file.")
	}
	return c
}

// FileRestore classifies putting back what a write has replaced: it is a write of that file.
func FileRestore(p string, env Env) Class {
	c := FileWrite(p, 0, env)
	c.Action = "files.file.restore"
	if rest, ok := strings.CutPrefix(c.Says, "Write "); ok {
		c.Says = "Put back the earlier version of " + rest
	}
	return c
}

// FileDelete classifies deleting a file, a folder or what a glob matches.
func FileDelete(p string, env Env) Class {
	const action = deletesFile
	c := inRoot(action, p, env, Red, "Delete ")
	if c.Tier == Forbidden {
		return c
	}
	rel, _, _ := Rel(p, env)
	if matches(strings.ToLower(path.Base(rel)), ownLists) {
		return Refuse(action, "This file may not be deleted. "+startup(rel))
	}
	if rel == "." {
		return Refuse(action, "The data folder itself cannot be deleted.")
	} else if allBackups.MatchString(rel) {
		c.Tier, c.Why = CriticalRed, "It deletes all backups in a folder."
	} else if strings.Trim(rel, "*?/") == "" {
		c.Tier, c.Why = CriticalRed, "It deletes everything in the data folder."
	}
	return c
}

// allBackups is a folder of backups, or all that is in it.
var allBackups = lazyre.MustCompile(`(?i)(^|/)(backups?|snapshots?|borg|restic)(/[*?.]*)?$`)

// inRoot is the class tier for a path in the data root, and forbidden for any other.
func inRoot(action, p string, env Env, tier Tier, verb string) Class {
	rel, why, ok := Rel(p, env)
	if !ok {
		return Refuse(action, why)
	}
	if why := Protected(rel, env); why != "" {
		return Refuse(action, "This file may not be touched. "+why)
	}
	if rel == "." {
		rel = "the data folder"
	}
	return Class{Tier: tier, Action: action, Says: verb + visible(rel)}
}
