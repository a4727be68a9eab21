package team

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gatehouse/agentd/tool"
)

// descriptor is the file that makes a folder an agent.
const descriptor = "template.yaml"

// Dispatcher is the agent that people talk to by default.
const Dispatcher = "dispatcher"

// template is template.yaml.
type template struct {
	Type        string   `yaml:"type"`
	Name        string   `yaml:"name"`
	Role        string   `yaml:"role"`
	Emoji       string   `yaml:"emoji"`
	Description string   `yaml:"description"`
	Category    string   `yaml:"category"`
	Profile     string   `yaml:"profile"`
	Tools       toolList `yaml:"tools"`
	Starters    []string `yaml:"starters"`
}

type toolList struct {
	Allow     []string `yaml:"allow"`
	AlsoAllow []string `yaml:"also_allow"`
	Deny      []string `yaml:"deny"`
}

// promptFiles are the files of an agent in the order in which they stand in its prompt.
var promptFiles = []string{"IDENTITY.md", "SOUL.md", "AGENTS.md", "TOOLS.md"}

// maxPrompt bounds the files of one agent, so that prompt and schemas stay below 6,000 tokens.
const maxPrompt = 16 << 10

// Load reads the agents in dir. defs are the tools installed on this server; off names tools that this machine cannot
// offer, with the reason. All faults are reported at once.
func Load(dir string, defs []tool.Definition, off map[string]string) (*Team, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	t := &Team{defs: slices.Clone(defs), off: off}
	slices.SortFunc(t.defs, func(a, b tool.Definition) int { return strings.Compare(a.Name, b.Name) })
	var faults []error
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		m, err := read(filepath.Join(dir, e.Name()), e.Name())
		if err != nil {
			faults = append(faults, fmt.Errorf("agent %s: %w", e.Name(), err))
			continue
		}
		t.members = append(t.members, m)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(t.members) == 0 {
		return nil, fmt.Errorf("read agents: there are none in %s", dir)
	}
	slices.SortFunc(t.members, order)
	t.introduce()
	t.visible = map[string][]tool.Definition{}
	for _, m := range t.members {
		t.visible[m.ID] = t.show(m.ID)
	}
	return t, nil
}

// order puts the dispatcher first, the others by id.
func order(a, b member) int {
	if (a.ID == Dispatcher) != (b.ID == Dispatcher) {
		if a.ID == Dispatcher {
			return -1
		}
		return 1
	}
	return strings.Compare(a.ID, b.ID)
}

func read(dir, id string) (member, error) {
	b, err := os.ReadFile(filepath.Join(dir, descriptor))
	if err != nil {
		return member{}, err
	}
	var tpl template
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(&tpl); err != nil {
		return member{}, fmt.Errorf("%s: %w", descriptor, err)
	}
	if err := tpl.check(); err != nil {
		return member{}, fmt.Errorf("%s: %w", descriptor, err)
	}
	prompt, err := readPrompt(dir)
	if err != nil {
		return member{}, err
	}
	a := Agent{ID: id, Name: tpl.Name, Role: tpl.Role, Emoji: tpl.Emoji, Description: tpl.Description, Starters: tpl.Starters, Prompt: prompt}
	return member{Agent: a, template: tpl}, nil
}

func (t template) check() error {
	var faults []error
	if t.Name == "" {
		faults = append(faults, errors.New("name is missing"))
	}
	if _, ok := profiles[t.Profile]; !ok {
		faults = append(faults, fmt.Errorf("profile %q: want minimal, coding, messaging or full", t.Profile))
	}
	for _, name := range slices.Concat(t.Tools.Allow, t.Tools.AlsoAllow, t.Tools.Deny) {
		if _, ok := groups[name]; strings.HasPrefix(name, "group:") && !ok {
			faults = append(faults, fmt.Errorf("tools: there is no %s", name))
		}
	}
	return errors.Join(faults...)
}

func readPrompt(dir string) (string, error) {
	var parts []string
	size := 0
	for _, name := range promptFiles {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if size += len(b); size > maxPrompt {
			return "", fmt.Errorf("its files are larger than %d bytes together", maxPrompt)
		}
		parts = append(parts, strings.TrimSpace(string(b)))
	}
	return strings.Join(parts, "\n\n"), nil
}
