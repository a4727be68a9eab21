package team

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// What the parser says of a description, in its own words.
var (
	ofLine  = regexp.MustCompile(`line (\d+): `)
	noField = regexp.MustCompile(`^line (\d+): field (.+) not found in type`)
)

// unreadable says for people, one sentence a line, why a description could not be read.
func unreadable(err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		if at := ofLine.FindStringSubmatch(err.Error()); at != nil {
			return fmt.Errorf("template.yaml cannot be read: from line %s on it is not YAML.", at[1])
		}
		return errors.New("template.yaml cannot be read: it is not YAML.")
	}
	var says []string
	for _, one := range wrong.Errors {
		if at := noField.FindStringSubmatch(one); at != nil {
			says = append(says, fmt.Sprintf("Line %s of template.yaml has %s, which no description has.", at[1], at[2]))
		} else if at := ofLine.FindStringSubmatch(one); at != nil {
			says = append(says, fmt.Sprintf("Line %s of template.yaml has something else than belongs there.", at[1]))
		}
	}
	if len(says) == 0 {
		return errors.New("template.yaml cannot be read: it is not YAML.")
	}
	return errors.New(strings.Join(says, "\n"))
}
