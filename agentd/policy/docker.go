package policy

import (
	"regexp"
	"slices"
	"strings"
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
	return Class{Tier: j.tier, Action: "docker." + verb, Says: "Run docker " + cut(visible(strings.Join(args, " ")), 300), Why: j.why}
}

// dockerCommand is what one subcommand does, and the flags with which it still does just that.
type dockerCommand struct {
	tier  Tier
	flags string // apart by spaces; "=" behind one: it takes a value
	inner bool   // it runs a command in a container
}

const (
	dockerFormat = " --format= -f= --filter= -q --quiet --no-trunc "
	composeUp    = "-d --detach --no-build --no-deps --no-recreate --no-start --no-color --quiet-pull --wait --wait-timeout= -t= --timeout= --scale= --pull= "
)

// dockerCommands are all that are understood, with the group before them where there is one. What is not here is
// critical.
var dockerCommands = map[string]dockerCommand{
	"ps": {Green, "-a --all -n= --last= -l --latest -s --size" + dockerFormat, false}, "images": {Green, "-a --all --digests --tree" + dockerFormat, false},
	"logs": {Green, "-n= --tail= --since= --until= -t --timestamps -f --follow --details", false}, "stats": {Green, "-a --all --no-stream --no-trunc --format=", false},
	"inspect": {Green, "-f= --format= -s --size --type=", false}, "top": {Green, "", false}, "port": {Green, "", false}, "diff": {Green, "", false},
	"history": {Green, "-H --human --format= --no-trunc -q --quiet", false}, "version": {Green, "-f= --format=", false}, "info": {Green, "-f= --format=", false},
	"events": {Green, "-f= --filter= --since= --until= --format=", false}, "wait": {Green, "", false}, "help": {Green, "", false},
	"container ls": {Green, "-a --all -n= --last= -l --latest -s --size" + dockerFormat, false}, "image ls": {Green, "-a --all --digests" + dockerFormat, false},
	"image inspect": {Green, "-f= --format=", false}, "image history": {Green, "-H --human --format= --no-trunc -q --quiet", false},
	"volume ls": {Green, dockerFormat, false}, "volume inspect": {Green, "-f= --format=", false}, "network ls": {Green, dockerFormat, false},
	"network inspect": {Green, "-f= --format= -v --verbose", false}, "system df": {Green, "-v --verbose --format=", false}, "system info": {Green, "-f= --format=", false},
	"system events": {Green, "-f= --filter= --since= --until= --format=", false}, "context ls": {Green, "--format= -q --quiet", false}, "context show": {Green, "", false},
	"buildx ls": {Green, "--format=", false}, "buildx du": {Green, "--filter= --verbose", false}, "buildx version": {Green, "", false}, "plugin ls": {Green, dockerFormat, false},
	"service ls": {Green, dockerFormat, false}, "service ps": {Green, dockerFormat, false}, "service logs": {Green, "-n= --tail= --since= -t --timestamps -f --follow --no-trunc --raw", false},
	"stack ls": {Green, "--format=", false}, "stack ps": {Green, dockerFormat, false}, "stack services": {Green, dockerFormat, false}, "node ls": {Green, dockerFormat, false}, "node ps": {Green, dockerFormat, false},

	"start": {Yellow, "", false}, "restart": {Yellow, "-t= --time= --timeout=", false}, "pause": {Yellow, "", false}, "unpause": {Yellow, "", false},
	"volume create": {Yellow, "--label= --name=", false}, "network create": {Yellow, "--label= --internal --attachable --subnet=", false}, "tag": {Yellow, "", false},
	"stop": {Red, "", false}, "kill": {Red, "", false}, "rm": {Red, "", false}, "rmi": {Red, "", false}, "rename": {Red, "", false}, "update": {Red, "", false},
	"run": {Red, "", true}, "exec": {Red, "", true}, "create": {Red, "", true}, "attach": {Red, "", false}, "cp": {Red, "", false}, "commit": {Red, "", false},
	"export": {Red, "", false}, "import": {Red, "", false}, "save": {Red, "", false}, "load": {Red, "", false}, "pull": {Red, "", false}, "push": {Red, "", false},
	"build": {Red, "", false}, "search": {Red, "", false}, "container prune": {Red, "", false}, "image rm": {Red, "", false}, "image prune": {Red, "", false},
	"volume rm": {Red, "", false}, "volume update": {Red, "", false}, "volume prune": {CriticalRed, "", false}, "network rm": {Red, "", false}, "network prune": {Red, "", false},
	"network connect": {Red, "", false}, "network disconnect": {Red, "", false}, "system prune": {Red, "", false}, "builder prune": {Red, "", false}, "buildx prune": {Red, "", false},
	"buildx build": {Red, "", false}, "buildx bake": {Red, "", false}, "login": {CriticalRed, "", false}, "logout": {Red, "", false}, "system dial-stdio": {Forbidden, "", false},

	"compose ps": {Green, "-a --all --services --status= --orphans --no-trunc" + dockerFormat, false}, "compose ls": {Green, "-a --all" + dockerFormat, false}, "compose top": {Green, "", false},
	"compose logs":   {Green, "-n= --tail= --since= --until= -t --timestamps -f --follow --no-color --no-log-prefix --index=", false},
	"compose images": {Green, "--format= -q --quiet", false}, "compose port": {Green, "--index= --protocol=", false}, "compose version": {Green, "-f= --format= --short", false},
	"compose events": {Green, "--json --since= --until=", false}, "compose stats": {Green, "-a --all --no-stream --no-trunc --format=", false}, "compose volumes": {Green, dockerFormat, false},
	"compose config": {Red, "", false}, "compose convert": {Red, "", false}, // they print the settings with their values
	"compose up": {Yellow, composeUp, false}, "compose start": {Yellow, "--wait --wait-timeout=", false}, "compose restart": {Yellow, "-t= --timeout= --no-deps", false},
	"compose pause": {Yellow, "", false}, "compose unpause": {Yellow, "", false}, "compose create": {Yellow, "--no-build --no-recreate --pull= --scale=", false}, "compose scale": {Yellow, "--no-deps", false},
	"compose stop": {Red, "", false}, "compose kill": {Red, "", false}, "compose rm": {Red, "", false}, "compose down": {Red, "", false}, "compose pull": {Red, "", false}, "compose push": {Red, "", false},
	"compose build": {Red, "", false}, "compose run": {Red, "", true}, "compose exec": {Red, "", true}, "compose cp": {Red, "", false}, "compose watch": {Red, "", false},
	"compose attach": {Red, "", false}, "compose commit": {Red, "", false}, "compose export": {Red, "", false}, "compose wait": {Green, "", false},
}

