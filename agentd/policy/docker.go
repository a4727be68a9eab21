package policy

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// DockerArgs are the arguments of the tool docker.
type DockerArgs struct {
	Args []string `json:"args" jsonschema:"minItems=1,maxItems=200,description=The words behind docker: ps\\, logs\\, stats\\, inspect\\, restart\\, compose and so on."`
}

// Docker classifies a call of docker by subcommand and flags.
func Docker(args []string, env Env) Class {
	const action = "docker.engine.run"
	if len(args) == 0 || len(args) > 200 {
		return Refuse(action, "There is no command, or too many words.")
	}
	j := &judge{env: env, tier: Green}
	list := make([]arg, len(args))
	for i, a := range args {
		if len(a) > maxPath || strings.ContainsFunc(a, badRune) || strings.Contains(a, "\n") {
			return Refuse(action, "A word holds characters that cannot be seen, or is too long.")
		}
		list[i] = arg{text: a, fixed: true}
	}
	j.count()
	verb := j.docker(list)
	if j.tier == Forbidden {
		return Refuse("docker."+verb, j.why)
	}
	return Class{Tier: j.tier, Action: "docker." + verb, Says: "Run docker " + visible(strings.Join(args, " ")), Why: j.why}
}

// docker judges the words behind docker, and says what it does: resource.verb.
func (j *judge) docker(args []arg) string {
	rest := j.dockerFlags("docker", args)
	if len(rest) == 0 {
		return "engine.help"
	}
	group, name := "", rest[0]
	rest = rest[1:]
	if dockerGroups[name.text] && name.fixed {
		group = name.text
		if rest = j.dockerFlags(group, rest); len(rest) == 0 {
			return group + ".help"
		}
		name, rest = rest[0], rest[1:]
	}
	j.dockerCommand(group, name, rest)
	j.dockerAnywhere(group, name.text, args)
	if group == "" {
		group = dockerResource(name.text)
	}
	return group + "." + plainVerb(name.text)
}

func dockerResource(verb string) string {
	switch verb {
	case "images", "rmi", "pull", "push", "build", "tag", "save", "load", "history", "import", "search":
		return "image"
	case "version", "info", "events", "login", "logout", "help":
		return "engine"
	}
	return "container"
}

var verbName = lazyre.MustCompile(`^[a-z][a-z-]{0,30}$`)

func plainVerb(s string) string {
	if verbName.MatchString(s) {
		return s
	}
	return "run"
}

// dockerFlags skips the flags before a subcommand. What is not understood could lead to another engine.
func (j *judge) dockerFlags(level string, args []arg) []arg {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		takes, known := flagIn(dockerGlobal[level], args[0].text)
		switch {
		case level == "compose" && composeFile(args[0].text):
			j.composeFiles(args)
			takes = !strings.Contains(args[0].text, "=") && (args[0].text == "-f" || strings.HasPrefix(args[0].text, "--"))
		case !known:
			j.raise(Forbidden, "The flag "+visible(args[0].text)+" may lead to another engine, or is not understood.")
		}
		args = args[1:]
		if takes && len(args) > 0 {
			args = args[1:]
		}
	}
	return args
}

// flagIn says whether a flag is in a list, and whether its value is the next word.
func flagIn(list, flag string) (takesNext, known bool) {
	name, _, has := strings.Cut(flag, "=")
	for f := range strings.FieldsSeq(list) {
		bare, takes := strings.CutSuffix(f, "=")
		switch {
		case bare == name && (takes || !has):
			return takes && !has, true
		case takes && len(bare) == 2 && bare[1] != '-' && strings.HasPrefix(flag, bare) && len(flag) > 2 && flag[1] != '-':
			return false, true // -n5
		}
	}
	return false, false
}

func composeFile(flag string) bool {
	return strings.HasPrefix(flag, "-f") || strings.HasPrefix(flag, "--file") || strings.HasPrefix(flag, "--project-directory") || strings.HasPrefix(flag, "--env-file")
}

// composeFiles judges the file that compose is told to read: it may open the machine to a container.
func (j *judge) composeFiles(args []arg) {
	value := composeValue(args)
	j.filed = true
	if _, _, ok := Rel(value, j.env); !ok {
		j.raise(CriticalRed, "It starts what a file outside the data folder says.")
	}
	if !composeName.MatchString(value) || composeFetched.MatchString(value) {
		j.raise(CriticalRed, "It may fetch from elsewhere what it starts.")
	}
	j.path(arg{text: value, fixed: true}, false, nil)
}

