package team

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed models.yaml
var modelsText string

// modelSets says which models see fewer tools.
type modelSets struct {
	Weak struct {
		Words []string `yaml:"words"`
		Tools []string `yaml:"tools"`
	} `yaml:"weak"`
}

// knownModels reads models.yaml once. A file of ours that cannot be read is a fault of this program.
var knownModels = sync.OnceValue(func() modelSets {
	var s modelSets
	dec := yaml.NewDecoder(strings.NewReader(modelsText))
	dec.KnownFields(true)
	if err := dec.Decode(&s); err != nil {
		panic("models.yaml: " + err.Error())
	}
	return s
})

// weak says whether a model is one that sees fewer tools.
func (s modelSets) weak(model string) bool {
	parts := strings.FieldsFunc(strings.ToLower(model), func(r rune) bool { return strings.ContainsRune("/:-_ ", r) })
	return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(s.Weak.Words, p) })
}

func (t *Team) model(v View, _ member, name string) Layer {
	s := knownModels()
	switch {
	case !s.weak(v.Model):
		return Layer{"model", true, "its model sees all that the profile has"}
	case holds(s.Weak.Tools, name):
		return Layer{"model", true, "its model is a weak one, which sees fewer tools, and this one is among them"}
	}
	return Layer{"model", false, "the model " + v.Model + " is a weak one, which does not get this tool"}
}