// dockerSame are further names of subcommands.
var dockerSame = map[string]string{"container list": "container ls", "container ps": "container ls", "image list": "image ls", "image remove": "image rm", "volume list": "volume ls", "volume remove": "volume rm", "network list": "network ls", "network remove": "network rm"}

// dockerGroups are words that are followed by a subcommand.
var dockerGroups = words("container image volume network system context builder buildx compose service stack node swarm secret config plugin trust manifest checkpoint")

// dockerGlobal are flags before the subcommand; "=" behind one: it takes a value.
var dockerGlobal = map[string]string{
	"docker":  "-l= --log-level= -v --version -D --debug --help",
	"compose": "-p= --project-name= --profile= --ansi= --progress= --parallel= --compatibility --dry-run --all-resources",
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

var verbName = regexp.MustCompile(`^[a-z][a-z-]{0,30}$`)

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
			j.raise(Forbidden, "The flag "+cut(visible(args[0].text), 40)+" may lead to another engine, or is not understood.")
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
	flag := args[0].text
	_, value, has := strings.Cut(flag, "=")
	if !has && len(args) > 1 {
		value = args[1].text
	}
	if !has && len(flag) > 2 && flag[1] != '-' {
		value = flag[2:]
	}
	j.filed = true
	if _, _, ok := Rel(value, j.env); !ok && value != "" {
		j.raise(CriticalRed, "It starts what a file outside the data folder says.")
	}
	j.path(arg{text: value, fixed: true}, false, nil)
}

// dockerCommand judges a subcommand and the words behind it.
func (j *judge) dockerCommand(group string, name arg, rest []arg) {
	key := strings.TrimSpace(group + " " + name.text)
	if same, ok := dockerSame[key]; ok {
		key = same
	}
	cmd, ok := dockerCommands[key]
	if !ok && group == "container" || !ok && group == "image" {
		cmd, ok = dockerCommands[name.text]
	}
	if !ok || !name.fixed {
		j.raise(CriticalRed, "The gate does not know docker "+cut(visible(key), 60)+".")
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
		j.behind(rest)
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
		if !w.fixed || w.glob {
			j.raise(Red, "A name is only known when it runs.")
		}
		return 0
	}
	if w.text == "--" || w.text == "--help" {
		return 0
	}
	takes, known := flagIn(cmd.flags, w.text)
	if !known && !joinedFlags(cmd.flags, w.text) || !w.fixed {
		j.raise(Red, "The gate does not understand the flag "+cut(visible(w.text), 40)+" here.")
	}
	if !takes || len(words) < 2 {
		return 0
	}
	if _, command := dockerCommands[words[1].text]; command || strings.HasPrefix(words[1].text, "-") || !words[1].fixed {
		j.raise(Red, "The value of a flag looks like something else.")
	}
	return 1
}

