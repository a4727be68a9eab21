package policy

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// dockerOpens are flags of run and create that open the machine to a container.
var dockerOpens = lazyre.MustCompile(`^--(privileged|device|cap-add|security-opt|volumes-from|cgroup-parent|cgroupns|sysctl|runtime|gpus|group-add|device-cgroup-rule|userns|env-file|label-file|cidfile|mount|tmpfs|oom-kill-disable|use-api-socket|rootfs)\b`)

// dockerShares are flags with which a container shares a space of the machine or of another container.
var dockerShares = lazyre.MustCompile(`^--(pid|ipc|uts|net|network|cgroupns|userns)(=|$)`)

// dockerBinds is -v, alone or behind flags of one letter that take no value: -itv.
var dockerBinds = lazyre.MustCompile(`^-[ditPqT]*v`)

// dockerSettings are words of a format that name the settings of a container.
var dockerSettings = lazyre.MustCompile(`\.Env|\bEnv\b|(?i:environ)`)

// volumeOpens are options of a volume with which it is a folder or a device of the machine.
var volumeOpens = lazyre.MustCompile(`(?i)(?:^|=|,)(?:device|o)=`)

// volumeOption is the value of -o or --opt, in the word after it or in its own.
func volumeOption(flag, word string) string {
	if flag == "-o" || flag == "--opt" {
		return word
	}
	if value, ok := strings.CutPrefix(word, "--opt="); ok {
		return value
	}
	if value, ok := strings.CutPrefix(word, "-o"); ok {
		return value
	}
	return ""
}

var (
	// plainIndex chooses from a list in a format by what is written out; formatIndex is any such choice.
	plainIndex  = lazyre.MustCompile(`\bindex \.[A-Za-z.]+(?: (?:"[A-Za-z0-9_./ :-]*"|[0-9]+))+( *(?:[|)}]|$))`)
	innerIndex  = lazyre.MustCompile(`\(index \.[A-Za-z.]+(?: (?:"[A-Za-z0-9_./ :-]*"|[0-9]+))+ *\)`)
	formatIndex = lazyre.MustCompile(`\bindex\b`)
	// wholeConfig prints all settings of a container. Config of something else in it is that of a network.
	wholeConfig = lazyre.MustCompile(`(?:^|[^A-Za-z0-9_]|\$[A-Za-z0-9_]*)\.(?:Container)?Config(?:[^.A-Za-z0-9_]|$)`)
)

// buildsNames says whether a format prints what it names by a word that it puts together, or all settings at once.
func buildsNames(format string) bool {
	if !strings.Contains(format, "{{") {
		return false
	}
	for range 4 { // one in another
		format = innerIndex.ReplaceAllString(format, ".Inner")
	}
	return formatIndex.MatchString(plainIndex.ReplaceAllString(format, "$1")) || wholeConfig.MatchString(format)
}

// dockerAnywhere looks at every word for what opens the machine, wipes volumes or prints settings, wherever it stands.
func (j *judge) dockerAnywhere(group, name string, args []arg) {
	runs := slices.Contains([]string{"run", "create", "exec", "update"}, name)
	shows := len(args) // words of ps, behind the name of the container
	if name == "top" {
		shows = slices.IndexFunc(args, func(a arg) bool { return a.text == name }) + 2
	}
	for i, a := range args {
		before, next := "", ""
		if i > 0 {
			before = args[i-1].text
		}
		if i+1 < len(args) {
			next = args[i+1].text
		}
		switch {
		case group == "volume" && name == "create" && volumeOpens.MatchString(volumeOption(before, a.text)):
			j.raise(Forbidden, "The volume would be a part of the machine.")
		case buildsNames(a.text), dockerSettings.MatchString(a.text) || i >= shows && psShows.MatchString(a.text):
			j.raise(Red, "It prints the settings of a container with their values.")
		case runs && (dockerOpens.MatchString(a.text) || strings.HasPrefix(a.text, "--volume")):
			j.raise(dockerMount(a.text, next), "It opens a part of the machine to a container.")
		case runs && dockerBinds.MatchString(a.text):
			j.raise(dockerMount(dockerBinds.ReplaceAllString(a.text, "-v"), next), "It opens a part of the machine to a container.")
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
var namedVolume = lazyre.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*:/[^:]*(:ro)?$`)

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
	if strings.HasPrefix(flag, "--net") && value != "host" && !strings.HasPrefix(value, "container:") {
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
