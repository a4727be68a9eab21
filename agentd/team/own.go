package team

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"gatehouse/agentd/wire"
)

// own is the type and category of an agent that the owner made.
const own = "own"

// MaxMembers bounds a team: whoever hands work on reads about everybody in it.
const MaxMembers = 50

// What an agent's description may hold, in characters.
const (
	maxName        = 60
	maxRole        = 120
	maxDescription = 300
	maxEmoji       = 8
	maxStarter     = 120
	maxStarters    = 6
	maxWithout     = 100
)

// reserved are words of addresses that stand where an agent's id does.
var reserved = []string{"library", "change", "limits", "new", "default-level", "templates", "tools"}

var toolForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// CheckID says in a sentence why no new agent can have an id, or nothing.
func CheckID(id string) error {
	switch {
	case !idForm.MatchString(id):
		return errors.New("an agent's short name has 2 to 40 lower-case letters without accents, digits and hyphens, and begins with a " +
			"letter")
	case slices.Contains(reserved, id):
		return fmt.Errorf("%q is a word that the pages of the team need themselves; choose another short name", id)
	}
	return nil
}

// Profiles lists the tool sets, each with those of these tools that it gives.
func (t *Team) Profiles() []wire.TeamProfile {
	all := make([]wire.TeamProfile, 0, len(profiles))
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		p := wire.TeamProfile{Name: name, Tools: []string{}}
		for _, d := range t.defs {
			if list := profiles[name]; list == nil || holds(list, d.Name) {
				p.Tools = append(p.Tools, d.Name)
			}
		}
		all = append(all, p)
	}
	return all
}

// AboutOf reads what the description among an agent's files says.
func AboutOf(files Files) (wire.TeamAbout, error) {
	tpl, err := readTemplate(files)
	if err != nil {
		return wire.TeamAbout{}, err
	}
	return wire.TeamAbout{
		Name: tpl.Name, Role: tpl.Role, Emoji: tpl.Emoji, Description: tpl.Description, Profile: tpl.Profile,
		Starters: append([]string{}, tpl.Starters...), Without: spread(tpl.Tools.Deny),
	}, nil
}

// spread names the tools of groups one by one.
func spread(list []string) []string {
	all := []string{}
	for _, item := range list {
		if tools, ok := groups[item]; ok {
			all = append(all, tools...)
			continue
		}
		all = append(all, item)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Create makes the files of a new agent of the owner's own: with those of another, or from nothing. Tools beyond its profile it
// never gets, whatever the other has.
func Create(a wire.TeamAbout, from Files) (Files, error) {
	tpl := template{Type: own, Category: own}
	next := maps.Clone(from)
	if from != nil {
		other, err := readTemplate(from)
		if err != nil {
			return nil, err
		}
		tpl.Tools.Allow, tpl.Needs = other.Tools.Allow, other.Needs
	} else {
		next = Files{promptFiles[0]: identityOf(a)}
	}
	return next, next.describe(tpl, a)
}

// identityOf is who an agent is that has nothing but a description.
func identityOf(a wire.TeamAbout) string {
	var b strings.Builder
	fmt.Fprintf(&b, "You are %s", a.Name)
	if a.Role != "" {
		fmt.Fprintf(&b, ": %s", a.Role)
	}
	fmt.Fprintf(&b, ".\n\n%s\n", a.Description)
	return b.String()
}

// Redescribe is an agent's files with another description. One of the owner's own gets no tools beyond its profile.
func Redescribe(files Files, a wire.TeamAbout, ofOwner bool) (Files, error) {
	tpl, err := readTemplate(files)
	if err != nil {
		return nil, err
	}
	if ofOwner {
		tpl.Tools.AlsoAllow = nil
	}
	next := maps.Clone(files)
	return next, next.describe(tpl, a)
}

// describe puts a description into the files.
func (f Files) describe(tpl template, a wire.TeamAbout) error {
	if err := checkAbout(a); err != nil {
		return err
	}
	tpl.Name, tpl.Role, tpl.Emoji, tpl.Description, tpl.Profile = a.Name, a.Role, a.Emoji, a.Description, a.Profile
	tpl.Starters = a.Starters
	if !slices.Equal(spread(tpl.Tools.Deny), spread(a.Without)) {
		tpl.Tools.Deny = spread(a.Without)
	}
	text, err := yaml.Marshal(tpl)
	f[descriptor] = string(text)
	return err
}

// Rewrite is an agent's files with another text of one of those that its model reads. Without a text the file is gone.
func Rewrite(files Files, name, text string) (Files, error) {
	if !slices.Contains(promptFiles, name) {
		return nil, fmt.Errorf("an agent has no file %q to write; it has %s", name, strings.Join(promptFiles, ", "))
	}
	next := maps.Clone(files)
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	switch {
	case text != "":
		next[name] = text + "\n"
	case name == promptFiles[0]:
		return nil, errors.New("the file IDENTITY.md says who the agent is, and cannot be empty")
	default:
		delete(next, name)
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, errors.New("it is no plain text")
	}
	_, err := promptOf(next)
	return next, err
}

// checkAbout says the first thing that is wrong with a description.
func checkAbout(a wire.TeamAbout) error {
	faults := []error{
		checkLine("its name", a.Name, 1, maxName), checkLine("its role", a.Role, 0, maxRole),
		checkLine("its description", a.Description, 1, maxDescription), checkEmoji(a.Emoji), checkTools(a),
	}
	if len(a.Starters) > maxStarters {
		faults = append(faults, fmt.Errorf("it can have %d messages to begin with at most", maxStarters))
	}
	for _, s := range a.Starters {
		faults = append(faults, checkLine("a message to begin with", s, 1, maxStarter))
	}
	return cmp.Or(faults...)
}

func checkEmoji(text string) error {
	if utf8.RuneCountInString(text) > maxEmoji || strings.ContainsFunc(text, plainSign) {
		return errors.New("the emoji is one sign that is no letter")
	}
	return nil
}

func checkTools(a wire.TeamAbout) error {
	if _, ok := profiles[a.Profile]; !ok {
		return errors.New("choose the tools: minimal, coding, messaging or full")
	}
	if len(a.Without) > maxWithout || slices.ContainsFunc(a.Without, func(t string) bool { return !toolForm.MatchString(t) }) {
		return errors.New("the list of tools that it does not get names something that is no tool")
	}
	return nil
}

// plainSign says whether a sign cannot be part of an emoji.
func plainSign(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`<>&"'{}[]:`, r)
}

func checkLine(what, text string, least, most int) error {
	n := utf8.RuneCountInString(text)
	switch {
	case strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text):
		return fmt.Errorf("what has to be one line of plain text is %s", what)
	case n > most:
		return fmt.Errorf("there are %d characters in %s, and at most %d fit", n, what, most)
	case len(strings.TrimSpace(text)) < least:
		return fmt.Errorf("what is missing is %s", what)
	}
	return nil
}