// joinedFlags reads -aq as -a -q.
func joinedFlags(list, flag string) bool {
	if len(flag) < 3 || flag[1] == '-' || strings.Contains(flag, "=") {
		return false
	}
	for _, r := range flag[1:] {
		if takes, known := flagIn(list, "-"+string(r)); !known || takes {
			return false
		}
	}
	return true
}

// dockerOpens are flags of run and create that open the machine to a container.
var dockerOpens = regexp.MustCompile(`^--(privileged|device|cap-add|security-opt|volumes-from|cgroup-parent|cgroupns|sysctl|runtime|gpus|group-add|device-cgroup-rule|userns|env-file|label-file|cidfile|mount|tmpfs|oom-kill-disable|use-api-socket)\b`)

// dockerShares are flags with which a container shares a space of the machine or of another container.
var dockerShares = regexp.MustCompile(`^--(pid|ipc|uts|net|network|cgroupns|userns)(=|$)`)

// dockerAnywhere looks at every word for what opens the machine, wipes volumes or prints settings, wherever it stands.
func (j *judge) dockerAnywhere(group, name string, args []arg) {
	runs := slices.Contains([]string{"run", "create", "exec", "update"}, name)
	for i, a := range args {
		next := ""
		if i+1 < len(args) {
			next = args[i+1].text
		}
		switch {
		case strings.Contains(a.text, ".Env") || strings.Contains(strings.ToLower(a.text), "environ"):
			j.raise(Red, "It prints the settings of a container with their values.")
		case runs && (dockerOpens.MatchString(a.text) || a.text == "-v" || strings.HasPrefix(a.text, "-v") && len(a.text) > 2 || strings.HasPrefix(a.text, "--volume")):
			j.raise(dockerMount(a.text, next), "It opens a part of the machine to a container.")
		case runs && dockerShares.MatchString(a.text):
			j.raise(dockerShared(a.text, next), "The container shares a space of the machine.")
		case wipesVolumes(group, name, a.text):
			j.raise(CriticalRed, "It deletes volumes with the data in them.")
		case strings.Contains(a.text, "docker.sock"):
			j.raise(Forbidden, "Whoever has the socket of docker has the machine.")
		}
	}
	if name == "cp" || name == "save" || name == "export" {
		j.dockerFiles(args)
	}
}

// namedVolume is a volume by its name, and no folder of the machine.
var namedVolume = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*:/[^:]*(:ro)?$`)

// dockerMount is forbidden for folders of the machine, critical for volumes by name and all else.
func dockerMount(flag, next string) Tier {
	_, value, has := strings.Cut(flag, "=")
	if !has {
		value = next
	}
	if strings.HasPrefix(flag, "-v") && len(flag) > 2 {
		value = flag[2:]
	}
	if (strings.HasPrefix(flag, "-v") || strings.HasPrefix(flag, "--volume=") || flag == "--volume") && namedVolume.MatchString(value) {
		return CriticalRed
	}
	return Forbidden
}

func dockerShared(flag, next string) Tier {
	_, value, has := strings.Cut(flag, "=")
	if !has {
		value = next
	}
	if (strings.HasPrefix(flag, "--net")) && value != "host" && !strings.HasPrefix(value, "container:") {
		return Red
	}
	return Forbidden
}

// wipesVolumes says whether a flag of a removing command takes volumes along.
func wipesVolumes(group, name, flag string) bool {
	switch name {
	case "rm", "down":
		return flag == "--volumes" || strings.HasPrefix(flag, "--volumes=") || shortFlag(flag, "v")
	case "up", "create":
		return group == "compose" && (strings.HasPrefix(flag, "--renew-anon-volumes") || shortFlag(flag, "V"))
	case "prune":
		return strings.HasPrefix(flag, "--volumes")
	}
	return false
}

// dockerFiles judges the files of the machine that cp, save and export read or write.
func (j *judge) dockerFiles(args []arg) {
	for i, a := range args {
		value := ""
		switch {
		case strings.HasPrefix(a.text, "--output="):
			value = strings.TrimPrefix(a.text, "--output=")
		case i > 0 && (args[i-1].text == "-o" || args[i-1].text == "--output"), strings.HasPrefix(a.text, "/") || strings.HasPrefix(a.text, "."):
			value = a.text
		}
		if value != "" && value != "-" {
			j.path(arg{text: value, fixed: a.fixed, glob: a.glob}, true, nil)
		}
	}
}
