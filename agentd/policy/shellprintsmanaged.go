package policy

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// dockerForm is a format of docker that gives names of containers, states and revisions.
var dockerForm = lazyre.MustCompile(`^(?:table )?(?:\{\{ ?\.(?:Names|ID|Name|Image|Status|State|Service|Repository|Tag)(?:\.(?:Status|Health|Running))? ?\}\}[ \t:,]?)+$`)

// dockerTalks are the commands of docker that print what programs say, and not names.
var dockerTalks = words("logs top diff events history inspect exec run attach cp")

// printsManaged is the origin of what the programs print that name services, containers and revisions.
func printsManaged(name string, args []string) origin {
	joined := strings.Join(args, " ")
	switch {
	case name == "systemctl" && (strings.HasPrefix(joined, "is-") || strings.HasPrefix(joined, "show -p ") || strings.HasPrefix(joined, "list-")):
		return plain
	case name == "docker":
		if len(args) > 0 && dockerTalks[args[0]] && !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--format") || a == "-f" }) {
			return found
		}
		at := slices.IndexFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "--format") || a == "-f" && len(args) > 0 && args[0] == "inspect"
		})
		if at < 0 {
			return plain
		}
		form := strings.TrimPrefix(args[at], "--format=")
		if form == args[at] && at+1 < len(args) {
			form = args[at+1]
		}
		if dockerForm.MatchString(form) {
			return plain
		}
	case name == "git" && len(args) > 0 && !strings.Contains(joined, "format") && !strings.Contains(joined, "--pretty"):
		if args[0] == "rev-parse" || args[0] == "describe" || args[0] == "rev-list" || joined == "branch --show-current" {
			return plain
		}
		return found
	case name == "kubectl" && strings.Contains(joined, "-o name"):
		return found
	}
	return made
}