var (
	// composeName is what the name of a file looks like that is for sure no address: compose takes those too, of web
	// pages, repositories and registries, and reads and starts what it fetches from there.
	composeName = lazyre.MustCompile(`^/?[A-Za-z0-9_.][A-Za-z0-9_. +-]*(?:/[A-Za-z0-9_. +-]+)*/?$`)
	// composeFetched are names that look like those of files and are fetched.
	composeFetched = lazyre.MustCompile(`(?i)^github\.com/|\.git/?$`)
)

// composeValue is what stands behind a flag of one letter or a long one, in its word or as the next.
func composeValue(args []arg) string {
	flag := args[0].text
	switch name, value, has := strings.Cut(flag, "="); {
	case strings.HasPrefix(flag, "-f") && len(flag) > 2:
		return strings.TrimPrefix(flag[2:], "=")
	case has && strings.HasPrefix(name, "--"):
		return value
	case len(args) > 1:
		return args[1].text
	}
	return ""
}

// composeNames are the flags with which compose prints names of its configuration, and no settings.
var composeNames = words("--services --volumes --networks -q --quiet")

// dockerCommand judges a subcommand and the words behind it.
func (j *judge) dockerCommand(group string, name arg, rest []arg) {
	key := strings.TrimSpace(group + " " + name.text)
	if same, ok := dockerSame[key]; ok {
		key = same
	}
	cmd, ok := dockerCommands[key]
	if key == "compose config" && len(rest) == 1 && rest[0].fixed && composeNames[rest[0].text] {
		return
	}
	if !ok && group == "container" || !ok && group == "image" {
		cmd, ok = dockerCommands[name.text]
	}
	if !ok || !name.fixed {
		j.raise(CriticalRed, "The gate does not know docker "+visible(key)+".")
		if group == "secret" || group == "trust" {
			j.raise(Forbidden, "Agents handle no raw credentials.")
		}
		return
	}
	j.raise(cmd.tier, "It is more than looking.")
	if j.filed && cmd.tier == Yellow {
		j.raise(CriticalRed, "It starts what a file says, and that may open the machine.")
	}
	if cmd.inner {
		j.contained(cmd.flags, rest)
		return
	}
	for i := 0; i < len(rest); i++ {
		i += j.dockerWord(cmd, rest[i:])
	}
}

// dockerWord judges one word behind a subcommand and says how many further ones belong to it.
func (j *judge) dockerWord(cmd dockerCommand, words []arg) int {
	w := words[0]
	if w.text == "-" || !strings.HasPrefix(w.text, "-") {
		if other, ok := dockerCommands[w.text]; !w.fixed || w.glob || ok && other.tier.Rank() >= Red.Rank() {
			j.raise(Red, "A name is only known when it runs, or looks like another command.")
		}
		return 0
	}
	if w.text == "--" || w.text == "--help" {
		return 0
	}
	takes, known := flagsIn(cmd.flags, w.text)
	if !known || !w.fixed {
		j.raise(Red, "The gate does not understand the flag "+visible(w.text)+" here.")
	}
	if !takes || len(words) < 2 {
		return 0
	}
	if _, command := dockerCommands[words[1].text]; command || strings.HasPrefix(words[1].text, "-") || !words[1].fixed {
		j.raise(Red, "The value of a flag looks like something else.")
	}
	return 1
}

// flagsIn is flagIn for a word that may be several flags of one letter: the last of -qf may take the next word.
func flagsIn(list, flag string) (takesNext, known bool) {
	takesNext, known = flagIn(list, flag)
	if n := len(flag) - 1; !known && n > 1 && flag[1] != '-' {
		takesNext, known = flagIn(list, "-"+flag[n:])
		known = known && (n == 2 && plainFlag(list, flag[:2]) || joinedFlags(list, flag[:n]))
	}
	return takesNext, known || joinedFlags(list, flag)
}

// joinedFlags reads -aq as -a -q.
func joinedFlags(list, flag string) bool {
	if len(flag) < 3 || flag[1] == '-' || strings.Contains(flag, "=") {
		return false
	}
	for _, r := range flag[1:] {
		if !plainFlag(list, "-"+string(r)) {
			return false
		}
	}
	return true
}

// plainFlag says whether a flag is in a list and takes no value.
func plainFlag(list, flag string) bool {
	takes, known := flagIn(list, flag)
	return known && !takes
}
