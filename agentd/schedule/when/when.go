package when

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/wire"
)

// Reading is what a phrase means. Either Spec is set, or Ask.
type Reading struct {
	Kind    wire.ScheduleKind // at, every or cron
	Spec    string            // as due.Parse reads it
	Ask     string            // the phrase can mean several things: a question for the person who wrote it
	Choices []string          // specs of the things it can mean; none where something is missing
}

// ErrPhrase is what every error of Read is: its text is for the person who wrote the phrase.
var ErrPhrase = errors.New("this is not a time that can be understood")

type phraseError string

func (e phraseError) Error() string { return string(e) }

// Is says that it is an ErrPhrase.
func (e phraseError) Is(target error) bool { return target == ErrPhrase }

// example ends what is said about a phrase that is not understood.
const example = "Write a time such as “tomorrow at 9”, “every Monday at 8” or “in 20 minutes”."

// maxPhrase is how many bytes a phrase may have.
const maxPhrase = 300

// Read reads a phrase that was written in a zone at a moment.
func Read(text string, zone *time.Location, now time.Time) (Reading, error) {
	if len(text) > maxPhrase {
		return Reading{}, phraseError("This is too long to be a time.")
	}
	p := parts{zone: zone, now: now, wall: due.Wall(now, zone), text: normal(text)}
	if err := p.take(); err != nil {
		return Reading{}, err
	}
	r, err := p.reading()
	if err != nil || r.Ask != "" {
		return r, err
	}
	if _, err := due.Parse(r.Kind, r.Spec, zone, now); err != nil {
		return Reading{}, phraseError(err.Error())
	}
	return r, nil
}

// take lets each rule take out what it understands.
func (p *parts) take() error {
	for _, rule := range rules {
		for {
			at := rule.form.FindStringSubmatchIndex(p.text)
			if at == nil || p.err != nil {
				break
			}
			found := make([]string, len(at)/2)
			for i := range found {
				if at[2*i] >= 0 {
					found[i] = p.text[at[2*i]:at[2*i+1]]
				}
			}
			p.text = p.text[:at[0]] + " | " + p.text[at[1]:]
			rule.take(p, found)
		}
	}
	if p.err != nil {
		return p.err
	}
	for _, word := range strings.Fields(p.text) {
		if !small[word] {
			return phraseError(fmt.Sprintf("%q is not understood. ", word) + example)
		}
	}
	return nil
}
