package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"gopkg.in/yaml.v3"

	"gatehouse/agentd/wire"
)

// File is the name of the settings in the proxy's state directory.
const File = "models.yaml"

// Default is the name of the profile that MODEL_BASE_URL, MODEL_NAME and MODEL_EMBEDDINGS describe.
const Default = "default"

// Load reads the settings in dir, if there are any, behind the profile of the environment, if there is one: base, model and
// embeddings are MODEL_BASE_URL, MODEL_NAME and MODEL_EMBEDDINGS, the last of which may be empty. All faults are reported at once.
func Load(dir, base, model, embeddings string) (Set, error) {
	var s Set
	if base != "" {
		p := Profile{Name: Default, Protocol: OpenAI, BaseURL: base, Models: []string{model}}
		if embeddings != "" {
			p.Embeddings = []string{embeddings}
		}
		s.Profiles = []Profile{p}
	}
	more, err := read(filepath.Join(dir, File))
	if err != nil {
		return Set{}, err
	}
	s.Profiles, s.Chains = append(s.Profiles, more.Profiles...), more.Chains
	return s, s.Check()
}

func read(path string) (s Set, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read %s: %w", File, err)
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil && !errors.Is(err, io.EOF) {
		return s, fmt.Errorf("%s: %w", File, err)
	}
	return s, nil
}

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// Check says everything that is wrong with s, or nil.
func (s Set) Check() error {
	var wrong []error
	seen := map[string]bool{}
	for _, p := range s.Profiles {
		for _, err := range p.check() {
			wrong = append(wrong, fmt.Errorf("profile %q: %w", p.Name, err))
		}
		if seen[p.Name] {
			wrong = append(wrong, fmt.Errorf("profile %q is there twice", p.Name))
		}
		seen[p.Name] = true
	}
	models := s.Models()
	for _, c := range s.Chains {
		for _, m := range append([]string{c.Model}, c.Then...) {
			if !slices.Contains(models, m) {
				wrong = append(wrong, fmt.Errorf("chain of %q: no profile has the model %q", c.Model, m))
			}
		}
	}
	return errors.Join(wrong...)
}

func (p Profile) check() (wrong []error) {
	if !name.MatchString(p.Name) {
		wrong = append(wrong, errors.New("its name must be lower-case letters, digits, - and _"))
	}
	if p.Protocol != OpenAI && p.Protocol != Anthropic {
		wrong = append(wrong, fmt.Errorf("its protocol is %q; it must be openai or anthropic", p.Protocol))
	}
	u, err := url.Parse(p.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		wrong = append(wrong, errors.New("its base_url must be http(s)://host[:port][/path], and nothing more"))
	}
	if !slices.Contains([]string{"", wire.KeyHouse, wire.KeyOwn, wire.KeyLocal}, p.Key) {
		wrong = append(wrong, fmt.Errorf("its key is %q; it must be house, own or local", p.Key))
	}
	if len(p.Models)+len(p.Embeddings) == 0 || slices.Contains(p.Models, "") || slices.Contains(p.Embeddings, "") {
		wrong = append(wrong, errors.New("it must name its models"))
	}
	if len(p.Embeddings) > 0 && p.Protocol != OpenAI {
		wrong = append(wrong, errors.New("its protocol has no embeddings"))
	}
	return wrong
}
