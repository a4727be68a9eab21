package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
)

// File is the name of the registry in the state directory.
const File = "tool-registry.json"

// maxFile is more than thirty tools need.
const maxFile = 1 << 20

// Tool is one business tool.
type Tool struct {
	Name        string  `json:"name"`
	Kind        string  `json:"kind"` // table of methods that holds for it; empty: its name
	Category    string  `json:"category"`
	Description string  `json:"description"`
	InternalURL string  `json:"internal_url"`
	ExternalURL string  `json:"external_url"`
	APIBase     string  `json:"api_base"`
	Auth        Auth    `json:"auth"`
	Private     bool    `json:"private"` // its names may lead to private addresses
	HasAPI      bool    `json:"has_api"`
	HasWebUI    bool    `json:"has_webui"`
	CheatSheet  string  `json:"cheat_sheet"`
	Rotate      *Change `json:"rotate"` // how its sign-in is changed; nil: agentd does not know

	origins []Origin // the first is where a path alone goes
}

// Auth is how a request signs in.
type Auth struct {
	Type   string `json:"type"`
	Ref    string `json:"ref"`    // name of the secret
	Header string `json:"header"` // for the type header
	Prefix string `json:"prefix"` // what stands before the value
	User   string `json:"user"`   // for the type basic
}

// Change is how the secret of a tool's sign-in is changed, and tried.
type Change struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   string `json:"body"`  // JSON, in which {{old}} and {{new}} stand for the values
	Check  string `json:"check"` // path that answers 2xx to a good sign-in, and 401 or 403 to a bad one
}

// Registry is the file, read anew when it changes.
type Registry struct {
	path string

	mu    sync.Mutex
	stamp time.Time
	size  int64
	tools []Tool
	err   error
}

// New is the registry of a state directory. A file that is not there is an empty registry.
func New(stateDir string) *Registry { return &Registry{path: filepath.Join(stateDir, File)} }

// All lists the tools. A file that cannot be read in full is an error, not fewer tools.
func (r *Registry) All() ([]Tool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Stat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.tools, r.err, r.stamp, r.size = nil, nil, time.Time{}, 0
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("tool registry: %w", err)
	case info.Mode().Perm()&0o022 != 0 || !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, fmt.Errorf("tool registry: %s must be a plain file that only its owner writes", r.path)
	case info.ModTime().Equal(r.stamp) && info.Size() == r.size:
		return r.tools, r.err
	}
	r.stamp, r.size = info.ModTime(), info.Size()
	r.tools, r.err = read(r.path)
	return r.tools, r.err
}

// Find gives one tool by its name.
func (r *Registry) Find(name string) (Tool, bool, error) {
	all, err := r.All()
	for _, t := range all {
		if strings.EqualFold(t.Name, name) {
			return t, true, err
		}
	}
	return Tool{}, false, err
}

// Registered is the registry in the form that calls are judged with; nothing when it cannot be read.
func (r *Registry) Registered() []policy.Registered {
	tools, err := r.All()
	if err != nil {
		return nil
	}
	out := make([]policy.Registered, 0, len(tools))
	for _, t := range tools {
		d := policy.Registered{Tool: t.Name, Kind: t.Kind}
		for _, o := range t.origins {
			d.Bases = append(d.Bases, o.String())
		}
		out = append(out, d)
	}
	return out
}

// read takes the file strictly.
func read(path string) ([]Tool, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("tool registry: %w", err)
	}
	if _, err := canonical.JSON(raw); err != nil {
		return nil, fmt.Errorf("tool registry: %w", err)
	}
	var file struct {
		Tools []Tool `json:"tools"`
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("tool registry: %w", err)
	}
	seen := map[string]bool{}
	for i := range file.Tools {
		t := &file.Tools[i]
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("tool registry: tool %d: %w", i+1, err)
		}
		if seen[strings.ToLower(t.Name)] {
			return nil, fmt.Errorf("tool registry: %s stands there twice", t.Name)
		}
		seen[strings.ToLower(t.Name)] = true
	}
	return file.Tools, nil
}
