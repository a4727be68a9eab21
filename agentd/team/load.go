package team

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// descriptor is the file that makes a folder an agent.
const descriptor = wire.TeamDescriptor

// Dispatcher is the agent that people talk to by default.
const Dispatcher = "dispatcher"

// template is template.yaml.
type template struct {
	Type        string   `yaml:"type"`
	Name        string   `yaml:"name"`
	Role        string   `yaml:"role,omitempty"`
	Emoji       string   `yaml:"emoji,omitempty"`
	Description string   `yaml:"description"`
	Category    string   `yaml:"category,omitempty"`
	Profile     string   `yaml:"profile"`
	Tools       toolList `yaml:"tools,omitempty"`
	Needs       []Need   `yaml:"needs,omitempty"`
	Starters    []string `yaml:"starters,omitempty"`
}

type toolList struct {
	Allow     []string `yaml:"allow,omitempty"`
	AlsoAllow []string `yaml:"also_allow,omitempty"`
	Deny      []string `yaml:"deny,omitempty"`
}

// promptFiles are the files of an agent in the order in which they stand in its prompt.
var promptFiles = []string{"IDENTITY.md", "SOUL.md", "AGENTS.md", "TOOLS.md", "EXAMPLES.md"}

// publicFiles are those of them that an agent works with where a stranger writes. Whatever stands in them, a stranger can get to know.
var publicFiles = []string{"IDENTITY.md", "SOUL.md", "AGENTS.md", "EXAMPLES.md"}

// maxPrompt bounds the files of one agent, so that prompt and schemas stay below 6,000 tokens.
const maxPrompt = 16 << 10

// Load reads the agents in dir. defs are the tools installed on this server; off names tools that this machine cannot
// offer, with the reason. An agent whose files are wrong does not keep the others from working: it is broken, and says why.
func Load(dir string, defs []tool.Definition, off map[string]string) (*Team, error) {
	f := Folders{Dir: dir}
	ids, err := f.Members()
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("read agents: there are none in %s", dir)
	}
	t := &Team{defs: slices.Clone(defs), off: off}
	slices.SortFunc(t.defs, func(a, b tool.Definition) int { return strings.Compare(a.Name, b.Name) })
	for _, id := range ids {
		m, err := f.load(id)
		if err != nil {
			t.broken = append(t.broken, Broken{id, err.Error()})
			continue
		}
		t.members = append(t.members, m)
	}
	t.introduce()
	return t, nil
}

// byID puts the dispatcher first, the others by id.
func byID(a, b string) int {
	if (a == Dispatcher) != (b == Dispatcher) {
		if a == Dispatcher {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

func (f Folders) load(id string) (member, error) {
	files, err := f.Read(id)
	if err != nil {
		return member{}, err
	}
	return memberOf(id, files)
}

// memberOf makes an agent of its files.
func memberOf(id string, files Files) (member, error) {
	if !idForm.MatchString(id) {
		return member{}, errors.New("Its folder has a name that no agent can have.")
	}
	tpl, err := readTemplate(files)
	if err != nil {
		return member{}, err
	}
	prompt, err := promptOf(files)
	if err != nil {
		return member{}, err
	}
	a := Agent{
		ID: id, Name: tpl.Name, Role: tpl.Role, Emoji: tpl.Emoji, Description: tpl.Description, Category: tpl.Category,
		Starters: tpl.Starters, Needs: tpl.Needs, Prompt: prompt, Public: joined(files, publicFiles),
	}
	return member{Agent: a, template: tpl}, nil
}

// readTemplate reads the description among an agent's files.
func readTemplate(files Files) (tpl template, err error) {
	text, ok := files[descriptor]
	if !ok {
		return tpl, errors.New("template.yaml is missing.")
	}
	dec := yaml.NewDecoder(strings.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&tpl); err != nil {
		return tpl, unreadable(err)
	}
	return tpl, tpl.check()
}

// Describe reads what an agent's files say of it, and says what is wrong with them. The agent is not in a team yet: nobody is
// introduced to it.
func Describe(id string, files Files) (Agent, error) {
	m, err := memberOf(id, files)
	return m.Agent, err
}

func (t template) check() error {
	var faults []error
	if t.Name == "" {
		faults = append(faults, errors.New("template.yaml has no name."))
	}
	if _, ok := profiles[t.Profile]; !ok {
		faults = append(faults, fmt.Errorf("template.yaml has the profile %q; it must be minimal, coding, messaging or full.", t.Profile))
	}
	for _, name := range slices.Concat(t.Tools.Allow, t.Tools.AlsoAllow, t.Tools.Deny) {
		if _, ok := groups[name]; strings.HasPrefix(name, "group:") && !ok {
			faults = append(faults, fmt.Errorf("template.yaml names %s among the tools, which there is not.", name))
		}
	}
	return errors.Join(faults...)
}

func promptOf(files Files) (string, error) {
	var parts []string
	size := 0
	for _, name := range promptFiles {
		text, ok := files[name]
		if !ok {
			continue
		}
		if size += len(text); size > maxPrompt {
			return "", fmt.Errorf("Its files are larger than %d bytes together.", maxPrompt)
		}
		parts = append(parts, strings.TrimSpace(text))
	}
	return strings.Join(parts, "\n\n"), nil
}

// joined are some of an agent's files, one after the other.
func joined(files Files, names []string) string {
	var parts []string
	for _, name := range names {
		if text, ok := files[name]; ok {
			parts = append(parts, strings.TrimSpace(text))
		}
	}
	return strings.Join(parts, "\n\n")
}
